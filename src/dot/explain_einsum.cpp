#include <string>
#include <utility>
#include <vector>

#include "matprec/einsum.h"
#include "src/dot/describe.h"
#include "src/dot/einsum_plan.h"

namespace matprec {
namespace contraction {
namespace {

// Letters for all labels: a letter for itself, for a dimension of the ellipses one that the
// equation does not use, so that the equation of a step is one that einsum understands.
class Letters {
 public:
  explicit Letters(std::string_view equation) {
    for (const char c : std::string_view(kAll)) {
      if (equation.find(c) == equation.npos) unused_ += c;
    }
  }
  std::string operator()(const Labels& labels) const {
    std::string text;
    for (const Label label : labels) {
      const std::size_t i = static_cast<std::size_t>(-label - 1);
      text += !is_batch(label) ? static_cast<char>(label) : i < unused_.size() ? unused_[i] : '?';
    }
    return text;
  }

 private:
  static constexpr char kAll[] = "ZYXWVUTSRQPONMLKJIHGFEDCBAzyxwvutsrqponmlkjihgfedcba";
  std::string unused_;
};

EinsumStepExplanation describe_step(const EinsumStep& step, const Labelled& lhs,
                                    const Labelled& rhs, const Resolution& resolution,
                                    const Letters& letters) {
  const LabelledProduct p = lower_labelled(lhs, rhs, step.result);
  std::string equation = letters(lhs.labels);
  if (step.rhs) equation.append(",").append(letters(rhs.labels));
  equation.append("->").append(letters(step.result));
  EinsumStepExplanation s{step.lhs,
                          step.rhs,
                          equation,
                          lhs.view.shape(),
                          rhs.view.shape(),
                          p.layout.shape,
                          0,
                          describe(resolution, p.lhs, p.rhs, step.type, p.numbers, "einsum")};
  const ProductShape& shape = s.product.shape;
  s.flops = 2.0 * static_cast<double>(shape.batch) * static_cast<double>(shape.m) *
            static_cast<double>(shape.n) * static_cast<double>(shape.k);
  return s;
}

}  // namespace
}  // namespace contraction

EinsumExplanation explain_einsum(std::string_view equation, std::span<const TensorView> operands,
                                 const DotOptions& options) {
  using contraction::Labelled;
  const contraction::EinsumPlan plan =
      contraction::plan_einsum(equation, operands, options.preferred_element_type);
  const contraction::Letters letters(equation);
  EinsumExplanation all{std::string(equation), plan.type, {}, {}, 0};
  const Labelled result = contraction::walk(
      plan, plan.operands,
      [&](const contraction::EinsumStep& step, const Labelled& lhs, const Labelled* rhs) {
        const ElementType type = lhs.view.type();
        all.steps.push_back(contraction::describe_step(
            step, lhs, rhs != nullptr ? *rhs : contraction::ones_for(lhs, step.result, nullptr),
            rhs != nullptr ? resolve(options.precision, type, rhs->view.type())
                           : contraction::resolution_of_sum(type),
            letters));
        all.flops += all.steps.back().flops;
        const Dims& shape = all.steps.back().out_shape;
        return Labelled{step.result, TensorView(nullptr, step.type, shape)};
      });
  for (const contraction::Label label : plan.output) all.shape.push_back(result.size(label));
  return all;
}

}  // namespace matprec
