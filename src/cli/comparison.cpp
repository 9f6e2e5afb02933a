#include "src/cli/comparison.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "matprec/dot_general.h"
#include "src/cli/comparison_reference.h"
#include "src/cli/error_by_row.h"
#include "src/cli/progress.h"
#include "src/cli/result_hash.h"

namespace matprec::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLeastRounds = 3;
constexpr int kMostRounds = 100;
constexpr double kRowBudget = 0.5;  // seconds

double seconds_of(const ComparisonProblem& problem, DotAlgorithm algorithm) {
  const Clock::time_point begin = Clock::now();
  const Tensor result = problem.run(algorithm);
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// Pairs keep a drifting clock frequency or a busy neighbour out of the ratio.
template <class Report>
void measure_time(const ComparisonProblem& problem, int wanted_rounds, ComparisonRow& row,
                  const Report& report) {
  std::vector<double> times, ratios;
  double spent = 0;
  const auto enough = [&] {
    const int rounds = static_cast<int>(times.size());
    if (wanted_rounds > 0) return rounds >= wanted_rounds;
    return rounds >= kMostRounds || (rounds >= kLeastRounds && spent >= kRowBudget);
  };
  const bool is_fp32 = row.algorithm == DotAlgorithm::kF32_F32_F32;
  while (!enough()) {
    report(", timing round " + std::to_string(times.size() + 1));
    const double fp32 = is_fp32 ? 0 : seconds_of(problem, DotAlgorithm::kF32_F32_F32);
    const double own = seconds_of(problem, row.algorithm);
    times.push_back(own);
    ratios.push_back(is_fp32 ? 1 : own / std::max(fp32, 1e-9));
    spent += fp32 + own;
  }
  row.rounds = static_cast<int>(times.size());
  row.milliseconds = median(times) * 1e3;
  row.ratio_to_fp32 = median(ratios);
}

double fingerprint_of(DotAlgorithm algorithm) {
  const float one = 1, marked = 1 + 0x1p-9f + 0x1p-17f + 0x1p-23f;
  const Tensor product =
      matmul(TensorView(&one, {1, 1}), TensorView(&marked, {1, 1}), {.precision = algorithm});
  return static_cast<double>(product.data<float>()[0]);
}

void mark_same_bits(std::vector<ComparisonRow>& rows) {
  const auto is_fp32 = [](const ComparisonRow& row) {
    return row.algorithm == DotAlgorithm::kF32_F32_F32;
  };
  const auto fp32 = std::ranges::find_if(rows, is_fp32);
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    if (is_fp32(*row)) continue;
    const auto twin = fp32 != rows.end() && fp32->hash == row->hash
                          ? fp32
                          : std::find_if(rows.begin(), row, [&](const ComparisonRow& earlier) {
                              return earlier.hash == row->hash;
                            });
    if (twin != row) row->same_bits_as = std::string(info(twin->algorithm).short_name);
  }
}

}  // namespace

bool cheaper(const AlgorithmInfo& a, const AlgorithmInfo& b) {
  // Rows of one rank give the same bits; fewer parts are then the plainer name.
  return std::tuple(a.fmas, a.rank, a.parts) < std::tuple(b.fmas, b.rank, b.parts);
}

const ComparisonRow* Comparison::cheapest() const {
  const ComparisonRow* best = nullptr;
  for (const ComparisonRow& row : rows) {
    if (!row.passes) continue;
    if (best == nullptr || cheaper(info(row.algorithm), info(best->algorithm))) best = &row;
  }
  return best;
}

Comparison compare(const ComparisonProblem& problem, const ComparisonSettings& settings) {
  ComparisonReference reference = reference_of(problem);
  Comparison comparison{.title = problem.title(),
                        .reference = reference.name,
                        .kind = problem.kind(),
                        .result_shape = reference.value.shape(),
                        .result_type = problem.out_type(),
                        .timed = settings.timed,
                        .rows = {}};
  Progress progress("compare");
  if (settings.timed) {
    problem.run(DotAlgorithm::kF32_F32_F32);  // its first run pays for threads and memory, untimed
  }
  for (const DotAlgorithm algorithm : settings.algorithms) {
    const auto report = [&](const std::string& what) {
      progress.report(static_cast<std::int64_t>(comparison.rows.size()),
                      static_cast<std::int64_t>(settings.algorithms.size()),
                      "algorithms, now " + std::string(info(algorithm).short_name) + what);
    };
    report("");
    ComparisonRow row{};
    row.algorithm = algorithm;
    const Tensor result = problem.run(algorithm);  // also the warm-up of what is timed next
    row.error = summarize_error(result, reference.value, reference.magnitude);
    row.error_by_row = error_by_row(result, reference.value);
    row.hash = result_hash(result);
    row.fingerprint = fingerprint_of(algorithm);
    row.passes = settings.tolerance && row.error.relative_error <= *settings.tolerance;
    if (settings.timed) measure_time(problem, settings.rounds, row, report);
    comparison.rows.push_back(std::move(row));
  }
  mark_same_bits(comparison.rows);
  return comparison;
}

}  // namespace matprec::cli
