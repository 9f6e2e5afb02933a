#include "src/cli/table.h"

#include <algorithm>
#include <cstddef>

namespace matprec::cli {

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(column.heading.size());
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string result;
  const auto add_line = [&](const auto& cell) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string text = cell(c);
      const std::string fill(widths[c] - text.size(), ' ');
      if (c > 0) line += "  ";
      line += columns_[c].align == Align::kRight ? fill + text : text + fill;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + '\n';
  };
  add_line([&](std::size_t c) { return columns_[c].heading; });
  for (const std::vector<std::string>& row : rows_) {
    add_line([&](std::size_t c) { return c < row.size() ? row[c] : std::string(); });
  }
  return result;
}

}  // namespace matprec::cli
