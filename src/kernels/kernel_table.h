// What one SIMD target offers: plain function pointers over floats, doubles and packed panels.
//
// Knows numbers, panels and tiles; knows nothing of policies, shapes or threads, and includes no Highway,
// so that everything above it compiles once for all targets. All functions expect the default
// floating-point environment (round to nearest, no flush to zero). Counts are elements; runs are
// contiguous; in and out of a run may be the same memory where their types are equal.
#ifndef MATPREC_SRC_KERNELS_KERNEL_TABLE_H_
#define MATPREC_SRC_KERNELS_KERNEL_TABLE_H_

#include <cstdint>
#include <span>

#include "matprec/dot_algorithm.h"
#include "matprec/element_type.h"

namespace matprec::kernels {

// MP-ACC-1: steps per chunk. Part of the definition, never a tuning parameter.
inline constexpr std::int64_t kChunkSteps = 128;
// Chunks that one tile call may join by itself. 8 chunks of one A row panel and one B column panel stay
// in a 1 MiB L2 beside each other, and the stack of pending chunk values stays at three tiles.
inline constexpr std::int64_t kMaxBlockChunks = 8;
// Pending block values that a tile call may be given to fold: enough for 2^48 blocks.
inline constexpr int kMaxOlder = 48;
// Outputs that `lines` adds up at a time: their sums stay in the first-level cache while lines pass it.
inline constexpr std::int64_t kVectorStrip = 4096;
// How many steps ahead of its work a tile fetches packed columns.
inline constexpr std::int64_t kPackedAhead = 32;

// One call computes a tile of rows x tile_columns outputs over up to kMaxBlockChunks chunks.
//   a: row r of chunk c from a + c * a_chunk + r * a_row on, kChunkSteps or the last steps of it in a
//      line; with more FMAs packed as [chunk][fma][row][kChunkSteps]
//   b: step s from b + s * b_step on, [fma][tile_columns] in a line
// Either is a packed panel or the operand itself.
// T(block) is folded with `older` (pending values of earlier blocks, newest first, each added on the
// left), NaNs are made canonical, and row r is stored at out + r * out_stride. Tiles in `older` are
// [row][tile_columns]; of the last one, the oldest, rows are oldest_stride apart.
// A narrow tile has `columns` of the first half of them. Where the table has masked_memory it touches no
// others; elsewhere b must have them, and only what is stored is left alone.
template <class T>
struct TileArgs {
  const T* a;
  std::int64_t a_row, a_chunk;
  const T* b;
  std::int64_t b_step, b_ahead;  // ahead: where later steps may be prefetched from; packed tiles know both
  std::int64_t steps;
  const T* const* older;
  int older_count;
  std::int64_t oldest_stride;
  T* out;
  std::int64_t out_stride;
  std::int64_t columns;  // of a narrow tile
};
template <class T>
using TileFunction = void (*)(const TileArgs<T>&);

// Tiles of one algorithm kind, tallest first, one row last.
template <class T>
struct TileSet {
  static constexpr int kMaxHeights = 6, kMaxNarrow = 14;
  int count = 0;
  int rows[kMaxHeights] = {};
  TileFunction<T> packed[kMaxHeights] = {};   // b is packed
  TileFunction<T> strided[kMaxHeights] = {};  // b may lie anywhere; null where there are none
  TileFunction<T> narrow[kMaxNarrow + 1] = {};  // of that many rows: of all of `rows` and of some others, or null
};

// A vector of k steps times a matrix, one FMA an element.
//   lines: out[j] is the sum over s of x[s] * matrix[s * stride + j]; uses scratch
//   dots:  out[j] is the sum over s of x[s] * matrix[j * stride + s]; with scratch, for lines that compete for the
//          same places of the cache, reads chunks of few lines side by side instead of many lines
// n outputs, NaNs made canonical.
template <class T>
struct VectorArgs {
  const T* x;
  const T* matrix;
  std::int64_t stride;
  std::int64_t n, k;
  T* out;
  T* scratch;  // lines: of (1 + levels of pending chunks) * kVectorStrip elements; dots: null or of k elements
};
template <class T>
struct VectorKernels {
  void (*lines)(const VectorArgs<T>& args);
  void (*dots)(const VectorArgs<T>& args);
  void (*dot)(const T* x, const T* y, std::int64_t k, T* out);  // n = 1, matrix stride 1
};

// How operands enter the FMAs of an algorithm (docs/numerics.md, section 1): `fmas` forms an element.
//   fmas 1: RNE(x).   fmas 2: h+m, m.   fmas 3: x, x-h, m.
struct Forms {
  PrecisionType width;  // kF32: x itself
  int fmas;
  bool negate_second;  // form 1 negated: the lhs of x3 and x6
};

// The epilogue of one run, in T; absent steps are not done. A null c or bias is an absent step.
template <class T>
struct EpilogueArgs {
  T* r;
  std::int64_t n;
  bool scale;  // r = alpha * r
  T alpha;
  const T* c;  // r = fma(beta, c, r)
  T beta;
  const T* bias;  // r = r + bias
};

struct KernelTable {
  const char* name;
  bool fma;         // in hardware
  int float_lanes;
  int tile_columns_f32;  // two vectors
  int tile_columns_f64;
  bool masked_memory;  // a narrow tile accesses no memory of absent columns

  TileSet<float> f32[3];   // by fmas - 1
  TileSet<float> f16_acc;  // sum rounded to float16 after every operation
  TileSet<float> bf16_acc;
  TileSet<double> f64;
  VectorKernels<float> vectors_f32;
  VectorKernels<double> vectors_f64;
  TileSet<std::uint32_t> u32;  // integers modulo 2^32, in two's complement

  // Moves of elements of 4 bytes [0] and of 8 bytes [1]; strides count elements.
  // Step s of panel p of tile_columns: from in + s * in_stride + p * tile_columns on, to
  // out + p * panel_size + s * tile_columns.
  void (*copy_panels[2])(const void* in, std::int64_t in_stride, std::int64_t steps, std::int64_t panels,
                         void* out, std::int64_t panel_size);
  // out[r * out_stride + c] = in[c * in_stride + r].
  void (*transpose[2])(const void* in, std::int64_t in_stride, std::int64_t rows, std::int64_t columns,
                       void* out, std::int64_t out_stride);

  // Conversions between real float types, RNE; NaNs keep their sign. One side is float (or double).
  void (*to_f32)(ElementType from, const void* in, std::int64_t n, float* out);
  void (*to_f64)(ElementType from, const void* in, std::int64_t n, double* out);
  void (*from_f32)(ElementType to, const float* in, std::int64_t n, void* out);
  void (*from_f64)(ElementType to, const double* in, std::int64_t n, void* out);
  // RNE to a width, kept in the type of `out`.
  void (*round_f32)(PrecisionType width, const float* in, std::int64_t n, float* out);
  void (*round_f64)(PrecisionType width, const double* in, std::int64_t n, double* out);
  // x as a sum of `parts` parts (saturating, section 3): part p of element i at out[p][i].
  void (*split)(PrecisionType width, int parts, const float* in, std::int64_t n, float* const* out);
  // The forms of rows x columns elements: row r from in + r * in_stride; form f of it at
  // out + r * out_stride + f * fma_stride.
  void (*form)(const Forms& forms, const float* in, std::int64_t in_stride, std::int64_t rows,
               std::int64_t columns, float* out, std::int64_t out_stride, std::int64_t fma_stride);

  void (*epilogue_f32)(const EpilogueArgs<float>& args);
  void (*epilogue_f64)(const EpilogueArgs<double>& args);
};

// The tables built into the library, best first; usable() of the machine or not.
std::span<const KernelTable* const> compiled_tables();

}  // namespace matprec::kernels

#endif  // MATPREC_SRC_KERNELS_KERNEL_TABLE_H_
