#include "src/gemm/step_parts.h"

#include <algorithm>
#include <type_traits>

#include "src/gemm/ceil_div.h"
#include "src/gemm/epilogue.h"
#include "src/gemm/one_product.h"
#include "src/gemm/spread.h"
#include "src/gemm/sum_type.h"
#include "src/gemm/typed_kernels.h"
#include "src/gemm/work.h"
#include "src/gemm/workspace.h"
#include "src/kernels/kernel_table.h"

namespace matprec::gemm {
namespace {

using kernels::KernelTable;

// The sums of all parts together.
constexpr std::int64_t kSumsBytes = std::int64_t{2} << 20;

template <class T>
void compute_parts(const GemmProblem& problem, const GemmPlan& plan, T* sums) {
  spread(plan.step_parts, plan.threads, [&](std::int64_t i) {
    GemmProblem part = problem;
    const std::int64_t first = i * plan.part_steps;
    part.k = std::min(plan.part_steps, problem.k - first);
    part.lhs.inner = problem.lhs.inner.slice(first, part.k);
    part.rhs.inner = problem.rhs.inner.slice(first, part.k);
    part.out = sums + i * problem.m * problem.n;
    part.out_type = type_of(T{});
    part.out_batch = {};
    part.out_rows = {problem.m, problem.n};
    part.out_columns = {problem.n, 1};
    part.alpha = 1, part.beta = 0;
    part.c.reset(), part.bias.reset();
    gemm(part, gemm::plan(part, *plan.kernels, 1));
  });
}

// The binary counter of MP-ACC-1 over parts of `size` sums each. Returns where the total is.
template <class T>
T* join_parts(const KernelTable& kernels, T* sums, std::int64_t parts, std::int64_t size) {
  T* pending[kernels::kMaxOlder];
  T* part = sums;
  for (std::int64_t i = 0;; ++i, part += size) {
    const bool last = i + 1 == parts;
    int level = 0;
    for (std::int64_t carry = i; carry != 0; carry >>= 1, ++level) {
      if ((carry & 1) != 0) {
        epilogue(kernels, {part, size, false, T{1}, nullptr, T{0}, pending[level]});
      } else if (!last) {
        break;
      }
    }
    if (last) return part;
    pending[level] = part;
  }
}

}  // namespace

std::int64_t steps_of_a_part(const GemmProblem& problem, int threads) {
  const AlgorithmInfo& row = info(problem.algorithm);
  // Sums that are rounded, and integers, are not joined by kernels of their own.
  const bool joins = row.accumulation == PrecisionType::kF32 || row.accumulation == PrecisionType::kF64;
  if (threads < 2 || problem.batch != 1 || is_complex(problem.out_type) || !joins) return 0;
  const double outputs = static_cast<double>(problem.m) * static_cast<double>(problem.n);
  const double item = row.accumulation == PrecisionType::kF64 ? 8 : 4;
  std::int64_t steps = kernels::kChunkSteps;
  const auto too_short = [&] {
    const double parts = static_cast<double>(ceil_div(problem.k, steps));
    return parts > 8.0 * threads || parts * outputs * item > static_cast<double>(kSumsBytes) ||
           outputs * static_cast<double>(steps) * row.fmas < kWorkPerThread / 4;
  };
  while (steps < problem.k && too_short()) steps = steps > problem.k / 2 ? problem.k : steps * 2;
  return steps < problem.k ? steps : 0;
}

void run_step_parts(const GemmProblem& problem, const GemmPlan& plan) {
  with_sum_type(problem.algorithm, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      const std::int64_t size = problem.m * problem.n;
      T* const sums = static_cast<T*>(Workspace::of_this_thread().get(
          Workspace::kStepParts, static_cast<std::size_t>(plan.step_parts * size) * sizeof(T)));
      compute_parts(problem, plan, sums);
      const ScopedFloatEnvironment environment;
      T* const total = join_parts(*plan.kernels, sums, plan.step_parts, size);
      const Target target = target_at(problem, 0, false);
      constexpr std::int64_t kRun = 32;  // as finish_tile() takes them
      for (std::int64_t i = 0; i < problem.m; ++i) {
        for (std::int64_t j = 0; j < problem.n; j += kRun) {
          finish_tile(target, *plan.kernels, total + i * problem.n + j, problem.n, i, 1, j,
                      std::min(kRun, problem.n - j));
        }
      }
    }
  });
}

}  // namespace matprec::gemm
