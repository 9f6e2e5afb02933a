// What `matprec compare` multiplies: one product of real data that can be run under any algorithm.
#ifndef MATPREC_SRC_CLI_COMPARISON_PROBLEM_H_
#define MATPREC_SRC_CLI_COMPARISON_PROBLEM_H_

#include <cstdint>
#include <string>

#include "matprec/dot_algorithm.h"
#include "matprec/tensor.h"
#include "src/cli/operand.h"

namespace matprec::cli {

enum class ProblemKind { kProduct, kGram, kDistance };

class ComparisonProblem {
 public:
  // A * B, NumPy's matmul; with transpose_rhs A * B^T, the last two dimensions of B exchanged.
  static ComparisonProblem product(Operand lhs, Operand rhs, bool transpose_rhs = false);
  // A * A^T.
  static ComparisonProblem gram(Operand operand);
  // The squared distances of A's rows.
  static ComparisonProblem distance(Operand operand);

  ProblemKind kind() const { return kind_; }
  const TensorView& lhs() const { return lhs_.view; }
  const TensorView& rhs() const { return rhs_.view; }
  // "a.npy (3, 4) float32 times the transpose of b.npy (5, 4) float32"
  const std::string& title() const { return title_; }
  // float64 if an operand is, else float32, also for narrow operands: their sums are what is
  // judged.
  ElementType out_type() const { return out_type_; }

  Tensor run(DotAlgorithm algorithm) const;

 private:
  ComparisonProblem(ProblemKind kind, Operand lhs, Operand rhs, std::string title);

  ProblemKind kind_;
  Operand lhs_, rhs_;
  std::string title_;
  ElementType out_type_;
};

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_COMPARISON_PROBLEM_H_
