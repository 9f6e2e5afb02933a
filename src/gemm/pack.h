// Packing: a block of a strided operand becomes the panels that a tile reads.
#ifndef MATPREC_SRC_GEMM_PACK_H_
#define MATPREC_SRC_GEMM_PACK_H_

#include <cstdint>

#include "src/gemm/gemm_problem.h"
#include "src/gemm/workspace.h"
#include "src/kernels/kernel_table.h"

namespace matprec::gemm {

// An operand with its place in the batch settled: element (i, s) is at data + outer(i) + inner(s).
struct Operand {
  const char* data;
  ElementType type;
  const Axis* outer;
  const Axis* inner;
};

// What packing does to an element of algorithm `algorithm`.
kernels::Forms forms_of(DotAlgorithm algorithm, bool negate_second);

// Packs rows [first, first + rows) x steps [step, step + steps) as row panels of `height` rows for
// TileArgs::a; rows beyond the last are zero. The result takes
// ceil(rows / height) * height * chunks(steps) * kChunkSteps * fmas elements.
template <class T>
void pack_rows(const Operand& source, const kernels::KernelTable& kernels,
               const kernels::Forms& forms, std::int64_t first, std::int64_t rows,
               std::int64_t height, std::int64_t step, std::int64_t steps, Workspace& workspace,
               T* out);

// Packs columns [first, first + columns) x the same steps as column panels of `width` columns for
// TileArgs::b; columns beyond the last are zero. Takes ceil(columns / width) * width * steps * fmas.
template <class T>
void pack_columns(const Operand& source, const kernels::KernelTable& kernels,
                  const kernels::Forms& forms, std::int64_t first, std::int64_t columns,
                  std::int64_t width, std::int64_t step, std::int64_t steps, Workspace& workspace,
                  T* out);

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_PACK_H_
