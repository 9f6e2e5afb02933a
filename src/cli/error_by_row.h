// Where in a result the errors are: the relative error of each of its rows.
#ifndef MATPREC_SRC_CLI_ERROR_BY_ROW_H_
#define MATPREC_SRC_CLI_ERROR_BY_ROW_H_

#include <cstdint>
#include <vector>

#include "matprec/tensor.h"

namespace matprec::cli {

// How a result's rows become points of a picture. A row is all entries that differ in the last
// index only; of a vector it is one entry.
struct RowPoints {
  std::int64_t rows = 0;
  std::int64_t rows_per_point = 1;
};

// At most 256 points: beyond, neighbours are taken together, as one matrix.
RowPoints row_points(const Dims& shape);

// ||C-R||_F / ||R||_F of each point's entries (relative_error.h). C of any type, R float64, same
// shape.
std::vector<double> error_by_row(const Tensor& result, const Tensor& reference);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_ERROR_BY_ROW_H_
