#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "src/gemm/ceil_div.h"
#include "src/gemm/complex_gemm.h"
#include "src/gemm/gemm.h"
#include "src/gemm/pack.h"
#include "src/gemm/small_gemm.h"
#include "src/gemm/sum_type.h"
#include "src/gemm/tile_set.h"
#include "src/gemm/vector_gemm.h"
#include "src/runtime/float_environment.h"

namespace matprec::gemm {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
// One packed block of B: stays in the last-level cache of a server's core share.
constexpr std::int64_t kPackedColumnsBytes = 4 * kMiB;
// Columns of B in place that stay in the first-level cache, or nearly.
constexpr std::int64_t kNearBytes = 64 * 1024;
// Up to so many rows the time goes into fetching B: then it is packed a chunk of steps at a time, so that what was
// packed is still in the second-level cache when it is read. With 8 and 32 rows that took 0.65 to 0.7 of the time
// of longer blocks and of columns in place, with 128 rows longer blocks took 0.8 of its time (AVX3).
constexpr std::int64_t kFewRows = 84;
// Pending block values of long sums.
constexpr std::int64_t kPendingBytes = 4 * kMiB;
// Fused multiply-adds below which a second thread costs more than it brings: waking one takes some 10 us,
// in which a core does about this many.
constexpr double kWorkPerThread = 5e5;

// The packed block of A takes half of the second-level cache; the other half is for what streams past it.
std::int64_t packed_rows_bytes() {
  static const std::int64_t bytes = [] {
    const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return std::clamp<std::int64_t>(l2 > 0 ? l2 / 2 : kMiB / 2, kMiB / 8, 2 * kMiB);
  }();
  return bytes;
}

// Whether an operand can be read where it lies: nothing is rounded, and runs of steps (A) or of columns (B)
// have stride 1. Elements may be anywhere, but vectors of them are not read from between two.
bool can_stay(const GemmProblem& problem, const Source& source, const Axis& along) {
  const kernels::Forms forms = forms_of(problem.algorithm, false);
  const bool as_it_is = with_sum_type(problem.algorithm, [&](auto zero) {
    return source.type == type_of(zero) &&
           (source.type != ElementType::kF32 || forms.width == PrecisionType::kF32);
  });
  const bool aligned = reinterpret_cast<std::uintptr_t>(source.data) % size_of(source.type) == 0;
  return forms.fmas == 1 && as_it_is && aligned && source.outer.uniform() && source.inner.uniform() &&
         along.stride() == 1;
}

// Rows as far apart as this compete for the same lines of the first-level cache.
bool rows_collide(std::int64_t stride, std::int64_t rows, std::int64_t item) {
  // Strides of any value occur where nothing is read.
  return rows > 4 && static_cast<std::uint64_t>(stride) * static_cast<std::uint64_t>(item) % 2048 == 0;
}

// Which operands are read where they lie. Packing costs a way through memory and pays by straight lines that
// are read again and again: rows lie in lines already, columns do not, unless all of B is near anyway.
void read_in_place(const GemmProblem& problem, GemmPlan* plan) {
  const Source& a = plan->swapped ? problem.rhs : problem.lhs;
  const Source& b = plan->swapped ? problem.lhs : problem.rhs;
  const std::int64_t m = plan->swapped ? problem.n : problem.m;
  const std::int64_t n = plan->swapped ? problem.m : problem.n;
  const std::int64_t item = static_cast<std::int64_t>(size_of(b.type));
  // What is read once is not worth packing: in place took half the time on 4096 x 16 x 4096.
  plan->a_in_place =
      can_stay(problem, a, a.inner) && (n <= plan->tile_columns || !rows_collide(a.outer.stride(), m, item));
  const bool fits = with_sum_type(problem.algorithm, [&](auto zero) {
    const auto& tiles = tile_set<decltype(zero)>(*plan->kernels, problem.algorithm);
    return tiles.strided[0] != nullptr && (n >= plan->tile_columns || narrow_in_place(*plan->kernels, tiles));
  });
  if (!fits || !can_stay(problem, b, b.outer)) return;
  const bool near = static_cast<double>(problem.k) * static_cast<double>(n) * static_cast<double>(item) <=
                        static_cast<double>(kNearBytes) &&
                    !rows_collide(b.inner.stride(), problem.k, item);
  // Lines no longer than a tile is wide lie one behind the other, as if they were packed.
  plan->b_in_place = near || (b.inner.stride() <= plan->tile_columns && b.inner.stride() >= -plan->tile_columns);
}

std::int64_t round_down(std::int64_t value, std::int64_t multiple) {
  return std::max(value / multiple, std::int64_t{1}) * multiple;
}

}  // namespace

int pending_levels(std::int64_t blocks) {
  int levels = 0;
  while ((std::int64_t{1} << levels) < blocks) ++levels;
  return levels;
}

GemmPlan plan(const GemmProblem& problem, const kernels::KernelTable& kernels, int threads) {
  const ScopedFloatEnvironment environment;  // the caller's may trap
  const AlgorithmInfo& row = info(problem.algorithm);
  const bool is_double = row.accumulation == PrecisionType::kF64;
  const std::int64_t item = (is_double ? 8 : 4) * row.fmas;

  GemmPlan plan;
  plan.kernels = &kernels;
  plan.real_products = real_products(problem);
  const std::optional<SmallProduct> small = small_product(problem);
  if (small && is_small(*small, threads) && !is_rather_vector(problem, kernels)) {
    plan.path = GemmPlan::Path::kAtOnce;
  } else if (is_vector_product(problem)) {
    plan.path = GemmPlan::Path::kVector;
  }
  plan.tile_rows = with_sum_type(problem.algorithm, [&](auto zero) {
    return tile_set<decltype(zero)>(kernels, problem.algorithm).rows[0];
  });
  plan.tile_columns = is_double ? kernels.tile_columns_f64 : kernels.tile_columns_f32;

  // Vectors run along the unit stride of the result, or, where one side is thinner than half a tile,
  // along the other one. Lists of FMAs are symmetric, so swapping the operands changes no bit.
  const auto unit = [](const Axis& axis) { return axis.uniform() && axis.stride() == 1; };
  // Narrow tiles lose less by columns that fill no vector than it takes to turn over rows that lie in lines.
  const bool narrow = with_sum_type(problem.algorithm, [&](auto zero) {
    return tile_set<decltype(zero)>(kernels, problem.algorithm).narrow[1] != nullptr;
  });
  const bool thin_columns = problem.n <= plan.tile_columns / 2 && problem.m > problem.n &&
                            !(narrow && unit(problem.lhs.inner) && !unit(problem.lhs.outer));
  const bool thin_rows = problem.m <= plan.tile_columns / 2 && problem.n > problem.m;
  // Of few rows by columns that lie along the steps, the columns become rows, which can stay in lines; to turn them
  // over would take longer than the product.
  const bool far = static_cast<double>(problem.n) * static_cast<double>(problem.k) * static_cast<double>(item) > 2e6;
  const bool few_by_lines = problem.m <= (far ? plan.tile_columns : plan.tile_columns / 2) && unit(problem.rhs.inner) &&
                            !unit(problem.rhs.outer) && !is_complex(problem.out_type);
  plan.swapped = few_by_lines ||
                 (!thin_rows && (thin_columns || (!unit(problem.out_columns) && unit(problem.out_rows))));
  const std::int64_t m = plan.swapped ? problem.n : problem.m;
  const std::int64_t n = plan.swapped ? problem.m : problem.n;
  const std::int64_t k = problem.k;

  // One part a step: 8 chunks; more parts or wider ones: the same bytes.
  plan.block_steps = kernels::kMaxBlockChunks * kernels::kChunkSteps;
  read_in_place(problem, &plan);
  const bool few_rows = m <= kFewRows && !plan.b_in_place;
  if (few_rows) plan.block_steps = kernels::kChunkSteps;
  while (plan.block_steps * item > 4 * 1024 && plan.block_steps > 2 * kernels::kChunkSteps) {
    plan.block_steps /= 2;
  }
  const std::int64_t steps =
      std::max(ceil_div(std::min(k, plan.block_steps), kernels::kChunkSteps), std::int64_t{1}) *
      kernels::kChunkSteps;
  plan.block_rows = round_down(packed_rows_bytes() / (steps * item), plan.tile_rows);
  plan.block_columns =
      round_down((few_rows ? packed_rows_bytes() : kPackedColumnsBytes) / (steps * item), plan.tile_columns);
  plan.super_rows = std::max<std::int64_t>(m, 1);
  const std::int64_t blocks = ceil_div(k, plan.block_steps);
  if (blocks > 1) {
    plan.block_columns = std::min<std::int64_t>(plan.block_columns, 1024);
    const std::int64_t levels = pending_levels(blocks);
    // At least one panel: an empty result has none, but is planned all the same.
    const std::int64_t panels =
        std::max<std::int64_t>(ceil_div(std::min(n, plan.block_columns), plan.tile_columns), 1);
    const std::int64_t columns = std::min(panels * plan.tile_columns, plan.block_columns);
    plan.super_rows =
        round_down(kPendingBytes / (levels * columns * (is_double ? 8 : 4)), plan.block_rows);
  }

  const double work = static_cast<double>(problem.batch) * static_cast<double>(m) *
                      static_cast<double>(n) * static_cast<double>(k) * row.fmas *
                      plan.real_products;
  plan.threads = static_cast<int>(std::clamp(work / kWorkPerThread, 1.0, static_cast<double>(threads)));
  if (plan.threads > 1 && problem.batch < 4 * plan.threads) {
    // Cut the longer side, so that the operand packed by every task is the smaller one.
    const std::int64_t wanted = problem.batch % plan.threads == 0 ? 1 : plan.threads;
    const std::int64_t row_panels = ceil_div(m, plan.tile_rows);
    const std::int64_t column_panels = ceil_div(n, plan.tile_columns);
    if (plan.path == GemmPlan::Path::kVector) {
      plan.column_parts = static_cast<int>(std::clamp<std::int64_t>(std::max(m, n) / 64, 1, wanted));
    } else if (m > n) {
      plan.row_parts = static_cast<int>(std::min(wanted, row_panels));
    } else {
      plan.column_parts = static_cast<int>(std::min(wanted, column_panels));
    }
  }
  const std::int64_t tasks = problem.batch * plan.row_parts * plan.column_parts;
  plan.threads = static_cast<int>(std::clamp<std::int64_t>(tasks, 1, plan.threads));
  return plan;
}

std::string to_string(const GemmPlan& plan) {
  if (plan.path == GemmPlan::Path::kAtOnce) {
    return "at once, tiles " + std::to_string(plan.tile_rows) + "x" + std::to_string(plan.tile_columns);
  }
  if (plan.path == GemmPlan::Path::kVector) return "a vector times a matrix, line by line";
  const std::string parts =
      plan.real_products == 1 ? "" : std::to_string(plan.real_products) + " real products, ";
  const std::string way = plan.a_in_place && plan.b_in_place ? "in place"
                          : plan.a_in_place                  ? "rows in place, columns packed"
                          : plan.b_in_place                  ? "rows packed, columns in place"
                                                             : "packed";
  return parts + way + (plan.swapped ? ", operands swapped" : "") + ", tiles " +
         std::to_string(plan.tile_rows) + "x" + std::to_string(plan.tile_columns) + ", blocks " +
         std::to_string(plan.block_rows) + "x" + std::to_string(plan.block_columns) + "x" +
         std::to_string(plan.block_steps) + " (rows x columns x steps)";
}

}  // namespace matprec::gemm
