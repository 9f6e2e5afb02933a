// NumPy's matmul rule as a dot_general: which views multiply along which dimensions.
#ifndef MATPREC_SRC_DOT_MATMUL_H_
#define MATPREC_SRC_DOT_MATMUL_H_

#include "matprec/dot_general.h"

namespace matprec::contraction {

struct Matmul {
  TensorView lhs, rhs;  // batch dimensions broadcast to a common shape by zero strides
  DotDimensionNumbers numbers;
  Dims out_shape;       // without the dimensions of rank-1 operands
};

// Errors: a rank-0 operand; inner sizes that differ; batch sizes that do not broadcast.
Matmul lower_matmul(const TensorView& lhs, const TensorView& rhs);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_MATMUL_H_
