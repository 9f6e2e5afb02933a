// An einsum equation applied to operands: the label of each dimension, the size of each label.
#ifndef MATPREC_SRC_DOT_EINSUM_LABELS_H_
#define MATPREC_SRC_DOT_EINSUM_LABELS_H_

#include <map>
#include <span>
#include <vector>

#include "src/dot/einsum_equation.h"
#include "src/dot/labelled.h"

namespace matprec::contraction {

struct LabelledOperands {
  std::vector<Labelled> operands;  // a letter that stands twice in a term walks the diagonal
  Labels output;
  std::map<Label, std::int64_t> sizes;
};

// The dimensions of a letter, and those that an ellipsis stands for (aligned from the last on),
// broadcast as in NumPy: sizes equal or 1. A diagonal needs equal sizes. Without an arrow the output has the dimensions of the
// ellipses, then the letters that stand once, in ASCII order.
// Errors: operands not as many as terms; a term whose letters do not match its operand's rank;
// sizes that disagree; what check_view refuses.
LabelledOperands label_operands(const Equation& equation, std::span<const TensorView> operands);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_EINSUM_LABELS_H_
