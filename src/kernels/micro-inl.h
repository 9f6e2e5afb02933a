// The micro-kernel: a tile of outputs over packed panels, MP-ACC-1 to the letter.
//
// Vectorised over columns, never over k: every output is one chain of fused multiply-adds in increasing k
// within a chunk, so neither lanes nor tile shape can change a bit. Finished chunks go to a small stack of
// tiles (a binary counter); the last chunk folds what is pending, newest first, the older on the left, then
// the pending values of earlier blocks.
//
// A tile is kRows rows by two vectors. Accumulators are named variables, made by macros over the rows:
// arrays of vectors cannot exist on scalable targets, and g++ keeps a memory copy of arrays it unrolls.
#if defined(MATPREC_SRC_KERNELS_MICRO_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MATPREC_SRC_KERNELS_MICRO_INL_H_
#undef MATPREC_SRC_KERNELS_MICRO_INL_H_
#else
#define MATPREC_SRC_KERNELS_MICRO_INL_H_
#endif

#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/kernels/fused-inl.h"
#include "src/kernels/kernel_table.h"
#include "src/kernels/round-inl.h"

// Rows of the tallest tile: one broadcast feeds two FMAs, and accumulators (2 a row), two vectors of b and
// one broadcast must fit the registers: 32 of them hold 14 rows, 16 hold 6.
#undef MATPREC_TALLEST
#if HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64
#define MATPREC_TALLEST 14
#else
#define MATPREC_TALLEST 6
#endif

#ifndef MATPREC_EACH_ROW
#define MATPREC_EACH_ROW(X) \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13)
#endif

HWY_BEFORE_NAMESPACE();
namespace matprec::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The NaN that every NaN result becomes; integers have none.
template <class D, class V = hn::Vec<D>, HWY_IF_NOT_FLOAT(hn::TFromD<D>)>
HWY_INLINE V CanonicalNaN(D /*d*/, V x) {
  return x;
}
template <class D, class V = hn::Vec<D>, HWY_IF_FLOAT(hn::TFromD<D>)>
HWY_INLINE V CanonicalNaN(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  using TU = hn::TFromD<decltype(du)>;
  const auto nan = hn::Set(du, static_cast<TU>(sizeof(TU) == 4 ? 0x7FC00000u : 0x7FF8000000000000u));
  return hn::IfThenElse(hn::IsNaN(x), hn::BitCast(d, nan), x);
}

// Chunk values can be pending at this many levels inside one block.
inline constexpr int kStackTiles = 3;
static_assert((std::int64_t{1} << kStackTiles) >= kMaxBlockChunks);

template <class T, int kRows, int kFmas, class Sum>
void Tile(const TileArgs<T>& args) {
  static_assert(kRows <= 14);
  // Four steps a turn of the loop where its own instructions would cost issue slots: with one FMA a step, in
  // the tall tiles that do nearly all the work. Elsewhere it would cost build time for nothing.
  constexpr bool kFourSteps = kFmas == 1 && kRows >= 6 && !Sum::kRounds;
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t columns = 2 * lanes;
  HWY_ALIGN T stack[kStackTiles * kRows * 2 * (HWY_MAX_BYTES / sizeof(T))];

  const T* a = args.a;
  const T* b = args.b;
  const std::int64_t a_row = args.a_row, b_step = args.b_step, b_ahead = args.b_ahead;
  std::int64_t left = args.steps;

#define MATPREC_DECLARE(r) [[maybe_unused]] V s##r##x = hn::Zero(d), s##r##y = s##r##x;
  MATPREC_EACH_ROW(MATPREC_DECLARE)
#undef MATPREC_DECLARE

  for (std::int64_t chunk = 0;; ++chunk) {
    const std::int64_t steps = HWY_MIN(left, kChunkSteps);
#define MATPREC_ZERO(r)                              \
  if constexpr (r < kRows) {                         \
    s##r##x = hn::Zero(d), s##r##y = hn::Zero(d);    \
  }
    MATPREC_EACH_ROW(MATPREC_ZERO)
#undef MATPREC_ZERO

#define MATPREC_FMA(r)                                                          \
  if constexpr (r < kRows) {                                                    \
    const V ar = hn::Set(d, kFmas == 1 ? row[(r) / 3][(r) % 3 * a_row + j]      \
                                       : row[0][(fma * kRows + r) * kChunkSteps + j]); \
    s##r##x = Sum::Round(d, Fused(d, ar, bx, s##r##x));                         \
    s##r##y = Sum::Round(d, Fused(d, ar, by, s##r##y));                         \
  }
#define MATPREC_FORM(f)                                \
  if constexpr (f < kFmas) {                           \
    constexpr std::int64_t fma = f;                    \
    const V bx = hn::LoadU(d, b + fma * columns);      \
    const V by = hn::LoadU(d, b + fma * columns + lanes); \
    MATPREC_EACH_ROW(MATPREC_FMA)                      \
  }
#define MATPREC_STEP(step)                                                        \
  {                                                                             \
    constexpr std::int64_t j = step;                                            \
    hwy::Prefetch(b + b_ahead);                                                 \
    if constexpr (sizeof(T) * 2 * HWY_LANES(T) > 64) hwy::Prefetch(b + b_ahead + lanes); \
    MATPREC_FORM(0)                                                             \
    MATPREC_FORM(1)                                                             \
    MATPREC_FORM(2)                                                             \
    b += b_step;                                                                \
  }
    // Of three rows each, so that few registers hold the addresses of all.
    const T* row[5] = {a, kRows > 3 ? a + 3 * a_row : a, kRows > 6 ? a + 6 * a_row : a,
                       kRows > 9 ? a + 9 * a_row : a, kRows > 12 ? a + 12 * a_row : a};
    std::int64_t k = steps;
    if constexpr (kFourSteps) {
      for (; k >= 4; k -= 4) {
        MATPREC_STEP(0) MATPREC_STEP(1) MATPREC_STEP(2) MATPREC_STEP(3)
        row[0] += 4, row[1] += 4, row[2] += 4, row[3] += 4, row[4] += 4;
      }
    }
    for (; k > 0; --k) {
      MATPREC_STEP(0)
      ++row[0], ++row[1], ++row[2], ++row[3], ++row[4];
    }
#undef MATPREC_STEP
#undef MATPREC_FORM
#undef MATPREC_FMA
    a += args.a_chunk;
    left -= steps;

    // s = pending + s for one pending tile.
#define MATPREC_FOLD(r)                                                              \
  if constexpr (r < kRows) {                                                         \
    s##r##x = Sum::Round(d, hn::Add(hn::LoadU(d, pending + r * columns), s##r##x));  \
    s##r##y = Sum::Round(d, hn::Add(hn::LoadU(d, pending + r * columns + lanes), s##r##y)); \
  }
    int level = 0;
    for (std::int64_t carry = chunk; carry != 0; carry >>= 1, ++level) {
      if ((carry & 1) != 0) {
        const T* pending = stack + level * kRows * columns;
        MATPREC_EACH_ROW(MATPREC_FOLD)
      } else if (left > 0) {
        break;  // a free place: this subtree waits there
      }
    }
    if (left == 0) break;
    T* place = stack + level * kRows * columns;
#define MATPREC_PUSH(r)                                   \
  if constexpr (r < kRows) {                              \
    hn::StoreU(s##r##x, d, place + r * columns);          \
    hn::StoreU(s##r##y, d, place + r * columns + lanes);  \
  }
    MATPREC_EACH_ROW(MATPREC_PUSH)
#undef MATPREC_PUSH
  }

  for (int i = 0; i < args.older_count; ++i) {
    const T* pending = args.older[i];
    MATPREC_EACH_ROW(MATPREC_FOLD)
  }
#undef MATPREC_FOLD

#define MATPREC_OUT(r)                                                      \
  if constexpr (r < kRows) {                                                \
    T* to = args.out + r * args.out_stride;                                 \
    hn::StoreU(CanonicalNaN(d, s##r##x), d, to);                            \
    hn::StoreU(CanonicalNaN(d, s##r##y), d, to + lanes);                    \
  }
  MATPREC_EACH_ROW(MATPREC_OUT)
#undef MATPREC_OUT
}

// alpha, beta and bias on one run of sums, each step one rounding (docs/numerics.md, epilogue).
template <class T>
void Epilogue(const EpilogueArgs<T>& args) {
  const auto body = [&args](auto d, std::int64_t i) HWY_ATTR {
    auto r = hn::LoadU(d, args.r + i);
    if (args.scale) r = hn::Mul(hn::Set(d, args.alpha), r);
    if (args.c != nullptr) r = Fused(d, hn::Set(d, args.beta), hn::LoadU(d, args.c + i), r);
    if (args.bias != nullptr) r = hn::Add(r, hn::LoadU(d, args.bias + i));
    hn::StoreU(CanonicalNaN(d, r), d, args.r + i);
  };
  ForEachVector<T>(args.n, body);
}

template <class T, int kFmas, class Sum>
TileSet<T> Tiles() {
  TileSet<T> set;
  const auto add = [&set](int rows, TileFunction<T> tile) {
    set.rows[set.count] = rows;
    set.tile[set.count++] = tile;
  };
#if MATPREC_TALLEST == 14
  add(14, &Tile<T, 14, kFmas, Sum>);
  add(8, &Tile<T, 8, kFmas, Sum>);
#else
  add(6, &Tile<T, 6, kFmas, Sum>);
#endif
  add(4, &Tile<T, 4, kFmas, Sum>);
  add(2, &Tile<T, 2, kFmas, Sum>);
  add(1, &Tile<T, 1, kFmas, Sum>);
  return set;
}

// For sums whose cost is not in loads (rounded after every operation, or integers): two heights do.
template <class T, class Sum>
TileSet<T> LowTiles() {
  TileSet<T> set;
  set.count = 2;
  set.rows[0] = 4;
  set.tile[0] = &Tile<T, 4, 1, Sum>;
  set.rows[1] = 1;
  set.tile[1] = &Tile<T, 1, 1, Sum>;
  return set;
}

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MATPREC_SRC_KERNELS_MICRO_INL_H_
