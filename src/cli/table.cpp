#include "src/cli/table.h"

#include <algorithm>
#include <cstddef>

namespace matprec::cli {

namespace {

// In characters of UTF-8, each of which is taken to be one column wide.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(width_of(column.heading));
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string result;
  const auto add_line = [&](const auto& cell) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string text = cell(c);
      const std::string fill(widths[c] - width_of(text), ' ');
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
