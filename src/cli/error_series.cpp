#include "src/cli/error_series.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "matprec/error.h"
#include "src/cli/comparison_problem.h"
#include "src/cli/comparison_reference.h"
#include "src/cli/error_summary.h"
#include "src/cli/nearest.h"
#include "src/cli/normal_matrix.h"
#include "src/cli/number_text.h"
#include "src/cli/progress.h"
#include "src/cli/result_hash.h"

namespace matprec::cli {
namespace {

constexpr std::int64_t kSize = 64;           // rows and columns of the results
constexpr std::int64_t kScaledLength = 256;  // of the sums of "scale"
constexpr std::uint64_t kLhsSeed = 1, kRhsSeed = 2;

// Exact but where it leaves float32's range.
Tensor scaled(Tensor matrix, int exponent) {
  float* values = matrix.data<float>();
  for (std::int64_t i = 0; i < matrix.size(); ++i) values[i] = std::ldexp(values[i], exponent);
  return matrix;
}

ComparisonProblem normal_product(std::int64_t k, int exponent) {
  return ComparisonProblem::product(
      operand_of("A", scaled(normal_matrix(kSize, k, kLhsSeed), exponent)),
      operand_of("B", scaled(normal_matrix(k, kSize, kRhsSeed), exponent)));
}

struct Kind {
  std::string name;
  ErrorSeries (*empty)();  // without rows
  ComparisonProblem (*problem)(int point);
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"k",
       [] {
         ErrorSeries series{.name = "k",
                            .title = "64 x K times K x 64, normal numbers",
                            .axis = "K",
                            .points = {},
                            .points_double = true,
                            .rows = {}};
         for (int k = 16; k <= 16384; k *= 2) series.points.push_back(k);
         return series;
       },
       [](int k) { return normal_product(k, 0); }},
      {"scale",
       [] {
         ErrorSeries series{.name = "scale",
                            .title = "64 x 256 times 256 x 64, normal numbers times 2^e",
                            .axis = "e",
                            .points = {},
                            .rows = {}};
         for (int e = -80; e <= 64; e += 4) series.points.push_back(e);
         return series;
       },
       [](int e) { return normal_product(kScaledLength, e); }}};
  return all;
}

const Kind& kind_named(const std::string& name) {
  std::vector<std::string> names;
  std::string known;
  for (const Kind& kind : kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
    known += (known.empty() ? "" : ", ") + kind.name;
  }
  throw Error("matprec compare: --series \"" + name + "\" is unknown; known: " + known +
              "; nearest: " + nearest(name, names));
}

}  // namespace

void require_series(const std::string& name) { kind_named(name); }

ErrorSeries error_series(const std::string& name, const std::vector<DotAlgorithm>& algorithms) {
  const Kind& kind = kind_named(name);
  ErrorSeries series = kind.empty();
  for (const DotAlgorithm algorithm : algorithms) {
    series.rows.push_back({.algorithm = algorithm, .errors = {}, .hashes = {}});
  }
  Progress progress("series " + name);
  std::int64_t done = 0;
  for (const int point : series.points) {
    progress.report(done++, static_cast<std::int64_t>(series.points.size()),
                    "points, now " + series.axis + " = " + std::to_string(point));
    const ComparisonProblem problem = kind.problem(point);
    const ComparisonReference reference = reference_of(problem);
    for (ErrorSeriesRow& row : series.rows) {
      const Tensor result = problem.run(row.algorithm);
      row.errors.push_back(
          summarize_error(result, reference.value, reference.magnitude).relative_error);
      row.hashes.push_back(result_hash(result));
    }
  }
  return series;
}

}  // namespace matprec::cli
