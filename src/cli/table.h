// Aligned text tables.
#ifndef MATPREC_SRC_CLI_TABLE_H_
#define MATPREC_SRC_CLI_TABLE_H_

#include <string>
#include <vector>

namespace matprec::cli {

// Columns are as wide as their widest cell, two spaces apart; lines carry no trailing spaces.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string heading;
    Align align = Align::kRight;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Missing cells at the end are empty.
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_TABLE_H_
