#include "src/cli/error_by_row.h"

#include <algorithm>

#include "src/cli/element_value.h"
#include "src/cli/relative_error.h"

namespace matprec::cli {
namespace {

// More would not be told apart in a picture, and would swell the JSON.
constexpr std::int64_t kMostPoints = 256;

}  // namespace

RowPoints row_points(const Dims& shape) {
  const std::int64_t count = element_count(shape);
  if (count == 0) return {};
  const std::int64_t rows = shape.size() < 2 ? count : count / shape.back();
  return {rows, (rows + kMostPoints - 1) / kMostPoints};
}

std::vector<double> error_by_row(const Tensor& result, const Tensor& reference) {
  std::vector<double> errors;
  const RowPoints points = row_points(reference.shape());
  if (points.rows == 0) return errors;
  const std::int64_t per_point = reference.size() / points.rows * points.rows_per_point;
  for (std::int64_t begin = 0; begin < reference.size(); begin += per_point) {
    RelativeError error;
    for (std::int64_t i = begin; i < std::min(begin + per_point, reference.size()); ++i) {
      error.add(value_at(result, i), value_at(reference, i));
    }
    errors.push_back(error.value());
  }
  return errors;
}

}  // namespace matprec::cli
