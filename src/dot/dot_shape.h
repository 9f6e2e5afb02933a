// Are these operands a dot? Validates dimension numbers against shapes and gives the result's shape.
// Every shape error text of dot_general lives here.
#ifndef MATPREC_SRC_DOT_DOT_SHAPE_H_
#define MATPREC_SRC_DOT_DOT_SHAPE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "matprec/dot_general.h"
#include "matprec/error.h"

namespace matprec::contraction {

struct DotShape {
  Dims out;                  // batch, lhs kept, rhs kept
  Dims lhs_kept, rhs_kept;   // dimension numbers, in operand order
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
};

// Throws Error, its text beginning with `op`, if the operands are no dot.
DotShape dot_shape(std::string_view op, const TensorView& lhs, const TensorView& rhs,
                   const DotDimensionNumbers& numbers);

// Throws Error if type, strides and sizes of a view do not go together. `name` is the view's in the
// text.
void check_view(std::string_view op, std::string_view name, const TensorView& view);

// Throws Error if a view that will be read or written has elements but no address.
void check_address(std::string_view op, std::string_view name, const TensorView& view);

// body(), whose errors are about a tensor, with the call in front of their texts.
template <class Body>
auto in_call(std::string_view op, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Error(std::string(op) + ": " + error.what());
  }
}

// The strides with which `view` is read as `shape` (aligned at the last dimension, sizes equal or 1).
// Throws Error if it does not broadcast to that shape.
Dims broadcast_strides(std::string_view op, std::string_view name, const TensorView& view,
                       const Dims& shape);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_DOT_SHAPE_H_
