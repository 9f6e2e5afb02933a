// One product under several algorithms: the rows of `matprec compare`, as numbers.
#ifndef MATPREC_SRC_CLI_COMPARISON_H_
#define MATPREC_SRC_CLI_COMPARISON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matprec/dot_algorithm.h"
#include "src/cli/comparison_problem.h"
#include "src/cli/error_summary.h"

namespace matprec::cli {

struct ComparisonRow {
  DotAlgorithm algorithm;
  ErrorSummary error;
  std::vector<double> error_by_row;  // error_by_row.h
  double milliseconds;               // median
  double ratio_to_fp32;  // median of the ratios of rounds that timed fp32 and this row back to back
  int rounds;            // 0: not timed, the two numbers above mean nothing
  double fingerprint;  // 1 * (1 + 2^-9 + 2^-17 + 2^-23) under this algorithm: tells what really ran
  std::uint64_t hash;
  std::string same_bits_as;  // the short name of an earlier row, fp32 first; "" if there is none
  bool passes = false;       // the tolerance, if one is given
};

struct Comparison {
  std::string title, reference;
  ProblemKind kind;
  Dims result_shape;
  ElementType result_type;
  bool timed = true;
  std::vector<ComparisonRow> rows;
  // With a tolerance: of the rows that pass, the one of fewest FMAs, then lowest rank.
  const ComparisonRow* cheapest() const;
};

struct ComparisonSettings {
  std::vector<DotAlgorithm> algorithms;
  std::optional<double> tolerance;
  bool timed = true;
  int rounds = 0;  // 0: as many as fit into half a second a row, three at least
};

Comparison compare(const ComparisonProblem& problem, const ComparisonSettings& settings);

// The rule of Comparison::cheapest() for two rows of the table.
bool cheaper(const AlgorithmInfo& a, const AlgorithmInfo& b);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_COMPARISON_H_
