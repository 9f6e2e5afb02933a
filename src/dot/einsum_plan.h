// What einsum will do: operands with one label a dimension, and the products in their order.
//
// Knows shapes and types; reads no element and asks nobody for a precision. The order of
// contractions and of labels is docs/front_ends.md, and part of the result's bits.
#ifndef MATPREC_SRC_DOT_EINSUM_PLAN_H_
#define MATPREC_SRC_DOT_EINSUM_PLAN_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matprec/dot_general.h"
#include "src/dot/einsum_equation.h"
#include "src/dot/labelled.h"

namespace matprec::contraction {

// One product. Positions count in the list of what is there before it. A sum stays where it was;
// the result of two operands goes to the end of the list.
struct EinsumStep {
  std::size_t lhs;
  // Nothing: lhs is summed over what `result` lacks, by a dot with ones.
  std::optional<std::size_t> rhs;
  Labels result;
  ElementType type;  // of the result
};

struct EinsumPlan {
  std::vector<Labelled> operands;  // diagonals taken, dimensions of ellipses broadcast
  Labels output;
  ElementType type;               // of the result
  std::vector<EinsumStep> steps;  // none: the result is the one operand, transposed

  // Of the result; nothing is read then.
  bool is_empty() const;
};

// Errors: those of parse_equation; counts or ranks that differ from the operands'; sizes of a
// letter that disagree; dimensions of ellipses that do not broadcast; operand types that have no
// product.
EinsumPlan plan_einsum(std::string_view equation, std::span<const TensorView> operands,
                       std::optional<ElementType> preferred_element_type);

// The algorithm of a step that sums: that of the operand's type, whatever scopes and defaults say.
Resolution resolution_of_sum(ElementType operand);

// A one for each element of these dimensions, for the dot that sums over them. `one` may be null
// where no element is read.
Labelled ones_for(const Labelled& operand, const Labels& result, const void* one);

// The type of the ones that operands of this type are summed with.
constexpr ElementType type_of_ones(ElementType operand) { return real_type(operand); }

// The error of a step; of a later one of several with what the operands cannot show: the type that
// results on the way have.
Error error_of_step(const Error& error, const EinsumPlan& plan, std::size_t step);

// The steps one after another: step(const EinsumStep&, Operand& lhs, Operand* rhs) returns the
// result, rhs being null for a sum. Operand holds a Labelled as `labelled`. Returns what is left.
template <class Operand, class Step>
Operand walk(const EinsumPlan& plan, std::vector<Operand> operands, Step step) {
  const auto taken = [&](std::size_t i) {
    const EinsumStep& next = plan.steps[i];
    try {
      return step(next, operands[next.lhs], next.rhs ? &operands[*next.rhs] : nullptr);
    } catch (const Error& error) {
      throw error_of_step(error, plan, i);
    }
  };
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const EinsumStep& next = plan.steps[i];
    Operand result = taken(i);
    if (!next.rhs) {
      operands[next.lhs] = std::move(result);
      continue;
    }
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(*next.rhs));
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(next.lhs));
    operands.push_back(std::move(result));
  }
  return std::move(operands.front());
}

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_EINSUM_PLAN_H_
