// Whether strided views share memory. Duty: an exact answer by a bounded search, or "not proven"
// when the search would take too long. Boundary: looks at addresses and strides only, never at
// elements.
#ifndef MATPREC_SRC_DOT_OVERLAP_H_
#define MATPREC_SRC_DOT_OVERLAP_H_

#include "matprec/tensor.h"

namespace matprec::contraction {

enum class Overlap {
  kNo,
  kYes,
  kUnproven,  // the search gave up, or the view is larger than any memory
};

// Do the views have a byte in common? Interleaved panels of one buffer have not; a view without
// elements shares nothing.
Overlap share_memory(const TensorView& a, const TensorView& b);

// Do two different indices of the view name the same element?
Overlap overlaps_itself(const TensorView& view);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_OVERLAP_H_
