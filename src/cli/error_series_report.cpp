#include "src/cli/error_series_report.h"

#include <cstddef>
#include <vector>

#include "src/cli/number_text.h"
#include "src/cli/table.h"

namespace matprec::cli {

std::string error_series_text(const ErrorSeries& series) {
  std::vector<Table::Column> columns = {{series.axis}};
  for (const ErrorSeriesRow& row : series.rows) {
    columns.push_back({std::string(info(row.algorithm).short_name)});
  }
  Table table(columns);
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    std::vector<std::string> cells = {std::to_string(series.points[i])};
    for (const ErrorSeriesRow& row : series.rows) cells.push_back(scientific(row.errors[i], 1));
    table.add_row(cells);
  }
  return "relative error ||C-R|| / ||R|| of " + series.title + "\n\n" + table.text();
}

io::Json error_series_json(const ErrorSeries& series) {
  io::Json result = {{"name", series.name},
                     {"title", series.title},
                     {"axis", series.axis},
                     {"points", series.points},
                     {"rows", io::Json::array()}};
  for (const ErrorSeriesRow& row : series.rows) {
    io::Json errors = io::Json::array(), hashes = io::Json::array();
    for (const double error : row.errors) errors.push_back(json_number(error));
    for (const std::uint64_t hash : row.hashes) hashes.push_back(hexadecimal(hash));
    result["rows"].push_back({{"algorithm", info(row.algorithm).name},
                              {"short_name", info(row.algorithm).short_name},
                              {"relative_error", errors},
                              {"hash", hashes}});
  }
  return result;
}

}  // namespace matprec::cli
