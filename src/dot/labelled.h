// Operands whose dimensions have labels, and the dot_general that the product of two of them is.
//
// Knows which dimension of one operand belongs to which of the other, and in which order the result
// has them; knows neither equations nor precision.
#ifndef MATPREC_SRC_DOT_LABELLED_H_
#define MATPREC_SRC_DOT_LABELLED_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "matprec/dot_general.h"
#include "src/dot/product.h"

namespace matprec::contraction {

// A letter's character code; or -1, -2, ... for batch dimensions counted from the last one, so that
// equal labels are aligned as NumPy aligns shapes, and ascending labels stand as in a shape.
using Label = std::int64_t;
using Labels = Dims;

inline bool contains(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}
constexpr bool is_batch(Label label) { return label < 0; }

struct Labelled {
  Labels labels;  // one a dimension, none twice
  TensorView view;

  // The dimension of that label; the rank if there is none.
  std::size_t dimension(Label label) const {
    return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) -
                                    labels.begin());
  }
  std::int64_t size(Label label) const { return view.shape()[dimension(label)]; }
};

// The operand whose dimension of that label, of size 1, is read as `size` equal ones.
Labelled repeated(const Labelled& operand, Label label, std::int64_t size);

struct LabelledProduct {
  TensorView lhs, rhs;
  DotDimensionNumbers numbers;
  ResultLayout layout;
};

// The product whose dimensions are `result`, in this order. Labels of both operands that are not in
// the result are contracted, in the order of lhs. A label of one operand only is in the result;
// sizes agree.
LabelledProduct lower_labelled(const Labelled& lhs, const Labelled& rhs, const Labels& result);

// The same for operands with batch dimensions: the result has these, broadcast, and then `last`.
// Errors: batch sizes neither equal nor 1; letters whose sizes differ. The text begins with `op`.
LabelledProduct lower_batched(std::string_view op, const Labelled& lhs, const Labelled& rhs,
                              const Labels& last);

// A view with these labels on its last dimensions; those before are batch dimensions. Its rank is
// no less than the number of labels.
Labelled with_batch(const TensorView& view, const Labels& last);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_LABELLED_H_
