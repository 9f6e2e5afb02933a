// Which tiles of a kernel table compute an algorithm.
#ifndef MATPREC_SRC_GEMM_TILE_SET_H_
#define MATPREC_SRC_GEMM_TILE_SET_H_

#include <cstdint>

#include "matprec/dot_algorithm.h"
#include "src/kernels/kernel_table.h"

namespace matprec::gemm {

template <class T>
const kernels::TileSet<T>& tile_set(const kernels::KernelTable& kernels, DotAlgorithm algorithm);

template <>
inline const kernels::TileSet<double>& tile_set(const kernels::KernelTable& kernels, DotAlgorithm) {
  return kernels.f64;
}

template <>
inline const kernels::TileSet<std::uint32_t>& tile_set(const kernels::KernelTable& kernels,
                                                       DotAlgorithm) {
  return kernels.u32;
}

template <>
inline const kernels::TileSet<float>& tile_set(const kernels::KernelTable& kernels,
                                               DotAlgorithm algorithm) {
  const AlgorithmInfo& row = info(algorithm);
  if (row.accumulation == PrecisionType::kF16) return kernels.f16_acc;
  if (row.accumulation == PrecisionType::kBF16) return kernels.bf16_acc;
  return kernels.f32[row.fmas - 1];
}

// Whether fewer columns than a tile has can be read where they lie.
template <class T>
bool narrow_in_place(const kernels::KernelTable& kernels, const kernels::TileSet<T>& tiles) {
  return kernels.masked_memory && tiles.narrow[0] != nullptr;
}

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_TILE_SET_H_
