#include "src/dot/einsum_plan.h"

#include <algorithm>
#include <limits>
#include <map>

#include "src/dot/einsum_labels.h"
#include "src/dot/result_type.h"
#include "src/error_text.h"

namespace matprec::contraction {
namespace {

bool is_summed(Label label, std::size_t operand, const std::vector<Labels>& operands,
               const Labels& output) {
  if (contains(output, label)) return false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i != operand && contains(operands[i], label)) return false;
  }
  return true;
}

// float16 with bfloat16 has its own type, so that all pairs are asked, in whatever order they
// stand.
ElementType promoted(const std::vector<ElementType>& types) {
  ElementType result = types.front();
  for (const ElementType a : types) {
    for (const ElementType b : types) result = result_type(result, result_type(a, b));
  }
  return result;
}

ElementType accumulation_type(ElementType operand) {
  if (is_integer(operand)) return ElementType::kS32;
  const bool wide = real_type(operand) == ElementType::kF64;
  if (is_complex(operand)) return wide ? ElementType::kC128 : ElementType::kC64;
  return wide ? ElementType::kF64 : ElementType::kF32;
}

// The list of operands while it shrinks.
struct Remaining {
  std::vector<Labels> labels;
  std::vector<bool> complex;
  const std::map<Label, std::int64_t>& sizes;
  const Labels& output;

  // A product takes the place of its operands at the end of the list.
  void replace(std::size_t lhs, std::size_t rhs, const Labels& result) {
    const bool is_complex = complex[lhs] || complex[rhs];
    for (const std::size_t i : {rhs, lhs}) {  // lhs < rhs
      labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(i));
      complex.erase(complex.begin() + static_cast<std::ptrdiff_t>(i));
    }
    labels.push_back(result);
    complex.push_back(is_complex);
  }

  bool is_kept(Label label, std::size_t lhs, std::size_t rhs) const {
    if (contains(output, label)) return true;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (i != lhs && i != rhs && contains(labels[i], label)) return true;
    }
    return false;
  }

  // The labels of dot_general's result: batch, then those of lhs alone, then those of rhs alone.
  Labels result(std::size_t lhs, std::size_t rhs) const {
    Labels shared, rest;
    for (const Label label : labels[lhs]) {
      if (!is_kept(label, lhs, rhs)) continue;
      (contains(labels[rhs], label) ? shared : rest).push_back(label);
    }
    for (const Label label : labels[rhs]) {
      if (!contains(labels[lhs], label)) rest.push_back(label);
    }
    for (const Label label : rest) shared.push_back(label);
    return shared;
  }

  // The largest number stands for all beyond it.
  std::int64_t count(const Labels& result) const {
    std::int64_t count = 1;
    bool beyond = false;
    for (const Label label : result) {
      const std::int64_t size = sizes.at(label);
      if (size == 0) return 0;
      beyond = __builtin_mul_overflow(count, size, &count) || beyond;
    }
    return beyond ? std::numeric_limits<std::int64_t>::max() : count;
  }

  // The pair with the fewest result elements, of several the first.
  std::pair<std::size_t, std::size_t> cheapest() const {
    std::pair<std::size_t, std::size_t> best{0, 1};
    std::int64_t fewest = count(result(0, 1));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      for (std::size_t j = i + 1; j < labels.size(); ++j) {
        const std::int64_t elements = count(result(i, j));
        if (elements >= fewest) continue;
        fewest = elements;
        best = {i, j};
      }
    }
    return best;
  }
};

std::vector<EinsumStep> sums(EinsumPlan* plan, std::vector<Labels>* labels) {
  std::vector<EinsumStep> steps;
  const std::vector<Labels> before = *labels;
  for (std::size_t i = 0; i < before.size(); ++i) {
    Labels kept;
    for (const Label label : before[i]) {
      if (!is_summed(label, i, before, plan->output)) kept.push_back(label);
    }
    if (kept.size() == before[i].size()) continue;
    steps.push_back({i, std::nullopt, kept, accumulation_type(plan->operands[i].view.type())});
    (*labels)[i] = kept;
  }
  return steps;
}

}  // namespace

EinsumPlan plan_einsum(std::string_view text, std::span<const TensorView> operands,
                       std::optional<ElementType> preferred_element_type) {
  if (preferred_element_type && !is_element_type(*preferred_element_type)) {
    check_enumerator("einsum: preferred_element_type", *preferred_element_type);
  }
  LabelledOperands labelled = label_operands(parse_equation(text), operands);
  EinsumPlan plan{std::move(labelled.operands), labelled.output, {}, {}};
  std::vector<ElementType> types;
  Remaining list{{}, {}, labelled.sizes, plan.output};
  for (const Labelled& operand : plan.operands) {
    list.labels.push_back(operand.labels);
    list.complex.push_back(is_complex(operand.view.type()));
    types.push_back(operand.view.type());
  }
  plan.steps = sums(&plan, &list.labels);
  const bool multiplies = list.labels.size() > 1 || !plan.steps.empty();
  plan.type = preferred_element_type.value_or(multiplies ? promoted(types) : types.front());
  if (!multiplies) check_result_type("einsum", plan.type, types.front(), types.front());
  while (list.labels.size() > 1) {
    const auto [lhs, rhs] = list.cheapest();
    const Labels result = list.result(lhs, rhs);
    // Two real operands have a real product, also on the way to a complex result.
    const bool complex = list.complex[lhs] || list.complex[rhs];
    plan.steps.push_back({lhs, rhs, result, complex ? plan.type : real_type(plan.type)});
    list.replace(lhs, rhs, result);
  }
  if (!plan.steps.empty()) {  // the last one writes the result itself
    plan.steps.back().result = plan.output;
    plan.steps.back().type = plan.type;
  }
  return plan;
}

bool EinsumPlan::is_empty() const {
  return std::ranges::any_of(operands, [&](const Labelled& operand) {
    return std::ranges::any_of(operand.labels, [&](Label label) {
      return operand.size(label) == 0 && contains(output, label);
    });
  });
}

Error error_of_step(const Error& error, const EinsumPlan& plan, std::size_t step) {
  if (step == 0) return error;
  return Error(std::string(error.what()) + " (in product " + std::to_string(step + 1) + " of " +
               std::to_string(plan.steps.size()) + " of this einsum, where the results of earlier ones are " +
               std::string(to_string(plan.steps[step - 1].type)) +
               "; preferred_element_type chooses another type)");
}

Resolution resolution_of_sum(ElementType operand) {
  const ElementType ones = type_of_ones(operand);
  if (!reached_by_defaults(operand, ones)) return resolve({}, operand, ones);
  return {DotAlgorithm::kF32_F32_F32, Source::kOperands, {}, {}};
}

Labelled ones_for(const Labelled& operand, const Labels& result, const void* one) {
  Labels labels;
  Dims shape, strides;
  for (const Label label : operand.labels) {
    if (contains(result, label)) continue;
    labels.push_back(label);
    shape.push_back(operand.size(label));
    strides.push_back(0);
  }
  return {labels, TensorView(one, type_of_ones(operand.view.type()), shape, strides)};
}

}  // namespace matprec::contraction
