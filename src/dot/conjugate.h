// The conjugate of complex operands.
#ifndef MATPREC_SRC_DOT_CONJUGATE_H_
#define MATPREC_SRC_DOT_CONJUGATE_H_

#include "matprec/tensor.h"

namespace matprec::contraction {

// The elements in row-major order, the sign bit of each imaginary part turned and every other bit as it
// was (a NaN's too). Real elements are copied.
Tensor conjugated(const TensorView& view);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_CONJUGATE_H_
