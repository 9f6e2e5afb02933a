#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "src/gemm/ceil_div.h"
#include "src/gemm/complex_gemm.h"
#include "src/gemm/gemm.h"
#include "src/gemm/one_product.h"
#include "src/gemm/pack.h"
#include "src/gemm/small_gemm.h"
#include "src/gemm/step_parts.h"
#include "src/gemm/sum_type.h"
#include "src/gemm/tile_set.h"
#include "src/gemm/vector_gemm.h"
#include "src/gemm/work.h"
#include "src/runtime/float_environment.h"
#include "src/runtime/memory_limit.h"

namespace matprec::gemm {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
// Of a thread's share of the memory limit: what pieces are gathered and tiles are listed in, and what rounds blocks up to tiles.
constexpr std::int64_t kSmallBuffersBytes = kMiB / 2;
// One packed block of B, and pending block values of long sums, at most: a block of B stays in the last-level
// cache of a server's core share.
constexpr std::int64_t kColumnsBytes = 4 * kMiB;
// Columns of B in place that stay in the first-level cache, or nearly.
constexpr std::int64_t kNearBytes = 64 * 1024;
// Up to so many rows the time goes into fetching B: then it is packed a chunk of steps at a time, so that what was
// packed is still in the second-level cache when it is read. With 8 and 32 rows that took 0.65 to 0.7 of the time
// of longer blocks and of columns in place, with 128 rows longer blocks took 0.8 of its time (AVX3).
constexpr std::int64_t kFewRows = 84;
// Rows whose pending values wait in the output: those of their edges wait in a buffer, of two KiB a tile.
constexpr std::int64_t kMostRows = 4096;

// The packed block of A takes half of the second-level cache; the other half is for what streams past it.
std::int64_t packed_rows_bytes() {
  static const std::int64_t bytes = [] {
    const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return std::clamp<std::int64_t>(l2 > 0 ? l2 / 2 : kMiB / 2, kMiB / 8, kMiB);
  }();
  return bytes;
}

// The packed block of B, or the pending block values, of one of so many threads.
std::int64_t columns_bytes(int threads) {
  const std::int64_t share = product_memory_limit(threads) / threads;
  return std::min(kColumnsBytes, (share - kSmallBuffersBytes - packed_rows_bytes()) / 2);
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
  return source.packed == nullptr && forms.fmas == 1 && as_it_is && aligned && source.outer.uniform() && source.inner.uniform() &&
         along.stride() == 1;
}

// How many of the lines that a tile reads side by side, `stride` elements apart, fall into one set of the first-level
// cache, whose sets repeat each 4 KiB.
int lines_in_a_set(std::int64_t stride, std::int64_t rows, std::int64_t item) {
  constexpr std::uint64_t kLine = 64, kSets = 64;
  int rows_of[kSets] = {}, most = 0;
  for (std::int64_t r = 0; r < std::min<std::int64_t>(rows, 14); ++r) {
    // Strides of any value occur where nothing is read.
    const std::uint64_t byte = static_cast<std::uint64_t>(r) * static_cast<std::uint64_t>(stride) *
                               static_cast<std::uint64_t>(item);
    most = std::max(most, ++rows_of[byte / kLine % kSets]);
  }
  return most;
}
// Rows are read along their lines: a set has eight ways, and 14 rows 2 KiB apart in place took 0.96 of the time of
// packed ones, 14 rows 4 KiB apart 1.15 of it. Of columns, steps follow one another through the sets: there half is
// enough to be slower.
constexpr int kMostRowsInASet = 8, kMostStepsInASet = 4;

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
      can_stay(problem, a, a.inner) && (n <= plan->tile_columns || lines_in_a_set(a.outer.stride(), m, item) <= kMostRowsInASet);
  const bool fits = with_sum_type(problem.algorithm, [&](auto zero) {
    const auto& tiles = tile_set<decltype(zero)>(*plan->kernels, problem.algorithm);
    return tiles.strided[0] != nullptr && (n >= plan->tile_columns || narrow_in_place(*plan->kernels, tiles));
  });
  if (!fits || !can_stay(problem, b, b.outer)) return;
  const bool near = static_cast<double>(problem.k) * static_cast<double>(n) * static_cast<double>(item) <=
                        static_cast<double>(kNearBytes) &&
                    lines_in_a_set(b.inner.stride(), problem.k, item) <= kMostStepsInASet;
  // Lines no longer than a tile is wide lie one behind the other, as if they were packed.
  plan->b_in_place = near || (b.inner.stride() <= plan->tile_columns && b.inner.stride() >= -plan->tile_columns);
}

// Cuts the outputs into `wanted` rectangles, or as many as there are tiles for. Rows are packed again for each part
// of the columns and columns for each part of the rows; what is read in place costs a part of it.
void cut(std::int64_t m, std::int64_t n, int wanted, GemmPlan* plan) {
  const std::int64_t row_panels = ceil_div(m, plan->tile_rows), column_panels = ceil_div(n, plan->tile_columns);
  const double a = static_cast<double>(m) * (plan->a_in_place ? 0.25 : 1);
  const double b = static_cast<double>(n) * (plan->b_in_place ? 0.25 : 1);
  for (; wanted > 1 && plan->row_parts * plan->column_parts == 1; --wanted) {
    double least = 0;
    for (int rows = 1; rows <= wanted; ++rows) {
      const int columns = wanted / rows;
      if (wanted % rows != 0 || rows > row_panels || columns > column_panels) continue;
      const double cost = columns * a + rows * b;
      if (least > 0 && cost >= least) continue;
      least = cost;
      plan->row_parts = rows, plan->column_parts = columns;
    }
  }
}

std::int64_t round_down(std::int64_t value, std::int64_t multiple) {
  return std::max(value / multiple, std::int64_t{1}) * multiple;
}

}  // namespace

bool stores_sums(const Target& target, ElementType sum) {
  return target.plain() && target.type == sum && target.rows->uniform() && target.columns->uniform() &&
         target.columns->stride() == 1;
}

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
  plan.prepacked = problem.lhs.packed != nullptr || problem.rhs.packed != nullptr;
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
  // What is packed already is the columns.
  if (plan.prepacked) plan.swapped = problem.lhs.packed != nullptr;
  const std::int64_t m = plan.swapped ? problem.n : problem.m;
  const std::int64_t n = plan.swapped ? problem.m : problem.n;
  const std::int64_t k = problem.k;

  read_in_place(problem, &plan);

  const double work = static_cast<double>(problem.batch) * static_cast<double>(m) *
                      static_cast<double>(n) * static_cast<double>(k) * row.fmas *
                      plan.real_products;
  plan.threads = static_cast<int>(std::clamp(work / kWorkPerThread, 1.0, static_cast<double>(threads)));
  if (plan.threads > 1 && problem.batch < 4 * plan.threads) {
    const int wanted = problem.batch % plan.threads == 0 ? 1 : plan.threads;
    if (plan.path == GemmPlan::Path::kVector) {
      plan.column_parts = static_cast<int>(std::clamp<std::int64_t>(std::max(m, n) / 64, 1, wanted));
    } else {
      cut(m, n, wanted, &plan);
    }
  }
  const std::int64_t tasks = problem.batch * plan.row_parts * plan.column_parts;
  if (const std::int64_t steps = tasks < plan.threads && !plan.prepacked ? steps_of_a_part(problem, plan.threads) : 0; steps != 0) {
    plan.part_steps = steps;
    plan.step_parts = ceil_div(k, steps);
    plan.row_parts = plan.column_parts = 1;
    plan.threads = static_cast<int>(std::min<std::int64_t>(plan.threads, plan.step_parts));
    return plan;
  }
  plan.threads = static_cast<int>(std::clamp<std::int64_t>(tasks, 1, plan.threads));

  // One part a step: 8 chunks; more parts or wider ones: the same bytes.
  plan.block_steps = kernels::kMaxBlockChunks * kernels::kChunkSteps;
  const bool few_rows = m <= kFewRows && !plan.b_in_place && !plan.prepacked;
  if (few_rows) plan.block_steps = kernels::kChunkSteps;
  while (plan.block_steps * item > 4 * 1024 && plan.block_steps > 2 * kernels::kChunkSteps) {
    plan.block_steps /= 2;
  }
  const std::int64_t steps =
      std::max(ceil_div(std::min(k, plan.block_steps), kernels::kChunkSteps), std::int64_t{1}) *
      kernels::kChunkSteps;
  plan.block_rows = round_down(packed_rows_bytes() / (steps * item), plan.tile_rows);
  plan.block_columns =
      round_down((few_rows ? packed_rows_bytes() : columns_bytes(plan.threads)) / (steps * item), plan.tile_columns);
  plan.super_rows = std::max<std::int64_t>(m, 1);
  const std::int64_t blocks = ceil_div(k, plan.block_steps);
  if (blocks > 1) {
    plan.top_in_output = with_sum_type(problem.algorithm, [&](auto zero) {
      return stores_sums(target_at(problem, 0, plan.swapped), type_of(zero));
    });
    plan.kept_levels = pending_levels(blocks) - (plan.top_in_output ? 1 : 0);
    // Pending values of at least one block of rows must find room.
    const std::int64_t room =
        columns_bytes(plan.threads) / (std::max(plan.kept_levels, 1) * (is_double ? 8 : 4));
    const std::int64_t rows = ceil_div(std::clamp<std::int64_t>(m, 1, plan.block_rows), plan.tile_rows) * plan.tile_rows;
    plan.block_columns =
        std::min({plan.block_columns, std::int64_t{1024}, round_down(room / rows, plan.tile_columns)});
    // At least one panel: an empty result has none, but is planned all the same.
    const std::int64_t panels =
        std::max<std::int64_t>(ceil_div(std::min(n, plan.block_columns), plan.tile_columns), 1);
    plan.super_rows =
        plan.kept_levels == 0
            ? round_down(kMostRows, plan.block_rows)
            : round_down(room / std::min(panels * plan.tile_columns, plan.block_columns), plan.block_rows);
  }
  return plan;
}

std::string to_string(const GemmPlan& plan) {
  if (plan.step_parts > 1) {
    return "cut along the steps into " + std::to_string(plan.step_parts) + " parts of " +
           std::to_string(plan.part_steps);
  }
  if (plan.path == GemmPlan::Path::kAtOnce) {
    return "at once, tiles " + std::to_string(plan.tile_rows) + "x" + std::to_string(plan.tile_columns);
  }
  if (plan.path == GemmPlan::Path::kVector) return "a vector times a matrix, line by line";
  const std::string parts =
      plan.real_products == 1 ? "" : std::to_string(plan.real_products) + " real products, ";
  const std::string way = plan.prepacked ? (plan.a_in_place ? "rows in place, columns packed before" : "rows packed, columns packed before")
                          : plan.a_in_place && plan.b_in_place ? "in place"
                          : plan.a_in_place                  ? "rows in place, columns packed"
                          : plan.b_in_place                  ? "rows packed, columns in place"
                                                             : "packed";
  return parts + way + (plan.swapped ? ", operands swapped" : "") + ", tiles " +
         std::to_string(plan.tile_rows) + "x" + std::to_string(plan.tile_columns) + ", blocks " +
         std::to_string(plan.block_rows) + "x" + std::to_string(plan.block_columns) + "x" +
         std::to_string(plan.block_steps) + " (rows x columns x steps)";
}

}  // namespace matprec::gemm
