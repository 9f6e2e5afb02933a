// The micro-kernel: a tile of outputs over packed panels, MP-ACC-1 to the letter.
//
// Vectorised over columns, never over k: every output is one chain of fused multiply-adds in increasing k
// within a chunk, so neither lanes nor tile shape can change a bit. Finished chunks go to a small stack of
// tiles (a binary counter); the last chunk folds what is pending, newest first, the older on the left, then
// the pending values of earlier blocks.
//
// A tile is kRows rows by two vectors, a narrow one by a single vector of which some lanes may be absent.
// Accumulators are named variables, made by macros over the rows:
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
#include "src/kernels/lanes-inl.h"
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

// Chunk values can be pending at this many levels inside one block.
inline constexpr int kStackTiles = 3;
static_assert((std::int64_t{1} << kStackTiles) >= kMaxBlockChunks);

// The same pointer, of which the compiler knows nothing: else it makes an address of its own of each step,
// more than there are registers for.
template <class T>
HWY_INLINE const T* Opaque(const T* pointer) {
  asm("" : "+r"(pointer));
  return pointer;
}

// How a tile reads its columns.
enum class Columns {
  kStrided,  // steps TileArgs::b_step apart
  kPacked,   // steps one behind the other: a little faster, as addresses need fewer instructions
  kNarrow,   // as strided ones, half as many or less
};

template <class T, int kRows, int kFmas, class Sum, Columns kColumns>
void Tile(const TileArgs<T>& args) {
  static_assert(kRows <= 14);
  // Four steps a turn of the loop where its own instructions would cost issue slots: with one FMA a step, in
  // the tall tiles that do nearly all the work. Elsewhere it would cost build time for nothing.
  constexpr bool kNarrow = kColumns == Columns::kNarrow;
  constexpr bool kFourSteps = kFmas == 1 && kRows >= (kNarrow ? 4 : 6) && !Sum::kRounds;
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t columns = 2 * lanes;
  const auto present = hn::FirstN(d, static_cast<std::size_t>(kNarrow ? args.columns : lanes));
  HWY_ALIGN T stack[kStackTiles * kRows * 2 * (HWY_MAX_BYTES / sizeof(T))];

  const T* a = args.a;
  const T* b = args.b;
  const std::int64_t a_row = args.a_row;
  const std::int64_t b_step = kColumns == Columns::kPacked ? kFmas * columns : args.b_step;
  const std::int64_t b_ahead = kColumns == Columns::kPacked ? kPackedAhead * b_step : args.b_ahead;
  std::int64_t left = args.steps;

#define MATPREC_DECLARE(r) [[maybe_unused]] V s##r##x = hn::Zero(d), s##r##y = s##r##x;
  MATPREC_EACH_ROW(MATPREC_DECLARE)
#undef MATPREC_DECLARE

  for (std::int64_t chunk = 0;; ++chunk) {
    const std::int64_t steps = HWY_MIN(left, kChunkSteps);
    if constexpr (kRows >= 4 && kColumns == Columns::kPacked) {
      if (left == steps) {  // the lines that are stored to at the end
#define MATPREC_TOUCH(r)                                                        \
  if constexpr (r < kRows) {                                                    \
    hwy::Prefetch(args.out + r * args.out_stride);                              \
    if constexpr (sizeof(T) * 2 * HWY_LANES(T) > 64) {                          \
      hwy::Prefetch(args.out + r * args.out_stride + lanes);                    \
    }                                                                           \
  }
        MATPREC_EACH_ROW(MATPREC_TOUCH)
#undef MATPREC_TOUCH
      }
    }
#define MATPREC_ZERO(r)                              \
  if constexpr (r < kRows) {                         \
    s##r##x = hn::Zero(d), s##r##y = hn::Zero(d);    \
  }
    MATPREC_EACH_ROW(MATPREC_ZERO)
#undef MATPREC_ZERO

#define MATPREC_FMA(r)                                                          \
  if constexpr (r < kRows) {                                                    \
    const V ar = hn::Set(d, kFmas == 1 ? row[(r) / 5][(r) % 5 * a_row + j]      \
                                       : row[0][(fma * kRows + r) * kChunkSteps + j]); \
    s##r##x = Sum::Round(d, Fused(d, ar, bx, s##r##x));                         \
    if constexpr (!kNarrow) s##r##y = Sum::Round(d, Fused(d, ar, by, s##r##y)); \
  }
#define MATPREC_FORM(f)                                \
  if constexpr (f < kFmas) {                           \
    constexpr std::int64_t fma = f;                    \
    const V bx = kNarrow ? LoadPresent(d, present, b) : hn::LoadU(d, b + fma * columns); \
    [[maybe_unused]] const V by = kNarrow ? bx : hn::LoadU(d, b + fma * columns + lanes); \
    MATPREC_EACH_ROW(MATPREC_FMA)                      \
  }
#define MATPREC_STEP(step)                                                        \
  {                                                                             \
    constexpr std::int64_t j = step;                                            \
    if constexpr (kColumns != Columns::kStrided) {                              \
      const T* const later = b + b_ahead;                                       \
      hwy::Prefetch(later);                                                     \
      if constexpr (!kNarrow && sizeof(T) * 2 * HWY_LANES(T) > 64) {            \
        hwy::Prefetch(later + lanes);                                           \
      }                                                                         \
    }                                                                           \
    MATPREC_FORM(0)                                                             \
    MATPREC_FORM(1)                                                             \
    MATPREC_FORM(2)                                                             \
    b = kColumns == Columns::kPacked ? b + b_step : Opaque(b + b_step);         \
  }
    // Of five rows each, so that few registers hold the addresses of all.
    const T* row[3] = {a, kRows > 5 ? a + 5 * a_row : a, kRows > 10 ? a + 10 * a_row : a};
    std::int64_t k = steps;
    if constexpr (kFourSteps) {
      for (; k >= 4; k -= 4) {
        MATPREC_STEP(0) MATPREC_STEP(1) MATPREC_STEP(2) MATPREC_STEP(3)
        row[0] += 4, row[1] += 4, row[2] += 4;
      }
    }
    for (; k > 0; --k) {
      MATPREC_STEP(0)
      ++row[0], ++row[1], ++row[2];
    }
#undef MATPREC_STEP
#undef MATPREC_FORM
#undef MATPREC_FMA
    a += args.a_chunk;
    left -= steps;

    // s = pending + s for one pending tile.
#define MATPREC_FOLD(r)                                                              \
  if constexpr (r < kRows) {                                                         \
    s##r##x = Sum::Round(d, hn::Add(hn::LoadU(d, pending + r * pitch), s##r##x));    \
    if constexpr (!kNarrow) {                                                        \
      s##r##y = Sum::Round(d, hn::Add(hn::LoadU(d, pending + r * pitch + lanes), s##r##y)); \
    }                                                                                \
  }
    int level = 0;
    for (std::int64_t carry = chunk; carry != 0; carry >>= 1, ++level) {
      if ((carry & 1) != 0) {
        const T* pending = stack + level * kRows * columns;
        const std::int64_t pitch = columns;
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
    if constexpr (!kNarrow) hn::StoreU(s##r##y, d, place + r * columns + lanes); \
  }
    MATPREC_EACH_ROW(MATPREC_PUSH)
#undef MATPREC_PUSH
  }

  for (int i = 0; i < args.older_count; ++i) {
    const T* pending = args.older[i];
    const std::int64_t pitch = i + 1 < args.older_count ? columns : args.oldest_stride;
    MATPREC_EACH_ROW(MATPREC_FOLD)
  }
#undef MATPREC_FOLD

  // One look at all of them: a NaN, or infinities of both signs, shows in their sum.
  // In four strands, to wait less for each addition.
  const V zero = hn::Zero(d);
  V t0 = zero, t1 = zero, t2 = zero, t3 = zero;
#define MATPREC_SUM(r)                                                      \
  if constexpr (r < kRows) {                                                \
    V& t = r % 4 == 0 ? t0 : r % 4 == 1 ? t1 : r % 4 == 2 ? t2 : t3;         \
    t = hn::Add(t, s##r##x);                                                \
    if constexpr (!kNarrow) t = hn::Add(t, s##r##y);                        \
  }
  MATPREC_EACH_ROW(MATPREC_SUM)
#undef MATPREC_SUM
  if (HasNaN(d, hn::Add(hn::Add(t0, t1), hn::Add(t2, t3)))) {
#define MATPREC_CANONICAL(r)                              \
  if constexpr (r < kRows) {                              \
    s##r##x = CanonicalNaN(d, s##r##x);                   \
    if constexpr (!kNarrow) s##r##y = CanonicalNaN(d, s##r##y); \
  }
    MATPREC_EACH_ROW(MATPREC_CANONICAL)
#undef MATPREC_CANONICAL
  }

#define MATPREC_OUT(r)                                                      \
  if constexpr (r < kRows) {                                                \
    T* to = args.out + r * args.out_stride;                                 \
    if constexpr (kNarrow) {                                                \
      StorePresent(d, present, s##r##x, args.columns, to);                  \
    } else {                                                                \
      hn::StoreU(s##r##x, d, to);                                           \
      hn::StoreU(s##r##y, d, to + lanes);                                   \
    }                                                                       \
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

template <class T, int kRows, int kFmas>
void AddTile(TileSet<T>& set) {
  const int i = set.count++;
  set.rows[i] = kRows;
  set.packed[i] = &Tile<T, kRows, kFmas, KeepSum, Columns::kPacked>;
  if constexpr (kFmas == 1) {
    set.strided[i] = &Tile<T, kRows, kFmas, KeepSum, Columns::kStrided>;
    set.narrow[kRows] = &Tile<T, kRows, kFmas, KeepSum, Columns::kNarrow>;
  }
}

// Small products of float32 are over with one call where a tile has their height.
template <class T, int kFmas, int... kRows>
void AddNarrow(TileSet<T>& set) {
  if constexpr (kFmas == 1 && sizeof(T) == 4) {
    ((set.narrow[kRows] = &Tile<T, kRows, kFmas, KeepSum, Columns::kNarrow>), ...);
  }
}

template <class T, int kFmas>
TileSet<T> Tiles() {
  TileSet<T> set;
#if MATPREC_TALLEST == 14
  AddTile<T, 14, kFmas>(set);
  AddTile<T, 8, kFmas>(set);
  AddNarrow<T, kFmas, 3, 5, 6, 7, 12, 13>(set);
#else
  AddTile<T, 6, kFmas>(set);
  AddNarrow<T, kFmas, 3, 5, 8, 12>(set);  // one vector a row leaves registers for more rows
#endif
  AddTile<T, 4, kFmas>(set);
  AddTile<T, 2, kFmas>(set);
  AddTile<T, 1, kFmas>(set);
  return set;
}

// For sums whose cost is not in loads (rounded after every operation, or integers): two heights do.
template <class T, class Sum>
TileSet<T> LowTiles() {
  TileSet<T> set;
  set.count = 2;
  set.rows[0] = 4;
  set.packed[0] = &Tile<T, 4, 1, Sum, Columns::kPacked>;
  set.rows[1] = 1;
  set.packed[1] = &Tile<T, 1, 1, Sum, Columns::kPacked>;
  if constexpr (!Sum::kRounds) {
    set.strided[0] = &Tile<T, 4, 1, Sum, Columns::kStrided>;
    set.strided[1] = &Tile<T, 1, 1, Sum, Columns::kStrided>;
  }
  return set;
}

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MATPREC_SRC_KERNELS_MICRO_INL_H_
