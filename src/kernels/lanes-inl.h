// Runs of elements that fill no vector, and NaNs in vectors.
#if defined(MATPREC_SRC_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MATPREC_SRC_KERNELS_LANES_INL_H_
#undef MATPREC_SRC_KERNELS_LANES_INL_H_
#else
#define MATPREC_SRC_KERNELS_LANES_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace matprec::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// body(d, i) over i = 0, lanes, ... and then lane by lane.
template <class T, class Body>
HWY_INLINE void ForEachVector(std::int64_t n, const Body& body) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) body(d, i);
  for (; i < n; ++i) body(one, i);
}

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

template <class D, class V = hn::Vec<D>, HWY_IF_NOT_FLOAT(hn::TFromD<D>)>
HWY_INLINE bool HasNaN(D /*d*/, V /*x*/) {
  return false;
}
template <class D, class V = hn::Vec<D>, HWY_IF_FLOAT(hn::TFromD<D>)>
HWY_INLINE bool HasNaN(D d, V x) {
  return !hn::AllFalse(d, hn::IsNaN(x));
}

// Whether absent lanes are left out of memory accesses. Elsewhere Highway reads and writes whole vectors.
inline constexpr bool kMaskedMemory =
    HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SCALAR;

template <class D, class M, class T>
HWY_INLINE hn::Vec<D> LoadPresent(D d, [[maybe_unused]] M present, const T* from) {
  if constexpr (kMaskedMemory) {
    return hn::MaskedLoad(present, d, from);
  } else {
    return hn::LoadU(d, from);
  }
}
template <class D, class M, class V, class T>
HWY_INLINE void StorePresent(D d, [[maybe_unused]] M present, V v, [[maybe_unused]] std::int64_t count,
                             T* to) {
  if constexpr (kMaskedMemory) {
    hn::BlendedStore(v, present, d, to);
  } else if (count == static_cast<std::int64_t>(hn::Lanes(d))) {
    hn::StoreU(v, d, to);
  } else {
    HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(v, d, lanes);
    for (std::int64_t i = 0; i < count; ++i) to[i] = lanes[i];
  }
}

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MATPREC_SRC_KERNELS_LANES_INL_H_
