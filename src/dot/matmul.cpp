#include "src/dot/matmul.h"

#include <algorithm>
#include <string>

#include "matprec/error.h"
#include "src/dot/dot_shape.h"
#include "src/dot/product.h"

namespace matprec {
namespace contraction {
namespace {

std::string shapes(const TensorView& lhs, const TensorView& rhs) {
  return "lhs shape " + to_string(lhs.shape()) + ", rhs shape " + to_string(rhs.shape());
}

// A rank-1 operand as a matrix: a row on the left, a column on the right.
TensorView as_matrix(const TensorView& view, bool left) {
  if (view.rank() > 1) return view;
  const std::int64_t size = view.shape()[0], stride = view.strides()[0];
  return left ? TensorView(view.data(), view.type(), {1, size}, {0, stride})
              : TensorView(view.data(), view.type(), {size, 1}, {stride, 0});
}

// The batch sizes of both, broadcast against each other from the last on.
Dims broadcast_batch(const TensorView& lhs, const TensorView& rhs) {
  const std::size_t rank = std::max(lhs.rank(), rhs.rank()) - 2;
  const auto size_of_dim = [rank](const TensorView& view, std::size_t i) {
    const std::size_t own = view.rank() - 2;
    return i + own < rank ? std::int64_t{1} : view.shape()[i + own - rank];
  };
  Dims batch;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t a = size_of_dim(lhs, i), b = size_of_dim(rhs, i);
    if (a != b && a != 1 && b != 1) {
      throw Error("matmul: batch sizes " + std::to_string(a) + " and " + std::to_string(b) +
                  " do not broadcast (" + shapes(lhs, rhs) +
                  "); aligned before the last two dimensions, they must be equal or 1");
    }
    batch.push_back(a == 1 ? b : a);
  }
  return batch;
}

TensorView expand(const TensorView& view, const Dims& batch) {
  Dims shape = batch;
  shape.push_back(view.shape()[view.rank() - 2]);
  shape.push_back(view.shape()[view.rank() - 1]);
  return TensorView(view.data(), view.type(), shape,
                    broadcast_strides("matmul", "operand", view, shape));
}

}  // namespace

Matmul lower_matmul(const TensorView& lhs, const TensorView& rhs) {
  check_view("matmul", "lhs", lhs);
  check_view("matmul", "rhs", rhs);
  if (lhs.rank() == 0 || rhs.rank() == 0) {
    throw Error("matmul: an operand has rank 0 (" + shapes(lhs, rhs) +
                "); operands have rank 1 or more, multiply by a scalar with alpha of dot_general_into");
  }
  const TensorView a = as_matrix(lhs, true), b = as_matrix(rhs, false);
  const std::int64_t inner = a.shape()[a.rank() - 1], inner_rhs = b.shape()[b.rank() - 2];
  if (inner != inner_rhs) {
    throw Error("matmul: inner sizes disagree: lhs dim " + std::to_string(lhs.rank() - 1) +
                " has size " + std::to_string(inner) + ", rhs dim " +
                std::to_string(rhs.rank() == 1 ? 0 : rhs.rank() - 2) + " has size " +
                std::to_string(inner_rhs) + " (" + shapes(lhs, rhs) + "); they must be equal");
  }
  const Dims batch = broadcast_batch(a, b);
  const std::int64_t rank = static_cast<std::int64_t>(batch.size());
  DotDimensionNumbers numbers;
  for (std::int64_t i = 0; i < rank; ++i) {
    numbers.lhs_batch.push_back(i);
    numbers.rhs_batch.push_back(i);
  }
  numbers.lhs_contracting.push_back(rank + 1);
  numbers.rhs_contracting.push_back(rank);
  Dims out = batch;
  if (lhs.rank() > 1) out.push_back(a.shape()[a.rank() - 2]);
  if (rhs.rank() > 1) out.push_back(b.shape()[b.rank() - 1]);
  return {expand(a, batch), expand(b, batch), numbers, out};
}

}  // namespace contraction

Tensor matmul(const TensorView& lhs, const TensorView& rhs, const DotOptions& options,
              SourceLocation where) {
  const contraction::Matmul call = contraction::lower_matmul(lhs, rhs);
  return contraction::product({"matmul", lhs, rhs, options, where}, call.lhs, call.rhs, call.numbers,
                      &call.out_shape);
}

}  // namespace matprec
