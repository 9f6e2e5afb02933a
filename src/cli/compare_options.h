// What a user can say to `matprec compare`.
#ifndef MATPREC_SRC_CLI_COMPARE_OPTIONS_H_
#define MATPREC_SRC_CLI_COMPARE_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "matprec/dot_algorithm.h"
#include "src/cli/command.h"
#include "src/cli/comparison_problem.h"

namespace matprec::cli {

struct CompareOptions {
  std::vector<std::string> files, gram, distance, series, algorithms;
  bool transpose_rhs = false, bf16 = false, json = false, reproducible = false;
  std::optional<double> tolerance;
  std::optional<std::string> plot;
  int threads = 0, rounds = 0;
};

// They point into `options`.
std::vector<Option> compare_options(CompareOptions& options);

// What no single option shows. Errors: nothing to multiply, a file without partner, a series beside
// matrices, a picture that could not be drawn or written in the end.
void check(const CompareOptions& options);

// Of --algorithms, without repetition; all if none is named. Errors: no name of an algorithm.
std::vector<DotAlgorithm> chosen_algorithms(const std::vector<std::string>& lists);

// Every file is read and every shape checked before the first product runs.
std::vector<ComparisonProblem> problems_of(const CompareOptions& options);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_COMPARE_OPTIONS_H_
