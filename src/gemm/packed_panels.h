// A whole operand packed once, as the columns of any number of products under one algorithm on one target.
#ifndef MATPREC_SRC_GEMM_PACKED_PANELS_H_
#define MATPREC_SRC_GEMM_PACKED_PANELS_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "matprec/dot_algorithm.h"
#include "src/gemm/gemm_problem.h"
#include "src/kernels/kernel_table.h"

namespace matprec::gemm {

// Panel p holds columns [p * width, (p + 1) * width), each of its steps in a line of `pitch` elements of the
// type of the algorithm's sums. Any block of steps of a panel is a packed panel as pack_columns() makes them.
struct PackedPanels {
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  DotAlgorithm algorithm;
  const kernels::KernelTable* kernels;
  std::int64_t columns, steps, width, pitch;
  std::unique_ptr<void, Free> data;
  std::size_t bytes;
};

// Packs the only product of a batch that `source` has, on at most `threads` threads; at least `least_bytes` are
// taken. Errors: no memory.
PackedPanels pack_panels(const Source& source, DotAlgorithm algorithm, const kernels::KernelTable& kernels,
                         std::int64_t columns, std::int64_t steps, int threads, std::size_t least_bytes);

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_PACKED_PANELS_H_
