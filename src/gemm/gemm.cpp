#include "src/gemm/gemm.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

#include "src/gemm/ceil_div.h"
#include "src/gemm/complex_gemm.h"
#include "src/gemm/one_product.h"
#include "src/gemm/pack.h"
#include "src/gemm/packed_panels.h"
#include "src/gemm/range.h"
#include "src/gemm/small_gemm.h"
#include "src/gemm/spread.h"
#include "src/gemm/step_parts.h"
#include "src/gemm/sum_type.h"
#include "src/gemm/tile_set.h"
#include "src/gemm/vector_gemm.h"
#include "src/gemm/workspace.h"

namespace matprec::gemm {
namespace {

using kernels::kChunkSteps;
using kernels::KernelTable;
using kernels::TileSet;

// One task: a rectangle of one product, in one thread.
template <class T>
class Task {
 public:
  Task(const GemmProblem& problem, const GemmPlan& plan, std::int64_t batch, Range rows,
       Range columns)
      : plan_(plan),
        kernels_(*plan.kernels),
        tiles_(tile_set<T>(kernels_, problem.algorithm)),
        a_(operand_at(plan.swapped ? problem.rhs : problem.lhs, batch)),
        b_(operand_at(plan.swapped ? problem.lhs : problem.rhs, batch)),
        prepacked_((plan.swapped ? problem.lhs : problem.rhs).packed),
        target_(target_at(problem, batch, plan.swapped)),
        a_forms_(forms_of(problem.algorithm, true)),
        b_forms_(forms_of(problem.algorithm, false)),
        a_in_place_(plan.a_in_place && rows.size() >= tiles_.rows[tile_for(tiles_, rows.size())]),
        b_in_place_(plan.b_in_place && (columns.size() >= plan.tile_columns || narrow_in_place(kernels_, tiles_))),
        narrow_(b_in_place_ ? narrow_in_place(kernels_, tiles_) : tiles_.narrow[1] != nullptr),
        direct_(stores_sums(target_, type_of(T{}))),
        steps_(problem.k),
        blocks_(ceil_div(problem.k, plan.block_steps)),
        top_(plan.top_in_output ? pending_levels(blocks_) - 1 : pending_levels(blocks_)),
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

  // Rows or columns of one tile: `count` of them from `first` on, behind `skip` others that it computes
  // again. What is packed has none of these and zeros at its end; an operand in place must not be read
  // beyond its end, so that its last tile ends with it.
  struct Panel {
    std::int64_t first, skip, count;
    std::int64_t begin() const { return first - skip; }
  };
  struct RowPanel : Panel {
    int tile;
    const T* a;
  };
  struct ColumnPanel : Panel {
    const T* b = nullptr;
    std::int64_t step = 0, ahead = 0;  // TileArgs::b_step, b_ahead
    bool narrow = false;
    std::int64_t offset = 0;  // of a narrow one in the panel that it is part of
  };

  // All blocks of steps over one super block of outputs; sums of finished blocks wait in `pending`.
  void run_super_block(Range rows, Range columns) {
    const std::int64_t tile = std::int64_t{plan_.tile_rows} * plan_.tile_columns;
    const std::int64_t column_panels = ceil_div(columns.size(), plan_.tile_columns);
    // A row block ends with at most one panel that is not full.
    const std::int64_t row_panels = ceil_div(rows.size(), plan_.tile_rows);
    column_panels_ = column_panels;
    level_stride_ = row_panels * column_panels * tile;
    const std::int64_t edges = plan_.top_in_output ? (row_panels + column_panels) * tile : 0;
    pending_ = blocks_ == 1 ? nullptr : buffer(Workspace::kPending, plan_.kept_levels * level_stride_ + edges);
    const int row_blocks = static_cast<int>(ceil_div(rows.size(), plan_.block_rows));

    for (std::int64_t block = 0; block < blocks_; ++block) {
      const std::int64_t step = block * plan_.block_steps;
      const std::int64_t steps = std::min(plan_.block_steps, steps_ - step);
      const T* b = nullptr;
      if (prepacked_ != nullptr) {
        panel_size_ = prepacked_->pitch * steps_;
        b = static_cast<const T*>(prepacked_->data.get()) + columns.first / plan_.tile_columns * panel_size_ +
            prepacked_->pitch * step;
      } else if (!b_in_place_) {
        panel_size_ = plan_.tile_columns * steps * b_forms_.fmas;
        T* const packed = buffer(Workspace::kPackedB, column_panels * panel_size_);
        pack_columns(b_, kernels_, b_forms_, columns.first, columns.size(), plan_.tile_columns, step,
                     steps, workspace_, packed);
        b = packed;
      }
      for (int i = 0; i < row_blocks; ++i) {
        const Range part = part_of(rows.size(), plan_.tile_rows, row_blocks, i);
        run_row_block({rows.first + part.first, rows.first + part.last}, columns, block, step, steps, b,
                      part.first / plan_.tile_rows * column_panels);
      }
    }
  }

  // Panels of the tallest tile, then one of the lowest that holds the rest: packed, or where they lie.
  std::span<const RowPanel> row_panels(Range rows, std::int64_t step, std::int64_t steps) {
    RowPanel* const panels = static_cast<RowPanel*>(workspace_.get(
        Workspace::kPanels,
        static_cast<std::size_t>(ceil_div(rows.size(), plan_.tile_rows)) * sizeof(RowPanel)));
    std::size_t count = 0;
    const std::int64_t row_size = ceil_div(steps, kChunkSteps) * kChunkSteps * a_forms_.fmas;
    T* packed = a_in_place_ ? nullptr
                            : buffer(Workspace::kPackedA, (rows.size() + plan_.tile_rows) * row_size);
    for (std::int64_t r = rows.first; r < rows.last;) {
      const int tile = tile_for(tiles_, rows.last - r);
      const std::int64_t height = tiles_.rows[tile];
      const std::int64_t left = std::min(rows.last - r, height);
      RowPanel panel{{r, 0, left}, tile, packed};
      if (a_in_place_) {
        panel.skip = height - left;
        panel.a = element(a_, panel.begin(), step);
      } else {
        pack_rows(a_, kernels_, a_forms_, r, left, height, step, steps, workspace_, packed);
        packed += height * row_size;
      }
      panels[count++] = panel;
      r += left;
    }
    return {panels, count};
  }

  const T* element(const Operand& source, std::int64_t outer, std::int64_t inner) const {
    return reinterpret_cast<const T*>(source.data) + source.outer->offset(outer) +
           source.inner->offset(inner);
  }

  // `b`: the packed columns; not read if they are in place.
  void run_row_block(Range rows, Range columns, std::int64_t block, std::int64_t step,
                     std::int64_t steps, const T* b, std::int64_t first_tile) {
    const std::span<const RowPanel> row_panels = this->row_panels(rows, step, steps);
    const std::int64_t width = plan_.tile_columns;
    const std::int64_t column_panels = ceil_div(columns.size(), width);
    for (std::int64_t p = 0; p < column_panels; ++p) {
      ColumnPanel column{{columns.first + p * width, 0, std::min(width, columns.size() - p * width)}};
      if (b_in_place_) {
        column.step = b_.inner->stride();
        // The next panel, which lies beside this one; or later steps, if these follow one another.
        column.ahead = std::abs(column.step) <= width ? kernels::kPackedAhead * column.step : width;
        if (column.count < width && !narrow_) column.skip = width - column.count;
        column.b = element(b_, column.begin(), step);
      } else {
        column.step = width * b_forms_.fmas;
        column.ahead = kernels::kPackedAhead * column.step;
        column.b = b + p * panel_size_;
      }
      if (column.count == width || !narrow_) {
        run_column_panel(column, row_panels, block, steps, first_tile + p, column_panels);
        continue;
      }
      // By narrow tiles, half a panel each.
      const std::int64_t end = column.count, half = width / 2;
      for (column.offset = 0; column.offset < end; column.offset += half) {
        column.count = std::min(half, end - column.offset);
        column.narrow = true;
        run_column_panel(column, row_panels, block, steps, first_tile + p, column_panels);
        column.first += half;
        column.b += half;
      }
    }
  }

  void run_column_panel(const ColumnPanel& column, std::span<const RowPanel> row_panels, std::int64_t block,
                        std::int64_t steps, std::int64_t tile, std::int64_t column_panels) {
    kernels::TileArgs<T> args{};
    args.steps = steps;
    args.a_row = a_in_place_ ? a_.outer->stride() : kChunkSteps;
    args.b = column.b;
    args.b_step = column.step;
    args.b_ahead = column.ahead;
    args.columns = column.count;
    for (const RowPanel& row : row_panels) {
      args.a = row.a;
      args.a_chunk = a_in_place_ ? kChunkSteps : tiles_.rows[row.tile] * kChunkSteps * a_forms_.fmas;
      run_tile(args, block, tile, row, column);
      tile += column_panels;
    }
  }

  // What `args` lacks: the pending sums, the output.
  void run_tile(kernels::TileArgs<T>& args, std::int64_t block, std::int64_t tile, const RowPanel& row,
                const ColumnPanel& column) {
    const kernels::TileFunction<T> function = column.narrow ? tiles_.narrow[tiles_.rows[row.tile]]
                                              : b_in_place_ ? tiles_.strided[row.tile]
                                                            : tiles_.packed[row.tile];
    const std::int64_t height = tiles_.rows[row.tile], width = plan_.tile_columns;
    const bool direct = direct_ && row.skip + row.count == height && (column.narrow || column.skip + column.count == width);
    // What it computes is nobody else's too, so that pending sums are there until they are called for.
    const bool alone = row.skip == 0 && column.skip == 0;
    const bool last = block + 1 == blocks_;
    const T* older[kernels::kMaxOlder];
    args.older = older;
    args.older_count = 0;
    args.oldest_stride = args.out_stride = width;
    T* const out = direct ? reinterpret_cast<T*>(target_.data) + target_.rows->offset(row.begin()) +
                                target_.columns->offset(column.begin())
                          : nullptr;
    // The place of a pending sum.
    const auto pending = [&](int level, std::int64_t* stride) {
      *stride = width;
      const std::int64_t tile_size = std::int64_t{plan_.tile_rows} * width;
      if (level < top_) return pending_ + level * level_stride_ + tile * tile_size + column.offset;
      if (direct && alone && !column.narrow) {
        *stride = target_.rows->stride();
        return out;
      }
      // Of the tiles at the edges: the last of the rows, else the last of the columns.
      const bool last_rows = row.count < height || row.skip > 0;
      const std::int64_t edge =
          last_rows ? tile % column_panels_ : column_panels_ + tile / column_panels_;
      return pending_ + top_ * level_stride_ + edge * tile_size + column.offset;
    };
    // The binary counter of MP-ACC-1, continued over blocks.
    int level = 0;
    for (std::int64_t carry = block; carry != 0; carry >>= 1, ++level) {
      if ((carry & 1) != 0) {
        older[args.older_count++] = pending(level, &args.oldest_stride);
      } else if (!last) {
        break;
      }
    }
    if (!last) {
      args.out = pending(level, &args.out_stride);
      return function(args);
    }
    if (direct) {
      args.out = out;
      args.out_stride = target_.rows->stride();
      return function(args);
    }
    alignas(64) T sums[kMaxTile];
    args.out = sums;
    function(args);
    finish_tile(target_, kernels_, sums + row.skip * width + column.skip, width, row.first, row.count,
                column.first, column.count);
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

  T* buffer(Workspace::Slot slot, std::int64_t elements) {
    return static_cast<T*>(workspace_.get(slot, static_cast<std::size_t>(elements) * sizeof(T)));
  }

  const GemmPlan& plan_;
  const KernelTable& kernels_;
  const TileSet<T>& tiles_;
  const Operand a_, b_;
  const PackedPanels* const prepacked_;
  const Target target_;
  const kernels::Forms a_forms_, b_forms_;
  const bool a_in_place_, b_in_place_;  // as planned, unless this task is less than a tile
  const bool narrow_;  // columns that fill no tile go to narrow ones
  const bool direct_;  // tiles store their sums in the output themselves
  const std::int64_t steps_, blocks_;
  const int top_;  // the level of pending sums that wait in the output, or one that there is not
  const Range rows_, columns_;
  Workspace& workspace_ = Workspace::of_this_thread();
  T* pending_ = nullptr;
  std::int64_t column_panels_ = 0;
  std::int64_t level_stride_ = 0;
  std::int64_t panel_size_ = 0;  // from one panel of packed columns to the next
};

template <class T>
void run_tiles(const GemmProblem& problem, const GemmPlan& plan) {
  const std::int64_t m = plan.swapped ? problem.n : problem.m;
  const std::int64_t n = plan.swapped ? problem.m : problem.n;
  spread(problem.batch * plan.row_parts * plan.column_parts, plan.threads, [&](std::int64_t task) {
    const std::int64_t column = task % plan.column_parts;
    const std::int64_t row = task / plan.column_parts % plan.row_parts;
    const std::int64_t batch = task / plan.column_parts / plan.row_parts;
    Task<T>(problem, plan, batch, part_of(m, plan.tile_rows, plan.row_parts, row),
            part_of(n, plan.tile_columns, plan.column_parts, column))
        .run();
  });
}

void run_vectors(const GemmProblem& problem, const GemmPlan& plan) {
  constexpr std::int64_t kUnit = 64;  // whole lines of results
  const std::int64_t n = std::max(problem.m, problem.n);
  spread(problem.batch * plan.column_parts, plan.threads, [&](std::int64_t task) {
    const Range range = part_of(n, kUnit, plan.column_parts, task % plan.column_parts);
    vector_gemm(problem, plan, task / plan.column_parts, range.first, range.last);
  });
}

}  // namespace

void gemm(const GemmProblem& problem, const GemmPlan& plan) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  if (is_complex(problem.out_type)) return complex_gemm(problem, plan);
  if (plan.step_parts > 1) return run_step_parts(problem, plan);
  switch (plan.path) {
    case GemmPlan::Path::kAtOnce:
      return small_gemm(*small_product(problem), *plan.kernels);
    case GemmPlan::Path::kVector:
      return run_vectors(problem, plan);
    case GemmPlan::Path::kTiles:
      with_sum_type(problem.algorithm, [&](auto zero) { run_tiles<decltype(zero)>(problem, plan); });
  }
}

}  // namespace matprec::gemm
