// From a validated dot to a batch of strided matrix products: no copies, no precision.
#ifndef MATPREC_SRC_DOT_LOWERING_H_
#define MATPREC_SRC_DOT_LOWERING_H_

#include "src/dot/dot_shape.h"
#include "src/gemm/gemm_problem.h"

namespace matprec::contraction {

// The problem of dot_general_into under this algorithm; `out` has shape.out. alpha and beta are rounded to
// the type that the epilogue runs in; alpha = 0 makes it a problem of no steps.
gemm::GemmProblem lower(const MutableTensorView& out, const TensorView& lhs, const TensorView& rhs,
                        const DotDimensionNumbers& numbers, const DotShape& shape,
                        DotAlgorithm algorithm, const DotEpilogue& epilogue);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_LOWERING_H_
