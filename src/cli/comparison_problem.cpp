#include "src/cli/comparison_problem.h"

#include <utility>

#include "matprec/dot_general.h"
#include "matprec/explain.h"
#include "src/cli/pairwise_distance.h"
#include "src/io/file_error.h"

namespace matprec::cli {

ComparisonProblem::ComparisonProblem(ProblemKind kind, Operand lhs, Operand rhs, std::string title)
    : kind_(kind),
      lhs_(std::move(lhs)),
      rhs_(std::move(rhs)),
      title_(std::move(title)),
      out_type_(lhs_.view.type() == ElementType::kF64 || rhs_.view.type() == ElementType::kF64
                    ? ElementType::kF64
                    : ElementType::kF32) {
  explain(lhs_.view, rhs_.view);  // throws the library's own error if the shapes do not fit
}

ComparisonProblem ComparisonProblem::product(Operand lhs, Operand rhs, bool transpose_rhs) {
  std::string title = described(lhs) + " times " + (transpose_rhs ? "the transpose of " : "") +
                      described(rhs);
  if (transpose_rhs) rhs.view = transposed(rhs);
  return ComparisonProblem(ProblemKind::kProduct, std::move(lhs), std::move(rhs), std::move(title));
}

ComparisonProblem ComparisonProblem::gram(Operand operand) {
  Operand other = operand;
  other.view = transposed(operand);
  std::string title = described(operand) + " times its own transpose";
  return ComparisonProblem(ProblemKind::kGram, std::move(operand), std::move(other),
                           std::move(title));
}

ComparisonProblem ComparisonProblem::distance(Operand operand) {
  if (operand.view.rank() != 2) {
    throw io::FileError(operand.name, "has shape " + to_string(operand.view.shape()) +
                                          "; --distance needs a matrix with a point in each row");
  }
  Operand other = operand;
  other.view = transposed(operand);
  std::string title = "squared distances |x|^2 + |y|^2 - 2 x.y of the rows of " + described(operand);
  return ComparisonProblem(ProblemKind::kDistance, std::move(operand), std::move(other),
                           std::move(title));
}

Tensor ComparisonProblem::run(DotAlgorithm algorithm) const {
  if (kind_ == ProblemKind::kDistance) return pairwise_distance(lhs(), algorithm).sqdist;
  return matmul(lhs(), rhs(), {.precision = algorithm, .preferred_element_type = out_type_});
}

}  // namespace matprec::cli
