#include "src/error_text.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "matprec/error.h"

namespace matprec {
namespace {

// Longer than any name; beyond it a value is shown and compared cut.
constexpr std::size_t kLongestShown = 64;

// Optimal string alignment distance: Levenshtein's, with a swap of neighbours as one edit.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  const auto cell = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return table[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) cell(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cell(0, j) = j;
  const auto same = [&](std::size_t i, std::size_t j) {
    return ascii_lower(a[i]) == ascii_lower(b[j]);
  };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      cell(i, j) = std::min({cell(i - 1, j) + 1, cell(i, j - 1) + 1,
                             cell(i - 1, j - 1) + (same(i - 1, j - 1) ? 0U : 1U)});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) {
        cell(i, j) = std::min(cell(i, j), cell(i - 2, j - 2) + 1);
      }
    }
  }
  return cell(a.size(), b.size());
}

template <class Enum>
void check(std::string_view entrance, const std::string& name, Enum value, Enum last) {
  if (value <= last) return;
  const auto shown = [&](Enum e) { return name + "(" + std::to_string(static_cast<int>(e)) + ")"; };
  throw Error(std::string(entrance) + ": " + shown(value) + " is no enumerator; expected " +
              shown(Enum{}) + " to " + shown(last));
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

std::string in_quotes(std::string_view value) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : value.substr(0, kLongestShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      text += "\\x";
      text += kHex[byte >> 4];
      text += kHex[byte & 15];
    } else {
      text += c;
    }
  }
  text += '"';
  if (value.size() > kLongestShown) {
    text += "... (" + std::to_string(value.size()) + " characters)";
  }
  return text;
}

std::string_view nearest_name(std::string_view value, std::span<const std::string_view> names) {
  value = value.substr(0, kLongestShown);
  return *std::min_element(names.begin(), names.end(), [&](std::string_view a, std::string_view b) {
    return edit_distance(value, a) < edit_distance(value, b);
  });
}

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::string unknown_value_text(std::string_view entrance, std::string_view value,
                               std::span<const std::string_view> names) {
  std::string text(entrance);
  text += ": unknown value " + in_quotes(value);
  text += "; known: " + joined(names);
  text += "; nearest: ";
  text += nearest_name(value, names);
  return text;
}

std::string at_location(SourceLocation where) {
  if (where.file == nullptr) return "";
  return " at " + std::string(where.file) + ":" + std::to_string(where.line);
}

Error integer_with_float(ElementType lhs, ElementType rhs) {
  return Error("no product of " + std::string(to_string(lhs)) + " and " +
               std::string(to_string(rhs)) +
               "; an integer multiplies integers only: convert one of them");
}

void check_enumerator(std::string_view entrance, ElementType type) {
  check(entrance, "ElementType", type, ElementType::kC128);
}

void check_enumerator(std::string_view entrance, PrecisionType type) {
  check(entrance, "PrecisionType", type, PrecisionType::kS32);
}

}  // namespace matprec
