// Products of a vector: MP-ACC-1 to the letter, in the order in which memory is fastest.
//
// A matrix is read once, so its way through memory is all that counts. Where its lines run along the outputs,
// whole lines are added up, a few at a time; where they run along the steps, as many lines as a vector has
// lanes are read side by side and turned over in registers. Of a dot product, chunks are such lines.
#if defined(MATPREC_SRC_KERNELS_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MATPREC_SRC_KERNELS_VECTOR_INL_H_
#undef MATPREC_SRC_KERNELS_VECTOR_INL_H_
#else
#define MATPREC_SRC_KERNELS_VECTOR_INL_H_
#endif

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

// take(v_0, v_1, ...): lane i of v_j is element j of the line at first + i * stride, for 16 bytes of each line.
#if HWY_TARGET == HWY_SCALAR
template <class T>
inline constexpr std::int64_t kTurned = 1;

template <class T, class D, class Take>
HWY_INLINE void TurnOver(D d, const T* first, std::int64_t /*stride*/, const Take& take) {
  take(hn::LoadU(d, first));
}
#else
template <class T>
inline constexpr std::int64_t kTurned = 16 / sizeof(T);

// 16 bytes each of this line, the one kTurned lines further, and so on.
template <class T, class D>
HWY_INLINE hn::Vec<D> Blocks(D d, const T* line, std::int64_t stride) {
  constexpr std::int64_t kBlock = kTurned<T>;
  auto v = hn::LoadDup128(d, line);
  if constexpr (hn::MaxLanes(D()) >= 2 * kBlock) {
    const auto lane = hn::Iota(d, T{0});
    v = hn::IfThenElse(hn::Ge(lane, hn::Set(d, T{kBlock})), hn::LoadDup128(d, line + kBlock * stride), v);
    if constexpr (hn::MaxLanes(D()) >= 4 * kBlock) {
      v = hn::IfThenElse(hn::Ge(lane, hn::Set(d, T{2 * kBlock})), hn::LoadDup128(d, line + 2 * kBlock * stride), v);
      v = hn::IfThenElse(hn::Ge(lane, hn::Set(d, T{3 * kBlock})), hn::LoadDup128(d, line + 3 * kBlock * stride), v);
    }
  }
  return v;
}

template <class D, class Take>
HWY_INLINE void TurnOver(D d, const float* first, std::int64_t stride, const Take& take) {
  const hn::Repartition<double, D> dd;
  const auto v0 = Blocks(d, first, stride), v1 = Blocks(d, first + stride, stride),
             v2 = Blocks(d, first + 2 * stride, stride), v3 = Blocks(d, first + 3 * stride, stride);
  const auto low01 = hn::BitCast(dd, hn::InterleaveLower(d, v0, v1));
  const auto high01 = hn::BitCast(dd, hn::InterleaveUpper(d, v0, v1));
  const auto low23 = hn::BitCast(dd, hn::InterleaveLower(d, v2, v3));
  const auto high23 = hn::BitCast(dd, hn::InterleaveUpper(d, v2, v3));
  take(hn::BitCast(d, hn::InterleaveLower(dd, low01, low23)), hn::BitCast(d, hn::InterleaveUpper(dd, low01, low23)),
       hn::BitCast(d, hn::InterleaveLower(dd, high01, high23)),
       hn::BitCast(d, hn::InterleaveUpper(dd, high01, high23)));
}
template <class D, class Take>
HWY_INLINE void TurnOver(D d, const double* first, std::int64_t stride, const Take& take) {
  const auto v0 = Blocks(d, first, stride), v1 = Blocks(d, first + stride, stride);
  take(hn::InterleaveLower(d, v0, v1), hn::InterleaveUpper(d, v0, v1));
}
#endif

// Levels of the binary counter of MP-ACC-1 that any number of chunks fills.
inline constexpr int kLevels = 57;

// The value of chunk `chunk` of `chunks` joins the others: the last one's result is the sum.
template <class T>
class Counter {
 public:
  explicit Counter(std::int64_t chunks) : chunks_(chunks) {}
  void join(T sum) {
    const bool last = chunk_ + 1 == chunks_;
    int level = 0;
    for (std::int64_t carry = chunk_; carry != 0; carry >>= 1, ++level) {
      if ((carry & 1) != 0) {
        sum = pending_[level] + sum;
      } else if (!last) {
        break;
      }
    }
    (last ? total_ : pending_[level]) = sum;
    ++chunk_;
  }
  T total() const { return total_; }

 private:
  const std::int64_t chunks_;
  std::int64_t chunk_ = 0;
  T total_ = 0;
  T pending_[kLevels];
};

// The values of as many chunks as D has lanes, from x and y on.
template <class T, class D>
HWY_INLINE hn::Vec<D> ChunkValues(D d, const T* x, const T* y) {
  auto sum = hn::Zero(d);
  for (std::int64_t step = 0; step < kChunkSteps; step += kTurned<T>) {
    TurnOver(d, x + step, kChunkSteps, [&](auto... a) MATPREC_INLINED {
      TurnOver(d, y + step, kChunkSteps, [&](auto... b) MATPREC_INLINED { ((sum = Fused(d, a, b, sum)), ...); });
    });
  }
  return sum;
}

// VectorKernels::dot.
template <class T>
void Dot(const T* x, const T* y, std::int64_t k, T* out) {
  const hn::CappedTag<T, 1> one;
  Counter<T> counter((k + kChunkSteps - 1) / kChunkSteps);
  HWY_ALIGN T values[HWY_MAX_BYTES / sizeof(T)];
  const auto join_chunks = [&](auto d) MATPREC_INLINED {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (; k >= lanes * kChunkSteps; k -= lanes * kChunkSteps) {
      hn::StoreU(ChunkValues(d, x, y), d, values);
      for (std::int64_t i = 0; i < lanes; ++i) counter.join(values[i]);
      x += lanes * kChunkSteps;
      y += lanes * kChunkSteps;
    }
  };
  join_chunks(hn::ScalableTag<T>());
#if HWY_TARGET != HWY_SCALAR
  join_chunks(hn::CappedTag<T, kTurned<T>>());
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

// VectorKernels::dots.
template <class T>
void Dots(const VectorArgs<T>& args) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::int64_t kLanes = hn::MaxLanes(decltype(d)());
  // Steps in a line of the cache, of which each is fetched once, some lines ahead.
  constexpr std::int64_t kLine = HWY_MAX(64 / static_cast<std::int64_t>(sizeof(T)), kTurned<T>);
  constexpr int kTurns = static_cast<int>(kLine / kTurned<T>);
  constexpr int kFetched = static_cast<int>(HWY_MAX(kLanes / kTurns, 1));
  constexpr std::int64_t kAhead = 4 * kLine;
  if (args.n < kLanes) {
    for (std::int64_t j = 0; j < args.n; ++j) Dot(args.x, args.matrix + j * args.stride, args.k, args.out + j);
    return;
  }
  const std::int64_t stride = args.stride;
  HWY_ALIGN T pending[static_cast<std::size_t>(kLevels * kLanes)];
  HWY_ALIGN T column[static_cast<std::size_t>(kLanes)];
  for (std::int64_t first = 0; first < args.n; first += kLanes) {
    first = HWY_MIN(first, args.n - kLanes);  // the last ones compute some outputs again
    const T* line = args.matrix + first * stride;
    const T* x = args.x;
    V sum = hn::Zero(d);
    const auto turn = [&](std::int64_t step) MATPREC_INLINED {
      int j = 0;
      TurnOver(d, line + step, stride,
               [&](auto... v) MATPREC_INLINED { ((sum = Fused(d, hn::Set(d, x[step + j++]), v, sum)), ...); });
    };
    for (std::int64_t chunk = 0, left = args.k; left > 0; ++chunk) {
      std::int64_t steps = HWY_MIN(left, kChunkSteps);
      left -= steps;
      sum = hn::Zero(d);
      for (; steps >= kLine; steps -= kLine, line += kLine, x += kLine) {
        Unrolled<kTurns>([&](auto t) MATPREC_INLINED {
          Unrolled<kFetched>([&](auto i) MATPREC_INLINED {
            hwy::Prefetch(line + (t * kFetched + i) % kLanes * stride + kAhead);
          });
          turn(t * kTurned<T>);
        });
      }
      for (; steps >= kTurned<T>; steps -= kTurned<T>, line += kTurned<T>, x += kTurned<T>) turn(0);
      for (; steps > 0; --steps, ++line, ++x) {
        for (std::int64_t i = 0; i < kLanes; ++i) column[i] = line[i * stride];
        sum = Fused(d, hn::Set(d, *x), hn::Load(d, column), sum);
      }
      T* level = pending;
      for (std::int64_t carry = chunk; carry != 0; carry >>= 1, level += kLanes) {
        if ((carry & 1) != 0) {
          sum = hn::Add(hn::Load(d, level), sum);
        } else if (left > 0) {
          break;
        }
      }
      if (left > 0) hn::Store(sum, d, level);
    }
    hn::StoreU(CanonicalNaN(d, sum), d, args.out + first);
  }
}

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MATPREC_SRC_KERNELS_VECTOR_INL_H_
