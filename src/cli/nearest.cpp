#include "src/cli/nearest.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace matprec::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Of the table of all beginnings of a and b, one row at a time.
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::string nearest(std::string_view typed, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& word : known) {
    // What was only begun is nearer than any misspelling.
    const bool begun = typed.size() > 2 && word.starts_with(typed);
    const std::size_t distance = begun ? 0 : edit_distance(typed, word);
    if (distance < least) {
      least = distance;
      best = word;
    }
  }
  return best;
}

}  // namespace matprec::cli
