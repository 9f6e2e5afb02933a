#include "matprec/einsum.h"

#include <utility>
#include <vector>

#include "matprec/convert.h"
#include "src/dot/dot_shape.h"
#include "src/dot/einsum_plan.h"
#include "src/dot/strided_copy.h"

namespace matprec {
namespace contraction {
namespace {

struct Operand {
  Labelled labelled;
  std::optional<Tensor> owner;  // of a result on the way
};

Tensor transposed_copy(const Labelled& operand, const EinsumPlan& plan) {
  Dims shape, strides;
  for (const Label label : plan.output) {
    shape.push_back(operand.size(label));
    strides.push_back(operand.view.strides()[operand.dimension(label)]);
  }
  const TensorView view(operand.view.data(), operand.view.type(), shape, strides);
  return plan.type == view.type() ? row_major_copy(view) : convert(view, plan.type);
}

class Run {
 public:
  Run(const DotOptions& options, SourceLocation where) : options_(options), where_(where) {}

  Operand operator()(const EinsumStep& step, Operand& lhs, Operand* rhs) {
    if (rhs != nullptr) return multiply(step, lhs.labelled, rhs->labelled, nullptr);
    const ElementType type = lhs.labelled.view.type();
    const Tensor one = convert(Tensor::of<float>({}, {1.0f}), type_of_ones(type));
    const Resolution resolution = resolution_of_sum(type);
    return multiply(step, lhs.labelled, ones_for(lhs.labelled, step.result, one.data()),
                    &resolution);
  }

 private:
  Operand multiply(const EinsumStep& step, const Labelled& lhs, const Labelled& rhs,
                   const Resolution* decided) {
    const LabelledProduct p = lower_labelled(lhs, rhs, step.result);
    options_.preferred_element_type = step.type;
    Tensor result = product({"einsum", lhs.view, rhs.view, options_, where_, decided}, p.lhs, p.rhs,
                            p.numbers, &p.layout);
    const TensorView view = result;
    return {{step.result, view}, std::move(result)};
  }

  DotOptions options_;
  SourceLocation where_;
};

}  // namespace
}  // namespace contraction

Tensor einsum(std::string_view equation, std::span<const TensorView> operands,
              const DotOptions& options, SourceLocation where) {
  const contraction::EinsumPlan plan =
      contraction::plan_einsum(equation, operands, options.preferred_element_type);
  std::vector<contraction::Operand> list;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!plan.is_empty()) {
      contraction::check_address("einsum", "operand " + std::to_string(i), operands[i]);
    }
    list.push_back({plan.operands[i], std::nullopt});
  }
  if (plan.steps.empty()) return contraction::transposed_copy(plan.operands.front(), plan);
  return *contraction::walk(plan, std::move(list), contraction::Run(options, where)).owner;
}

}  // namespace matprec
