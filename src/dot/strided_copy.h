// Copies of strided elements, bit for bit.
#ifndef MATPREC_SRC_DOT_STRIDED_COPY_H_
#define MATPREC_SRC_DOT_STRIDED_COPY_H_

#include "matprec/tensor.h"

namespace matprec::contraction {

// The elements of a view in row-major order, of the same type and shape.
Tensor row_major_copy(const TensorView& view);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_STRIDED_COPY_H_
