// The scalar oracle: dot_general by plain loops, straight from docs/numerics.md. Slow on purpose.
// Duty: one readable definition of every result bit, that the kernels are compared with.
// Boundary: shares no code with the kernels or with dot_general's lowering, only the table of
// algorithms and scalar rounding (rounding.h). It runs in the calling thread, in its own
// floating-point environment.
#ifndef MATPREC_SRC_GEMM_REFERENCE_H_
#define MATPREC_SRC_GEMM_REFERENCE_H_

#include "matprec/dot_algorithm.h"
#include "matprec/dot_general.h"
#include "matprec/tensor.h"

namespace matprec::gemm {

// reference_dot_general_into() for arguments already known to be valid: dimension numbers in range,
// paired sizes equal, out of the right shape, c of out's shape, bias broadcastable, no harmful
// overlap.
void reference_dot_general_unchecked(const MutableTensorView& out, const TensorView& lhs,
                                     const TensorView& rhs,
                                     const DotDimensionNumbers& dimension_numbers,
                                     DotAlgorithm algorithm, const DotEpilogue& epilogue);

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_REFERENCE_H_
