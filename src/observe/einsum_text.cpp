// The explanation of an einsum as text.
#include <cstdio>
#include <ostream>
#include <string>

#include "matprec/einsum.h"

namespace matprec {
namespace {

std::string flops_text(double flops) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g FLOP", flops);
  return text;
}

std::string operands_text(const EinsumStepExplanation& step) {
  if (!step.rhs) return "sum in " + std::to_string(step.lhs);
  return std::to_string(step.lhs) + " with " + std::to_string(*step.rhs);
}

std::string shapes_text(const EinsumStepExplanation& step) {
  std::string text = to_string(step.lhs_shape);
  if (step.rhs) text += " x " + to_string(step.rhs_shape);
  return text + " -> " + to_string(step.out_shape);
}

}  // namespace

std::string to_string(const EinsumExplanation& e) {
  std::string text = "einsum " + e.equation + " -> " + to_string(e.shape) + " " +
                     std::string(to_string(e.type)) + ", ";
  if (e.steps.empty()) return text + "a copy of the operand";
  text += std::to_string(e.steps.size()) + (e.steps.size() == 1 ? " step, " : " steps, ") +
          flops_text(e.flops);
  std::size_t number = 0;
  for (const EinsumStepExplanation& step : e.steps) {
    text += "\n  " + std::to_string(++number) + ". " + operands_text(step) + ": " + step.equation +
            ", " + shapes_text(step) + " " + std::string(to_string(step.product.out_type)) + ", " +
            flops_text(step.flops) + ", " + to_string(step.product.resolution);
  }
  return text;
}

std::ostream& operator<<(std::ostream& out, const EinsumExplanation& explanation) {
  return out << to_string(explanation);
}

}  // namespace matprec
