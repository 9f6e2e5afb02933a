#include "src/dot/labelled.h"

#include <string>

#include "matprec/error.h"

namespace matprec::contraction {
namespace {

std::int64_t as_number(std::size_t dimension) { return static_cast<std::int64_t>(dimension); }

// Along a kept label a stride of 0 only repeats the operand. Left out here, the label is a free one
// of the other operand, and a batch of small products becomes one larger product of the same bits.
Labelled without_repeats(const Labelled& operand, const Labels& other, const Labels& result) {
  Labels labels;
  Dims shape, strides;
  for (std::size_t i = 0; i < operand.labels.size(); ++i) {
    const Label label = operand.labels[i];
    const std::int64_t stride = operand.view.strides()[i];
    if (stride == 0 && contains(other, label) && contains(result, label)) continue;
    labels.push_back(label);
    shape.push_back(operand.view.shape()[i]);
    strides.push_back(stride);
  }
  return {labels, TensorView(operand.view.data(), operand.view.type(), shape, strides)};
}

std::string shapes(const Labelled& lhs, const Labelled& rhs) {
  return "(lhs shape " + to_string(lhs.view.shape()) + ", rhs shape " +
         to_string(rhs.view.shape()) + ")";
}

std::string dimension_text(const char* side, const Labelled& operand, Label label) {
  return std::string(side) + " dim " + std::to_string(operand.dimension(label)) + " has size " +
         std::to_string(operand.size(label));
}

void check_letters(std::string_view op, const Labelled& lhs, const Labelled& rhs) {
  for (const Label label : lhs.labels) {
    if (is_batch(label) || !contains(rhs.labels, label)) continue;
    if (lhs.size(label) == rhs.size(label)) continue;
    throw Error(std::string(op) + ": inner sizes disagree: " + dimension_text("lhs", lhs, label) +
                ", " + dimension_text("rhs", rhs, label) + " " + shapes(lhs, rhs) +
                "; they must be equal");
  }
}

// Gives both operands the common size of a batch dimension that both have.
void broadcast(std::string_view op, Label label, Labelled* lhs, Labelled* rhs) {
  const std::int64_t a = lhs->size(label), b = rhs->size(label);
  if (a == b) return;
  if (a != 1 && b != 1) {
    throw Error(std::string(op) + ": batch sizes " + std::to_string(a) + " and " +
                std::to_string(b) + " do not broadcast " + shapes(*lhs, *rhs) +
                "; aligned from the last batch dimension on, they must be equal or 1");
  }
  if (a == 1) {
    *lhs = repeated(*lhs, label, b);
  } else {
    *rhs = repeated(*rhs, label, a);
  }
}

Label count_batch(const Labelled& operand) {
  return std::count_if(operand.labels.begin(), operand.labels.end(), is_batch);
}

}  // namespace

Labelled repeated(const Labelled& operand, Label label, std::int64_t size) {
  const TensorView& view = operand.view;
  Dims shape = view.shape(), strides = view.strides();
  const std::size_t i = operand.dimension(label);
  shape[i] = size;
  strides[i] = 0;
  return {operand.labels, TensorView(view.data(), view.type(), shape, strides)};
}

LabelledProduct lower_labelled(const Labelled& lhs, const Labelled& rhs, const Labels& result) {
  const Labelled a = without_repeats(lhs, rhs.labels, result);
  const Labelled b = without_repeats(rhs, a.labels, result);
  LabelledProduct product{a.view, b.view, {}, {}};
  DotDimensionNumbers& numbers = product.numbers;
  Labels laid_out, kept;  // the result's labels as dot_general has them
  for (const Label label : a.labels) {
    if (!contains(b.labels, label)) {
      kept.push_back(label);
    } else if (contains(result, label)) {
      numbers.lhs_batch.push_back(as_number(a.dimension(label)));
      numbers.rhs_batch.push_back(as_number(b.dimension(label)));
      laid_out.push_back(label);
    } else {
      numbers.lhs_contracting.push_back(as_number(a.dimension(label)));
      numbers.rhs_contracting.push_back(as_number(b.dimension(label)));
    }
  }
  for (const Label label : kept) laid_out.push_back(label);
  for (const Label label : b.labels) {
    if (!contains(a.labels, label)) laid_out.push_back(label);
  }
  Dims& shape = product.layout.shape;
  for (const Label label : result) {
    shape.push_back((contains(a.labels, label) ? a : b).size(label));
  }
  const Dims strides = row_major_strides(shape);
  for (const Label label : laid_out) {
    const auto at = std::find(result.begin(), result.end(), label) - result.begin();
    product.layout.strides.push_back(strides[static_cast<std::size_t>(at)]);
  }
  return product;
}

LabelledProduct lower_batched(std::string_view op, const Labelled& lhs, const Labelled& rhs,
                              const Labels& last) {
  check_letters(op, lhs, rhs);
  Labelled a = lhs, b = rhs;
  Labels result;
  for (Label label = -std::max(count_batch(a), count_batch(b)); label < 0; ++label) {
    if (contains(a.labels, label) && contains(b.labels, label)) broadcast(op, label, &a, &b);
    result.push_back(label);
  }
  for (const Label label : last) result.push_back(label);
  return lower_labelled(a, b, result);
}

Labelled with_batch(const TensorView& view, const Labels& last) {
  Labels labels;
  for (std::size_t before = view.rank() - last.size(); before > 0; --before) {
    labels.push_back(-as_number(before));
  }
  for (const Label label : last) labels.push_back(label);
  return {labels, view};
}

}  // namespace matprec::contraction
