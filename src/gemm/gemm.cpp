#include "src/gemm/gemm.h"

#include <algorithm>
#include <cstring>

#include "src/gemm/ceil_div.h"
#include "src/gemm/complex_gemm.h"
#include "src/gemm/epilogue.h"
#include "src/gemm/pack.h"
#include "src/gemm/sum_type.h"
#include "src/gemm/tile_set.h"
#include "src/gemm/workspace.h"
#include "src/runtime/float_environment.h"
#include "src/runtime/thread_pool.h"

namespace matprec::gemm {
namespace {

using kernels::kChunkSteps;
using kernels::KernelTable;
using kernels::TileSet;

struct Range {
  std::int64_t first, last;
  std::int64_t size() const { return last - first; }
};

// Part `index` of `parts` of [0, size), cut at multiples of `unit`.
Range part_of(std::int64_t size, std::int64_t unit, int parts, std::int64_t index) {
  const std::int64_t units = ceil_div(size, unit);
  return {std::min(size, units * index / parts * unit),
          std::min(size, units * (index + 1) / parts * unit)};
}

Operand at_batch(const Source& source, std::int64_t batch) {
  const std::int64_t item = static_cast<std::int64_t>(size_of(source.type));
  const char* data = static_cast<const char*>(source.data);
  // An operand that is not read may be null.
  if (data != nullptr) data += source.batch.offset(batch) * item;
  return {data, source.type, &source.outer, &source.inner};
}

Target::Input input_at_batch(const Source& source, std::int64_t batch, bool swapped) {
  const Operand operand = at_batch(source, batch);
  return {operand.data, operand.type, swapped ? operand.inner : operand.outer,
          swapped ? operand.outer : operand.inner};
}

Target target_at_batch(const GemmProblem& problem, std::int64_t batch, bool swapped) {
  Target target;
  const std::int64_t item = static_cast<std::int64_t>(size_of(problem.out_type));
  target.data = static_cast<char*>(problem.out) + problem.out_batch.offset(batch) * item;
  target.type = problem.out_type;
  target.rows = swapped ? &problem.out_columns : &problem.out_rows;
  target.columns = swapped ? &problem.out_rows : &problem.out_columns;
  target.alpha = problem.alpha.real();
  target.beta = problem.beta.real();
  if (target.beta != 0 && problem.c) target.c = input_at_batch(*problem.c, batch, swapped);
  if (problem.bias) target.bias = input_at_batch(*problem.bias, batch, swapped);
  return target;
}

// One task: a rectangle of one product, in one thread.
template <class T>
class Task {
 public:
  Task(const GemmProblem& problem, const GemmPlan& plan, std::int64_t batch, Range rows,
       Range columns)
      : plan_(plan),
        kernels_(*plan.kernels),
        tiles_(tile_set<T>(kernels_, problem.algorithm)),
        a_(at_batch(plan.swapped ? problem.rhs : problem.lhs, batch)),
        b_(at_batch(plan.swapped ? problem.lhs : problem.rhs, batch)),
        target_(target_at_batch(problem, batch, plan.swapped)),
        a_forms_(forms_of(problem.algorithm, true)),
        b_forms_(forms_of(problem.algorithm, false)),
        steps_(problem.k),
        blocks_(ceil_div(problem.k, plan.block_steps)),
        levels_(pending_levels(blocks_)),
        rows_(rows),
        columns_(columns) {}

  void run() {
    if (steps_ == 0) return run_without_steps();
    for (std::int64_t c = columns_.first; c < columns_.last; c += plan_.block_columns) {
      const Range columns{c, std::min(c + plan_.block_columns, columns_.last)};
      for (std::int64_t r = rows_.first; r < rows_.last; r += plan_.super_rows) {
        run_super_block({r, std::min(r + plan_.super_rows, rows_.last)}, columns);
      }
    }
  }

 private:
  static constexpr std::int64_t kMaxTile = 14 * 32;

  // All blocks of steps over one super block of outputs; sums of finished blocks wait in `pending`.
  void run_super_block(Range rows, Range columns) {
    const std::int64_t tile = std::int64_t{plan_.tile_rows} * plan_.tile_columns;
    const std::int64_t column_panels = ceil_div(columns.size(), plan_.tile_columns);
    // A row block ends with at most one panel that is not full.
    const std::int64_t row_panels = ceil_div(rows.size(), plan_.tile_rows);
    level_stride_ = row_panels * column_panels * tile;
    pending_ = levels_ == 0 ? nullptr : buffer(Workspace::kPending, levels_ * level_stride_);

    for (std::int64_t block = 0; block < blocks_; ++block) {
      const std::int64_t step = block * plan_.block_steps;
      const std::int64_t steps = std::min(plan_.block_steps, steps_ - step);
      T* b = buffer(Workspace::kPackedB,
                    column_panels * plan_.tile_columns * steps * b_forms_.fmas);
      pack_columns(b_, kernels_, b_forms_, columns.first, columns.size(), plan_.tile_columns, step,
                   steps, workspace_, b);
      for (std::int64_t r = rows.first; r < rows.last; r += plan_.block_rows) {
        const Range part{r, std::min(r + plan_.block_rows, rows.last)};
        const std::int64_t first_tile = (r - rows.first) / plan_.tile_rows * column_panels;
        run_row_block(part, columns, block, step, steps, b, first_tile);
      }
    }
  }

  // Row panels of the tallest tile, then one of the lowest tile that holds the rest.
  void run_row_block(Range rows, Range columns, std::int64_t block, std::int64_t step,
                     std::int64_t steps, const T* b, std::int64_t first_tile) {
    const std::int64_t tallest = plan_.tile_rows;
    const std::int64_t full = rows.size() / tallest * tallest;
    const std::int64_t rest = rows.size() - full;
    int rest_tile = 0;
    while (rest_tile + 1 < tiles_.count && tiles_.rows[rest_tile + 1] >= rest) ++rest_tile;
    const std::int64_t chunk_steps = ceil_div(steps, kChunkSteps) * kChunkSteps;
    const std::int64_t row_size = chunk_steps * a_forms_.fmas;
    T* a = buffer(Workspace::kPackedA, (full + (rest > 0 ? tiles_.rows[rest_tile] : 0)) * row_size);
    pack_rows(a_, kernels_, a_forms_, rows.first, full, tallest, step, steps, workspace_, a);
    if (rest > 0) {
      pack_rows(a_, kernels_, a_forms_, rows.first + full, rest, tiles_.rows[rest_tile], step,
                steps, workspace_, a + full * row_size);
    }

    const std::int64_t column_panels = ceil_div(columns.size(), plan_.tile_columns);
    for (std::int64_t p = 0; p < column_panels; ++p) {
      const std::int64_t column = columns.first + p * plan_.tile_columns;
      const std::int64_t width = std::min<std::int64_t>(plan_.tile_columns, columns.last - column);
      const T* panel = b + p * plan_.tile_columns * steps * b_forms_.fmas;
      std::int64_t tile = first_tile + p;
      for (std::int64_t r = 0; r < rows.size(); r += tallest, tile += column_panels) {
        const bool last = r >= full;
        run_tile(tiles_.tile[last ? rest_tile : 0], a + r * row_size, panel, steps, block, tile,
                 {rows.first + r, std::min(rows.first + r + tallest, rows.last)},
                 {column, column + width});
      }
    }
  }

  void run_tile(kernels::TileFunction<T> function, const T* a, const T* b, std::int64_t steps,
                std::int64_t block, std::int64_t tile, Range rows, Range columns) {
    const std::int64_t tile_size = std::int64_t{plan_.tile_rows} * plan_.tile_columns;
    const bool last = block + 1 == blocks_;
    const T* older[kernels::kMaxOlder];
    kernels::TileArgs<T> args{a, b, steps, older, 0, nullptr, plan_.tile_columns};
    // The binary counter of MP-ACC-1, continued over blocks.
    int level = 0;
    for (std::int64_t carry = block; carry != 0; carry >>= 1, ++level) {
      if ((carry & 1) != 0) {
        older[args.older_count++] = pending_ + level * level_stride_ + tile * tile_size;
      } else if (!last) {
        break;
      }
    }
    if (!last) {
      args.out = pending_ + level * level_stride_ + tile * tile_size;
      return function(args);
    }
    std::int64_t row_stride = 0, column_stride = 0;
    const bool direct = target_.plain() && target_.type == type_of(T{}) &&
                        columns.size() == plan_.tile_columns && is_height(function, rows.size()) &&
                        target_.columns->uniform_range(columns.first, columns.size(), &column_stride) &&
                        column_stride == 1 &&
                        target_.rows->uniform_range(rows.first, rows.size(), &row_stride);
    if (direct) {
      args.out = reinterpret_cast<T*>(target_.data) + target_.rows->offset(rows.first) +
                 target_.columns->offset(columns.first);
      args.out_stride = row_stride;
      return function(args);
    }
    alignas(64) T sums[kMaxTile];
    args.out = sums;
    function(args);
    finish_tile(target_, kernels_, sums, plan_.tile_columns, rows.first, rows.size(), columns.first,
                columns.size());
  }

  // No steps: every sum is +0.
  void run_without_steps() {
    for (std::int64_t r = rows_.first; r < rows_.last; ++r) {
      for (std::int64_t c = columns_.first; c < columns_.last; c += plan_.tile_columns) {
        alignas(64) T sums[kMaxTile] = {};
        finish_tile(target_, kernels_, sums, plan_.tile_columns, r, 1, c,
                    std::min<std::int64_t>(plan_.tile_columns, columns_.last - c));
      }
    }
  }

  bool is_height(kernels::TileFunction<T> function, std::int64_t rows) const {
    for (int i = 0; i < tiles_.count; ++i) {
      if (tiles_.tile[i] == function) return tiles_.rows[i] == rows;
    }
    return false;
  }

  T* buffer(Workspace::Slot slot, std::int64_t elements) {
    return static_cast<T*>(workspace_.get(slot, static_cast<std::size_t>(elements) * sizeof(T)));
  }

  const GemmPlan& plan_;
  const KernelTable& kernels_;
  const TileSet<T>& tiles_;
  const Operand a_, b_;
  const Target target_;
  const kernels::Forms a_forms_, b_forms_;
  const std::int64_t steps_, blocks_, levels_;
  const Range rows_, columns_;
  Workspace& workspace_ = Workspace::of_this_thread();
  T* pending_ = nullptr;
  std::int64_t level_stride_ = 0;
};

template <class T>
void run_tasks(const GemmProblem& problem, const GemmPlan& plan) {
  const std::int64_t m = plan.swapped ? problem.n : problem.m;
  const std::int64_t n = plan.swapped ? problem.m : problem.n;
  const std::int64_t tasks = problem.batch * plan.row_parts * plan.column_parts;
  const auto run_task = [&](std::int64_t task) {
    const std::int64_t column = task % plan.column_parts;
    const std::int64_t row = task / plan.column_parts % plan.row_parts;
    const std::int64_t batch = task / plan.column_parts / plan.row_parts;
    Task<T>(problem, plan, batch, part_of(m, plan.tile_rows, plan.row_parts, row),
            part_of(n, plan.tile_columns, plan.column_parts, column))
        .run();
  };
  // A few groups a thread: enough to even out, few enough to count for nothing.
  const int groups = static_cast<int>(std::min<std::int64_t>(tasks, std::int64_t{plan.threads} * 4));
  parallel_for(plan.threads == 1 ? 1 : groups, plan.threads, [&](int group) {
    const ScopedFloatEnvironment environment;
    const Range range = plan.threads == 1 ? Range{0, tasks} : part_of(tasks, 1, groups, group);
    for (std::int64_t task = range.first; task < range.last; ++task) run_task(task);
  });
}

}  // namespace

void gemm(const GemmProblem& problem, const GemmPlan& plan) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  if (is_complex(problem.out_type)) return complex_gemm(problem, plan);
  with_sum_type(problem.algorithm, [&](auto zero) { run_tasks<decltype(zero)>(problem, plan); });
}

}  // namespace matprec::gemm
