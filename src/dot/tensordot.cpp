// The front ends whose result is "the other dimensions of lhs, then those of rhs".
#include <string>

#include "matprec/contractions.h"
#include "matprec/error.h"
#include "src/dot/dot_shape.h"
#include "src/dot/product.h"

namespace matprec {
namespace contraction {
namespace {

std::int64_t rank_of(const TensorView& view) { return static_cast<std::int64_t>(view.rank()); }

// Axes counted from 0.
Dims counted_up(const char* side, const Dims& axes, const TensorView& view) {
  Dims result;
  for (const std::int64_t axis : axes) {
    const std::int64_t rank = rank_of(view);
    if (axis < -rank || axis >= rank) {
      throw Error("tensordot: axes of " + std::string(side) + " are " + to_string(axes) +
                  ", but it has shape " + to_string(view.shape()) + "; axes of rank " +
                  std::to_string(rank) + " are " + std::to_string(-rank) + " to " +
                  std::to_string(rank - 1));
    }
    result.push_back(axis < 0 ? axis + rank : axis);
  }
  return result;
}

Tensor product_along(const Call& call, const Dims& lhs_axes, const Dims& rhs_axes) {
  return product(call, call.lhs, call.rhs,
                 {.lhs_contracting = lhs_axes, .rhs_contracting = rhs_axes});
}

// Along one dimension of each, or none if one is a scalar. `from_end` is the number of rhs's
// dimension counted from its end, 1 the last.
Tensor product_along_last(const Call& call, std::int64_t from_end) {
  check_view(call.op, "lhs", call.lhs);
  check_view(call.op, "rhs", call.rhs);
  const std::int64_t lhs_rank = rank_of(call.lhs), rhs_rank = rank_of(call.rhs);
  if (lhs_rank == 0 || rhs_rank == 0) return product_along(call, {}, {});
  return product_along(call, {lhs_rank - 1}, {rhs_rank == 1 ? 0 : rhs_rank - from_end});
}

}  // namespace
}  // namespace contraction

Tensor tensordot(const TensorView& lhs, const TensorView& rhs, const TensordotAxes& axes,
                 const DotOptions& options, SourceLocation where) {
  contraction::check_view("tensordot", "lhs", lhs);
  contraction::check_view("tensordot", "rhs", rhs);
  return contraction::product_along({"tensordot", lhs, rhs, options, where},
                                    contraction::counted_up("lhs", axes.lhs, lhs),
                                    contraction::counted_up("rhs", axes.rhs, rhs));
}

Tensor tensordot(const TensorView& lhs, const TensorView& rhs, std::int64_t axes,
                 const DotOptions& options, SourceLocation where) {
  contraction::check_view("tensordot", "lhs", lhs);
  contraction::check_view("tensordot", "rhs", rhs);
  const std::int64_t lhs_rank = contraction::rank_of(lhs);
  if (axes < 0 || axes > lhs_rank || axes > contraction::rank_of(rhs)) {
    throw Error("tensordot: axes is " + std::to_string(axes) + ", but lhs has shape " +
                to_string(lhs.shape()) + " and rhs has shape " + to_string(rhs.shape()) +
                "; expected 0 to the lower of their ranks");
  }
  Dims lhs_axes, rhs_axes;
  for (std::int64_t i = 0; i < axes; ++i) {
    lhs_axes.push_back(lhs_rank - axes + i);
    rhs_axes.push_back(i);
  }
  return contraction::product_along({"tensordot", lhs, rhs, options, where}, lhs_axes, rhs_axes);
}

Tensor dot(const TensorView& lhs, const TensorView& rhs, const DotOptions& options,
           SourceLocation where) {
  return contraction::product_along_last({"dot", lhs, rhs, options, where}, 2);
}

Tensor inner(const TensorView& lhs, const TensorView& rhs, const DotOptions& options,
             SourceLocation where) {
  return contraction::product_along_last({"inner", lhs, rhs, options, where}, 1);
}

}  // namespace matprec
