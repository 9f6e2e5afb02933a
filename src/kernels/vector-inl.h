// Products of a vector: MP-ACC-1 to the letter, in the order in which memory is fastest.
//
// A matrix is read once, so its way through memory is all that counts. Where its lines run along the outputs,
// whole lines are added up, a few at a time; where they run along the steps, as many lines as a vector has
// lanes are read side by side and turned over in registers, or fewer lines and some chunks of each. Of a dot product,
// chunks alone are read side by side.
#if defined(MATPREC_SRC_KERNELS_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MATPREC_SRC_KERNELS_VECTOR_INL_H_
#undef MATPREC_SRC_KERNELS_VECTOR_INL_H_
#else
#define MATPREC_SRC_KERNELS_VECTOR_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "src/kernels/fused-inl.h"
#include "src/kernels/kernel_table.h"
#include "src/kernels/lanes-inl.h"

// For lambdas of the inner loops: called, they would keep sums in memory.
#ifndef MATPREC_INLINED
#define MATPREC_INLINED HWY_ATTR __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace matprec::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// body(0), ..., body(kCount - 1), each as its own code.
template <class Body, int... i>
HWY_INLINE void Unrolled(std::integer_sequence<int, i...>, const Body& body) {
  (body(std::integral_constant<int, i>()), ...);
}
template <int kCount, class Body>
HWY_INLINE void Unrolled(const Body& body) {
  Unrolled(std::make_integer_sequence<int, kCount>(), body);
}

// sums[j] = fma(x[s], lines[s][j], sums[j]) for kSteps steps s in order; from zero if `fresh`.
template <class T, int kSteps>
HWY_INLINE void AddLines(const T* x, const T* lines, std::int64_t stride, std::int64_t n, bool fresh, T* sums) {
  if (fresh) {
    ForEachVector<T>(n, [=](auto d, std::int64_t j) MATPREC_INLINED { hn::StoreU(hn::Zero(d), d, sums + j); });
  }
  ForEachVector<T>(n, [=](auto d, std::int64_t j) MATPREC_INLINED {
    auto sum = hn::LoadU(d, sums + j);
    const T* const line = lines + j;
    Unrolled<kSteps>([&](auto s) MATPREC_INLINED {
      sum = Fused(d, hn::Set(d, x[s]), hn::LoadU(d, line + s * stride), sum);
    });
    hn::StoreU(sum, d, sums + j);
  });
}

// VectorKernels::lines.
template <class T>
void Lines(const VectorArgs<T>& args) {
  constexpr int kSteps = 8;
  for (std::int64_t first = 0; first < args.n; first += kVectorStrip) {
    const std::int64_t n = HWY_MIN(args.n - first, kVectorStrip);
    T* const sums = args.scratch;  // of the running chunk; finished ones wait behind it
    for (std::int64_t chunk = 0, left = args.k; left > 0; ++chunk, left -= kChunkSteps) {
      const std::int64_t steps = HWY_MIN(left, kChunkSteps);
      const T* const x = args.x + chunk * kChunkSteps;
      const T* const lines = args.matrix + first + chunk * kChunkSteps * args.stride;
      std::int64_t s = 0;
      for (; s + kSteps <= steps; s += kSteps) {
        AddLines<T, kSteps>(x + s, lines + s * args.stride, args.stride, n, s == 0, sums);
      }
      for (; s < steps; ++s) AddLines<T, 1>(x + s, lines + s * args.stride, args.stride, n, s == 0, sums);

      const bool last = left <= kChunkSteps;
      int level = 0;
      for (std::int64_t carry = chunk; carry != 0; carry >>= 1, ++level) {
        const T* const pending = sums + (level + 1) * kVectorStrip;
        if ((carry & 1) != 0) {
          ForEachVector<T>(n, [=](auto d, std::int64_t j) MATPREC_INLINED {
            hn::StoreU(hn::Add(hn::LoadU(d, pending + j), hn::LoadU(d, sums + j)), d, sums + j);
          });
        } else if (!last) {
          break;
        }
      }
      T* const place = last ? args.out + first : sums + (level + 1) * kVectorStrip;
      ForEachVector<T>(n, [=](auto d, std::int64_t j) MATPREC_INLINED {
        const auto sum = hn::LoadU(d, sums + j);
        hn::StoreU(last ? CanonicalNaN(d, sum) : sum, d, place + j);
      });
    }
  }
}

// Rows that are read side by side become lanes: row i, at at(block, i % kTurned) of its block i / kTurned, is lane
// i. take(v_0, v_1, ...): lane i of v_j is element j of row i, for 16 bytes of each.
#if HWY_TARGET == HWY_SCALAR
template <class T>
inline constexpr int kTurned = 1;

template <class T, class D, class At, class Take>
HWY_INLINE void TurnOver(D d, const At& at, const Take& take) {
  take(hn::LoadU(d, at(0, 0)));
}
#else
template <class T>
inline constexpr int kTurned = 16 / sizeof(T);

// 16 bytes each of row `row` of all blocks.
template <class T, class D, class At>
HWY_INLINE hn::Vec<D> Blocks(D d, const At& at, int row) {
  constexpr int kBlock = kTurned<T>, kBlocks = static_cast<int>(hn::MaxLanes(D())) / kBlock;
  if constexpr (kBlocks == 1) {
    return hn::LoadU(d, at(0, row));
  } else if constexpr (kBlocks == 2) {
    const hn::Half<D> dh;
    return hn::Combine(d, hn::LoadU(dh, at(1, row)), hn::LoadU(dh, at(0, row)));
  } else {
    static_assert(kBlocks == 4);
    const auto lane = hn::Iota(d, T{0});
    auto v = hn::LoadDup128(d, at(0, row));
    v = hn::IfThenElse(hn::Ge(lane, hn::Set(d, T{kBlock})), hn::LoadDup128(d, at(1, row)), v);
    v = hn::IfThenElse(hn::Ge(lane, hn::Set(d, T{2 * kBlock})), hn::LoadDup128(d, at(2, row)), v);
    return hn::IfThenElse(hn::Ge(lane, hn::Set(d, T{3 * kBlock})), hn::LoadDup128(d, at(3, row)), v);
  }
}

template <class T, class D, class At, class Take>
HWY_INLINE void TurnOver(D d, const At& at, const Take& take) {
  const auto v0 = Blocks<T>(d, at, 0), v1 = Blocks<T>(d, at, 1);
  if constexpr (kTurned<T> == 2) {
    take(hn::InterleaveLower(d, v0, v1), hn::InterleaveUpper(d, v0, v1));
  } else {
    const hn::Repartition<double, D> dd;
    const auto v2 = Blocks<T>(d, at, 2), v3 = Blocks<T>(d, at, 3);
    const auto low01 = hn::BitCast(dd, hn::InterleaveLower(d, v0, v1));
    const auto high01 = hn::BitCast(dd, hn::InterleaveUpper(d, v0, v1));
    const auto low23 = hn::BitCast(dd, hn::InterleaveLower(d, v2, v3));
    const auto high23 = hn::BitCast(dd, hn::InterleaveUpper(d, v2, v3));
    take(hn::BitCast(d, hn::InterleaveLower(dd, low01, low23)), hn::BitCast(d, hn::InterleaveUpper(dd, low01, low23)),
         hn::BitCast(d, hn::InterleaveLower(dd, high01, high23)),
         hn::BitCast(d, hn::InterleaveUpper(dd, high01, high23)));
  }
}
#endif

// The compiler takes p for anything from here on: it would keep an address for each of 16 rows, of which most
// would not fit the registers.
template <class T>
HWY_INLINE void Forget(const T*& p) {
  asm volatile("" : "+r"(p));
}

// Where the rows of D's lanes are, of each block the first one.
template <class D, class T = hn::TFromD<D>>
struct RowBlocks {
  static constexpr int kBlocks = static_cast<int>(hn::MaxLanes(D())) / kTurned<T>;
  const T *p0, *p1, *p2, *p3;

  HWY_INLINE const T* operator[](int block) const {
    return block == 0 ? p0 : block == 1 ? p1 : block == 2 ? p2 : p3;
  }
  HWY_INLINE void advance(std::int64_t steps) {
    p0 += steps;
    Forget(p0);
    if constexpr (kBlocks > 1) p1 += steps, Forget(p1);
    if constexpr (kBlocks > 2) p2 += steps, p3 += steps, Forget(p2), Forget(p3);
  }
};

// Levels of the binary counter of MP-ACC-1 that any number of chunks fills.
inline constexpr int kLevels = 57;

// The sum of 2^level chunks joins the others: the last one's result is the whole sum.
template <class T>
class Counter {
 public:
  explicit Counter(std::int64_t chunks) : chunks_(chunks) {}
  void join(T sum, int level = 0) {
    const bool last = chunk_ + (std::int64_t{1} << level) == chunks_;
    std::int64_t carry = chunk_ >> level;
    chunk_ += std::int64_t{1} << level;
    for (; carry != 0; carry >>= 1, ++level) {
      if ((carry & 1) != 0) {
        sum = pending_[level] + sum;
      } else if (!last) {
        break;
      }
    }
    (last ? total_ : pending_[level]) = sum;
  }
  T total() const { return total_; }

 private:
  const std::int64_t chunks_;
  std::int64_t chunk_ = 0;
  T total_ = 0;
  T pending_[kLevels];
};

#if HWY_TARGET != HWY_SCALAR
// The sum of the kTurned chunks of each block, in all of its lanes.
template <class D>
HWY_INLINE hn::Vec<D> TreeOfBlock(D /*d*/, hn::Vec<D> v) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return hn::Add(v, hn::Shuffle01(v));
  } else {
    v = hn::Add(v, hn::Shuffle2301(v));
    return hn::Add(v, hn::Shuffle1032(v));
  }
}

// Chunks of a dot product as rows: block b from step start[b] on, row r of it `row_offset(r)` further. And one more,
// of `rest` steps from `rest_at` on, which goes beside them by itself.
template <class T, class D, class RowOffset>
HWY_INLINE hn::Vec<D> ChunkValues(D d, const T* x, const T* y, const std::int64_t (&start)[4],
                                  const RowOffset& row_offset, std::int64_t rest_at, std::int64_t rest, T* rest_value) {
  constexpr int kTurn = kTurned<T>;
  const hn::CappedTag<T, 1> one;
  RowBlocks<D> xs{x, x + start[1], x + start[2], x + start[3]}, ys{y, y + start[1], y + start[2], y + start[3]};
  auto sum = hn::Zero(d);
  const auto turn = [&]() MATPREC_INLINED {
    TurnOver<T>(d, [&](int block, int row) MATPREC_INLINED { return xs[block] + row_offset(row); },
                [&](auto... a) MATPREC_INLINED {
                  TurnOver<T>(d, [&](int block, int row) MATPREC_INLINED { return ys[block] + row_offset(row); },
                              [&](auto... b) MATPREC_INLINED { ((sum = Fused(d, a, b, sum)), ...); });
                });
    xs.advance(kTurn);
    ys.advance(kTurn);
  };
  auto rest_sum = hn::Zero(one);
  x += rest_at, y += rest_at;
  const auto add_rest = [&](int i) MATPREC_INLINED {
    rest_sum = Fused(one, hn::LoadU(one, x + i), hn::LoadU(one, y + i), rest_sum);
  };
  int turns = static_cast<int>(kChunkSteps / kTurn);
  for (; rest >= kTurn; rest -= kTurn, --turns) {
    turn();
    Unrolled<kTurn>([&](auto i) MATPREC_INLINED { add_rest(i); });
    x += kTurn, y += kTurn;
    Forget(x), Forget(y);
  }
  for (; rest > 0; --rest, ++x, ++y) add_rest(0);
  for (; turns > 0; --turns) turn();
  *rest_value = hn::GetLane(rest_sum);
  return sum;
}
#endif

// VectorKernels::dot.
template <class T>
void Dot(const T* x, const T* y, std::int64_t k, T* out) {
  const hn::CappedTag<T, 1> one;
  Counter<T> counter((k + kChunkSteps - 1) / kChunkSteps);
#if HWY_TARGET != HWY_SCALAR
  // Turning over is work for a unit that is there once: vectors twice as wide spare nothing where they are not full.
  constexpr std::size_t kWide = 32 / sizeof(T);
  constexpr std::int64_t kTurn = kTurned<T>;
  constexpr std::int64_t kBlock = kTurn * kChunkSteps;
  HWY_ALIGN T values[HWY_MAX_BYTES / sizeof(T)];
  T rest_value = 0;
  const auto in_order = [](int row) MATPREC_INLINED { return row * kChunkSteps; };
  const auto join_groups = [&](auto d) MATPREC_INLINED {
    constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    for (constexpr std::int64_t kGroup = kLanes * kChunkSteps; k >= kGroup; k -= kGroup, x += kGroup, y += kGroup) {
      const std::int64_t start[] = {0, kBlock, 2 * kBlock, 3 * kBlock};
      hn::StoreU(TreeOfBlock(d, ChunkValues(d, x, y, start, in_order, 0, 0, &rest_value)), d, values);
      T sum = values[0];
      if constexpr (kLanes == 2 * kTurn) sum = sum + values[kTurn];
      if constexpr (kLanes == 4 * kTurn) sum = (sum + values[kTurn]) + (values[2 * kTurn] + values[3 * kTurn]);
      counter.join(sum, std::countr_zero(static_cast<unsigned>(kLanes)));
    }
  };
  const hn::CappedTag<T, kWide> wide;
  if constexpr (hn::MaxLanes(hn::ScalableTag<T>()) > hn::MaxLanes(wide)) join_groups(hn::ScalableTag<T>());
  join_groups(wide);
  const hn::CappedTag<T, static_cast<std::size_t>(kTurn)> block;
  if (k == kBlock) join_groups(block);
  // Whole chunks that fill no vector, and the last one. Rows that there are not are others once more.
  const std::int64_t chunks = k > 0 ? (k - 1) / kChunkSteps : 0, rest_at = chunks * kChunkSteps;
  if (chunks > kTurn) {
    const std::int64_t second = (chunks - kTurn) * kChunkSteps;
    hn::StoreU(ChunkValues(wide, x, y, {0, second, 0, 0}, in_order, rest_at, k - rest_at, &rest_value), wide, values);
    for (std::int64_t c = 0; c < kTurn; ++c) counter.join(values[c]);
    for (std::int64_t c = kTurn; c < chunks; ++c) counter.join(values[c - chunks + 2 * kTurn]);
  } else if (chunks > 0) {
    const std::int64_t last = (chunks - 1) * kChunkSteps;
    const std::int64_t o1 = HWY_MIN(kChunkSteps, last), o2 = HWY_MIN(2 * kChunkSteps, last), o3 = last;
    const auto row_offset = [=](int row) MATPREC_INLINED { return row == 0 ? 0 : row == 1 ? o1 : row == 2 ? o2 : o3; };
    hn::StoreU(ChunkValues(block, x, y, {0, 0, 0, 0}, row_offset, rest_at, k - rest_at, &rest_value), block, values);
    for (std::int64_t c = 0; c < chunks; ++c) counter.join(values[c]);
  }
  if (chunks > 0) {
    counter.join(rest_value);
    k = 0;
  }
#endif
  for (; k > 0; k -= kChunkSteps) {
    auto sum = hn::Zero(one);
    for (std::int64_t step = HWY_MIN(k, kChunkSteps); step > 0; --step) {
      sum = Fused(one, hn::LoadU(one, x++), hn::LoadU(one, y++), sum);
    }
    counter.join(hn::GetLane(sum));
  }
  const T total = counter.total();
  hn::StoreU(CanonicalNaN(one, hn::LoadU(one, &total)), one, out);
}

// A value of 2^level chunks a lane joins the `count` values of as many that came before it: the last one becomes the
// whole sum, any other one waits, in its lanes.
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE V Join(D d, V sum, std::int64_t count, int level, bool last, hn::Mask<D> lanes, T* pending) {
  constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  T* at = pending + level * kLanes;
  for (; count != 0; count >>= 1, at += kLanes) {
    if ((count & 1) != 0) {
      sum = hn::Add(hn::Load(d, at), sum);
    } else if (!last) {
      break;
    }
  }
  if (!last) hn::Store(hn::IfThenElse(lanes, sum, hn::Load(d, at)), d, at);
  return sum;
}

// As many lines times x as a vector has lanes.
template <class T>
class LinesSideBySide {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using Rows = RowBlocks<D>;

 public:
  static constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  static constexpr std::int64_t kGroup = kTurned<T> * kChunkSteps;

  explicit LinesSideBySide(const VectorArgs<T>& args)
      : stride_(args.stride), k_(args.k), x_(args.x), turned_(args.scratch), groups_(0) {
#if HWY_TARGET != HWY_SCALAR
    if (turned_ == nullptr) return;
    groups_ = k_ / kGroup;
    const hn::CappedTag<T, static_cast<std::size_t>(kTurn)> block;
    for (std::int64_t step = 0; step < groups_ * kGroup; step += kTurn * kTurn) {
      const T* const from = x_ + step / kGroup * kGroup + step % kGroup / kTurn;
      T* to = turned_ + step;
      TurnOver<T>(block, [=](int, int row) MATPREC_INLINED { return from + row * kChunkSteps; },
                  [&](auto... v) MATPREC_INLINED { ((hn::StoreU(v, block, to), to += kTurn), ...); });
    }
#endif
  }

  // The lines from `first` on. The next ones, if there are `more`, are fetched towards the end.
  HWY_INLINE V sums(const T* first, bool more) {
#if HWY_TARGET != HWY_SCALAR
    const D d;
    V sum = hn::Zero(d);
    for (int line = 0; line < kTurn && groups_ > 0; ++line) {
      const auto mine = hn::Eq(hn::LoadDup128(d, kNumbers), hn::Set(d, static_cast<T>(line)));
      const std::int64_t next = line < kTurn - 1 ? stride_ : more ? (kLanes - line) * stride_ : 0;
      sum = hn::IfThenElse(mine, sum_of_groups(rows_at(first + line * stride_), next, mine), sum);
    }
    if (groups_ * kGroup == k_) return sum;
#endif
    return sum_of_rest(rows_at(first + groups_ * kGroup), more);
  }

 private:
  static constexpr int kTurn = kTurned<T>;
  // Turns in a line of the cache, of which each is fetched once.
  static constexpr int kTurns = static_cast<int>(HWY_MAX(64 / (sizeof(T) * kTurn), 1));
  static constexpr int kBody = kTurns * kTurn;
  static constexpr std::int64_t kAhead = 4 * kBody;
  HWY_ALIGN static constexpr T kNumbers[] = {0, 1, 2, 3};

  HWY_INLINE Rows rows_at(const T* z) const {
    return {z, z + kTurn * stride_, z + 2 * kTurn * stride_, z + 3 * kTurn * stride_};
  }

#if HWY_TARGET != HWY_SCALAR
  // A line of each block, of which kTurn chunks are rows. `next` lines are as far away.
  HWY_INLINE V sum_of_groups(Rows rows, std::int64_t next, hn::Mask<D> mine) {
    const D d;
    V sum = hn::Zero(d);
    const T* x = turned_;
    for (std::int64_t group = 0; group < groups_; ++group) {
      const bool last = group == groups_ - 1;
      const std::int64_t ahead = last ? next - group * kGroup : kGroup;
      sum = hn::Zero(d);
      for (std::int64_t step = 0; step < kChunkSteps; step += kBody) {
        Unrolled<kTurns>([&](auto t) MATPREC_INLINED {
          if constexpr (t < kTurn) {
            Unrolled<Rows::kBlocks>([&](auto b) MATPREC_INLINED { hwy::Prefetch(rows[b] + t * kChunkSteps + ahead); });
          }
          int j = 0;
          TurnOver<T>(d, [&](int b, int row) MATPREC_INLINED { return rows[b] + row * kChunkSteps + t * kTurn; },
                      [&](auto... v) MATPREC_INLINED {
                        ((sum = Fused(d, hn::LoadDup128(d, x + (t * kTurn + j++) * kTurn), v, sum)), ...);
                      });
        });
        rows.advance(kBody);
        x += kBody * kTurn;
      }
      rows.advance(kGroup - kChunkSteps);
      sum = Join(d, TreeOfBlock(d, sum), group, kTurn == 4 ? 2 : 1, last && groups_ * kGroup == k_, mine, pending_);
    }
    return sum;
  }
#endif

  // The steps that are not in groups; each row is a line.
  HWY_INLINE V sum_of_rest(Rows rows, bool more) {
    const D d;
    V sum = hn::Zero(d);
    const std::int64_t stride = stride_, stride2 = 2 * stride_, stride3 = 3 * stride_;
    const auto line = [=](int row) MATPREC_INLINED {
      return row == 0 ? 0 : row == 1 ? stride : row == 2 ? stride2 : stride3;
    };
    const T* x = x_ + groups_ * kGroup;
    const auto turn = [&](auto t) MATPREC_INLINED {
      int j = 0;
      TurnOver<T>(d, [&](int b, int row) MATPREC_INLINED { return rows[b] + t * kTurn + line(row); },
                  [&](auto... v) MATPREC_INLINED {
                    ((sum = Fused(d, hn::Set(d, x[t * kTurn + j++]), v, sum)), ...);
                  });
    };
    std::int64_t left = k_ - groups_ * kGroup;
    for (std::int64_t chunk = groups_ * kTurn; left > 0; ++chunk) {
      std::int64_t steps = HWY_MIN(left, kChunkSteps);
      left -= steps;
      sum = hn::Zero(d);
      for (; steps >= kBody; steps -= kBody) {
        const std::int64_t ahead = left + steps > kAhead || !more ? kAhead : kLanes * stride_ + kAhead - k_;
        Unrolled<kTurns>([&](auto t) MATPREC_INLINED {
          if constexpr (t < kTurn) {
            Unrolled<Rows::kBlocks>([&](auto b) MATPREC_INLINED { hwy::Prefetch(rows[b] + ahead + line(t)); });
          }
          turn(t);
        });
        rows.advance(kBody);
        x += kBody;
      }
      for (; steps >= kTurn; steps -= kTurn, x += kTurn) {
        turn(std::integral_constant<int, 0>());
        rows.advance(kTurn);
      }
      for (; steps > 0; --steps, ++x) {
        for (std::int64_t i = 0; i < kLanes; ++i) column_[i] = rows.p0[i * stride];
        sum = Fused(d, hn::Set(d, *x), hn::Load(d, column_), sum);
        rows.advance(1);
      }
      sum = Join(d, sum, chunk, 0, left == 0, hn::FirstN(d, static_cast<std::size_t>(kLanes)), pending_);
    }
    return sum;
  }

  const std::int64_t stride_, k_;
  const T* const x_;
  T* const turned_;  // of x, the steps in groups: one of each chunk of a group, the next ones, ...
  std::int64_t groups_;
  HWY_ALIGN T pending_[static_cast<std::size_t>(kLevels * kLanes)];
  HWY_ALIGN T column_[static_cast<std::size_t>(kLanes)];
};

// VectorKernels::dots.
template <class T>
void Dots(const VectorArgs<T>& args) {
  const hn::ScalableTag<T> d;
  constexpr std::int64_t kLanes = LinesSideBySide<T>::kLanes;
  if (args.n < kLanes) {
    for (std::int64_t j = 0; j < args.n; ++j) Dot(args.x, args.matrix + j * args.stride, args.k, args.out + j);
    return;
  }
  LinesSideBySide<T> lines(args);
  for (std::int64_t first = 0; first < args.n; first += kLanes) {
    first = HWY_MIN(first, args.n - kLanes);  // the last ones compute some outputs again
    const auto sum = lines.sums(args.matrix + first * args.stride, first + kLanes < args.n);
    hn::StoreU(CanonicalNaN(d, sum), d, args.out + first);
  }
}

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MATPREC_SRC_KERNELS_VECTOR_INL_H_
