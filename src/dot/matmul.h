// NumPy's matmul rule as a dot_general: which views multiply along which dimensions.
#ifndef MATPREC_SRC_DOT_MATMUL_H_
#define MATPREC_SRC_DOT_MATMUL_H_

#include "src/dot/labelled.h"

namespace matprec::contraction {

// Errors: a rank-0 operand; inner sizes that differ; batch sizes that do not broadcast.
LabelledProduct lower_matmul(const TensorView& lhs, const TensorView& rhs);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_MATMUL_H_
