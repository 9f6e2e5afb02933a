// From a tile of sums to elements of the output: alpha, beta, bias, one conversion, strided stores.
#ifndef MATPREC_SRC_GEMM_EPILOGUE_H_
#define MATPREC_SRC_GEMM_EPILOGUE_H_

#include <cstdint>

#include "src/gemm/gemm_problem.h"
#include "src/kernels/kernel_table.h"

namespace matprec::gemm {

// The output side of one product of the batch, with rows and columns as the plan turned them.
struct Target {
  // Elements read beside the sums; null data: absent.
  struct Input {
    const char* data = nullptr;
    ElementType type = ElementType::kF32;
    const Axis* rows = nullptr;
    const Axis* columns = nullptr;
  };
  char* data = nullptr;
  ElementType type = ElementType::kF32;
  const Axis* rows = nullptr;
  const Axis* columns = nullptr;
  Input c, bias;
  double alpha = 1, beta = 0;

  // Sums can be stored as they are.
  bool plain() const { return alpha == 1 && c.data == nullptr && bias.data == nullptr; }
};

// Writes rows x columns outputs from (row, column) on; the sum of row r, column j is sums[r * pitch + j].
// `sums` is used up. float32 sums go through float64 if c or the output is float64.
template <class T>
void finish_tile(const Target& target, const kernels::KernelTable& kernels, T* sums,
                 std::int64_t pitch, std::int64_t row, std::int64_t rows, std::int64_t column,
                 std::int64_t columns);

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_EPILOGUE_H_
