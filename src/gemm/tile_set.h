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

// The tile to begin `rows` rows with: the lowest that holds them, or the tallest; of rows that two tiles of the
// second height hold, one of these, as the lowest cost most a row.
template <class T>
int tile_for(const kernels::TileSet<T>& tiles, std::int64_t rows) {
  if (rows > tiles.rows[0]) return rows <= 2 * tiles.rows[1] ? 1 : 0;
  int tile = 0;
  while (tile + 1 < tiles.count && tiles.rows[tile + 1] >= rows) ++tile;
  return tile;
}

// Whether fewer columns than a tile has can be read where they lie.
template <class T>
bool narrow_in_place(const kernels::KernelTable& kernels, const kernels::TileSet<T>& tiles) {
  return kernels.masked_memory && tiles.narrow[1] != nullptr;
}

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_TILE_SET_H_
