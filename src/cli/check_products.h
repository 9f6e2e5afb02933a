// The products of `matprec check`: shapes, layouts and values that break things.
#ifndef MATPREC_SRC_CLI_CHECK_PRODUCTS_H_
#define MATPREC_SRC_CLI_CHECK_PRODUCTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "matprec/dot_algorithm.h"
#include "matprec/dot_general.h"
#include "matprec/tensor.h"

namespace matprec::cli {

// One product: operand data, and how they are viewed.
struct CheckProduct {
  std::string description;  // for a failure's text
  Tensor lhs, rhs;          // flat data
  Dims lhs_shape, lhs_strides, rhs_shape, rhs_strides, out_shape;
  DotDimensionNumbers dimension_numbers;

  // Those that the operand types can run.
  std::vector<DotAlgorithm> algorithms() const;
  Tensor by_library(DotAlgorithm algorithm) const;
  Tensor by_oracle(DotAlgorithm algorithm) const;
};

// The same list every time.
std::vector<CheckProduct> check_products();

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_CHECK_PRODUCTS_H_
