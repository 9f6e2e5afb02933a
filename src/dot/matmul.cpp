#include "src/dot/matmul.h"

#include <string>

#include "matprec/error.h"
#include "src/dot/dot_shape.h"

namespace matprec {
namespace contraction {

LabelledProduct lower_matmul(const TensorView& lhs, const TensorView& rhs) {
  check_view("matmul", "lhs", lhs);
  check_view("matmul", "rhs", rhs);
  if (lhs.rank() == 0 || rhs.rank() == 0) {
    throw Error("matmul: an operand has rank 0 (lhs shape " + to_string(lhs.shape()) +
                ", rhs shape " + to_string(rhs.shape()) +
                "); operands have rank 1 or more, multiply by a scalar with dot");
  }
  Labels result;
  if (lhs.rank() > 1) result.push_back('i');
  if (rhs.rank() > 1) result.push_back('j');
  return lower_batched("matmul", with_batch(lhs, lhs.rank() == 1 ? Labels{'k'} : Labels{'i', 'k'}),
                       with_batch(rhs, rhs.rank() == 1 ? Labels{'k'} : Labels{'k', 'j'}), result);
}

}  // namespace contraction

Tensor matmul(const TensorView& lhs, const TensorView& rhs, const DotOptions& options,
              SourceLocation where) {
  const contraction::LabelledProduct p = contraction::lower_matmul(lhs, rhs);
  return contraction::product({"matmul", lhs, rhs, options, where}, p.lhs, p.rhs, p.numbers,
                              &p.layout);
}

}  // namespace matprec
