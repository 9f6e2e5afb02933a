// One correctly rounded multiply-add, on every target.
//
// Targets without the instruction compute it in software. For float32: the product of two floats is exact
// in binary64, TwoSum (Knuth) gives the exact error of the sum, and rounding that sum to odd makes the
// final rounding to float32 the only one (Boldo and Melquiond, "Emulation of FMA and correctly rounded
// sums: proved algorithms using rounding to odd"). Plain binary64 arithmetic rounds twice and is wrong in
// rare cases. For float64 the C library's fma, which is exact, is called for each lane.
#if defined(MATPREC_SRC_KERNELS_FUSED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MATPREC_SRC_KERNELS_FUSED_INL_H_
#undef MATPREC_SRC_KERNELS_FUSED_INL_H_
#else
#define MATPREC_SRC_KERNELS_FUSED_INL_H_
#endif

#include <bit>
#include <cmath>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace matprec::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Integers: exact modulo their size.
template <class D, class V = hn::Vec<D>, HWY_IF_NOT_FLOAT(hn::TFromD<D>)>
HWY_INLINE V Fused(D /*d*/, V a, V b, V c) {
  return hn::Add(hn::Mul(a, b), c);
}

#if HWY_NATIVE_FMA

template <class D, class V = hn::Vec<D>, HWY_IF_FLOAT(hn::TFromD<D>)>
HWY_INLINE V Fused(D /*d*/, V a, V b, V c) {
  return hn::MulAdd(a, b, c);
}

#else

// The scalar form of the float32 software FMA.
HWY_INLINE float SoftFused(float a, float b, float c) {
  const double p = static_cast<double>(a) * static_cast<double>(b);
  const double z = static_cast<double>(c);
  const double s = p + z;
  const double part = s - p;
  const double error = (p - (s - part)) + (z - part);
  std::uint64_t bits = std::bit_cast<std::uint64_t>(s);
  if ((error < 0 || error > 0) && (bits & 1) == 0) {  // inexact and even: take the odd neighbour
    bits += (error > 0) == (s > 0) ? 1 : ~std::uint64_t{0};
  }
  return static_cast<float>(std::bit_cast<double>(bits));
}
HWY_INLINE double SoftFused(double a, double b, double c) { return std::fma(a, b, c); }

// Lane by lane through memory: float64 everywhere, float32 where there are no double vectors.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V FusedByLane(D d, V a, V b, V c) {
  using T = hn::TFromD<D>;
  HWY_ALIGN T x[HWY_MAX_BYTES / sizeof(T)], y[HWY_MAX_BYTES / sizeof(T)],
      z[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  hn::Store(c, d, z);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) z[i] = SoftFused(x[i], y[i], z[i]);
  return hn::Load(d, z);
}

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3

// The same as the scalar SoftFused, two lanes at a time.
template <class DD, class VD = hn::Vec<DD>>
HWY_INLINE VD OddSum(DD dd, VD a, VD b, VD c) {
  const hn::RebindToUnsigned<DD> du;
  const VD p = hn::Mul(a, b);
  const VD s = hn::Add(p, c);
  const VD part = hn::Sub(s, p);
  const VD error = hn::Add(hn::Sub(p, hn::Sub(s, part)), hn::Sub(c, part));
  const auto bits = hn::BitCast(du, s);
  const auto one = hn::Set(du, 1);
  const auto is_even = hn::Sub(hn::And(bits, one), one);  // all ones if even, else zero
  const auto away = hn::ShiftRight<63>(hn::Xor(hn::BitCast(du, error), bits));  // signs differ: 1
  const auto step = hn::And(hn::Sub(one, hn::Add(away, away)), is_even);        // +1 or -1
  const VD zero = hn::Zero(dd);
  const auto inexact = hn::Or(hn::Lt(error, zero), hn::Gt(error, zero));  // false for NaN
  const auto masked = hn::And(hn::BitCast(du, hn::VecFromMask(dd, inexact)), step);
  return hn::BitCast(dd, hn::Add(bits, masked));
}

template <class D, class V = hn::Vec<D>, HWY_IF_FLOAT(hn::TFromD<D>)>
HWY_INLINE V Fused(D d, V a, V b, V c) {
  if constexpr (sizeof(hn::TFromD<D>) == 8 || hn::MaxLanes(D()) == 1) {
    return FusedByLane(d, a, b, c);
  } else {
    const hn::Half<D> dh;
    const hn::Rebind<double, decltype(dh)> dd;
    const auto low = OddSum(dd, hn::PromoteTo(dd, hn::LowerHalf(dh, a)),
                            hn::PromoteTo(dd, hn::LowerHalf(dh, b)),
                            hn::PromoteTo(dd, hn::LowerHalf(dh, c)));
    const auto high = OddSum(dd, hn::PromoteTo(dd, hn::UpperHalf(dh, a)),
                             hn::PromoteTo(dd, hn::UpperHalf(dh, b)),
                             hn::PromoteTo(dd, hn::UpperHalf(dh, c)));
    return hn::Combine(d, hn::DemoteTo(dh, high), hn::DemoteTo(dh, low));
  }
}

#else

template <class D, class V = hn::Vec<D>, HWY_IF_FLOAT(hn::TFromD<D>)>
HWY_INLINE V Fused(D d, V a, V b, V c) {
  return FusedByLane(d, a, b, c);
}

#endif
#endif  // HWY_NATIVE_FMA

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MATPREC_SRC_KERNELS_FUSED_INL_H_
