// Rounding of float lanes to bfloat16, tf32 and float16, and the 16-bit patterns of the narrow types.
//
// Round to nearest, ties to even, by integer adds on the bit pattern: adding half a unit less one plus the
// bit that decides ties carries into the kept bits exactly when the value must go up, and a carry out of
// the significand is the next binade or infinity. A NaN is made quiet first and never takes that carry.
// Highway 1.0.3's own conversions to bfloat16 truncate; they are not used.
#if defined(MATPREC_SRC_KERNELS_ROUND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MATPREC_SRC_KERNELS_ROUND_INL_H_
#undef MATPREC_SRC_KERNELS_ROUND_INL_H_
#else
#define MATPREC_SRC_KERNELS_ROUND_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace matprec::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The float lanes of x with kDropped low bits rounded away: 16 gives bfloat16 values, 13 tf32 values.
template <int kDropped, class D, class V = hn::Vec<D>>
HWY_INLINE V RoundMantissa(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, x);
  const auto last_kept = hn::And(hn::ShiftRight<kDropped>(bits), hn::Set(du, 1u));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, (1u << (kDropped - 1)) - 1u)), last_kept);
  const auto quiet = hn::Or(bits, hn::Set(du, 0x00400000u));
  const auto is_nan = hn::RebindMask(du, hn::IsNaN(x));
  const auto kept = hn::Set(du, ~((1u << kDropped) - 1u));
  return hn::BitCast(d, hn::And(hn::IfThenElse(is_nan, quiet, rounded), kept));
}

// The same toward zero, for finite x.
template <int kDropped, class D, class V = hn::Vec<D>>
HWY_INLINE V TruncateMantissa(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const auto kept = hn::Set(du, ~((1u << kDropped) - 1u));
  return hn::BitCast(d, hn::And(hn::BitCast(du, x), kept));
}

// The float lanes of x rounded to float16 values. From 2^-14 up float16 drops 13 bits as tf32 does and
// becomes infinite from 65520 (which rounds to 65536). Below, its spacing is 2^-24, which is that of
// floats in [0.5, 1): adding 0.5 rounds there, and subtracting it is exact.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V RoundToF16(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const V magnitude = hn::Abs(x);
  const V half = hn::Set(d, 0.5f);
  const V normal = RoundMantissa<13>(d, magnitude);
  const V capped = hn::IfThenElse(hn::Ge(normal, hn::Set(d, 65536.0f)),
                                  hn::BitCast(d, hn::Set(du, 0x7F800000u)), normal);
  const V subnormal = hn::Sub(hn::Add(magnitude, half), half);
  const V rounded = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x1p-14f)), subnormal, capped);
  return hn::CopySign(rounded, x);
}

// The float lanes of finite x cut to float16 values, toward zero, at most 65504. Below 2^-14 the spacing is
// 2^-24 again: where rounding there to nearest went away from zero, one step back.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V TruncateToF16(D d, V x) {
  const V magnitude = hn::Abs(x);
  const V half = hn::Set(d, 0.5f);
  const V normal = hn::Min(TruncateMantissa<13>(d, magnitude), hn::Set(d, 65504.0f));
  const V nearest = hn::Sub(hn::Add(magnitude, half), half);
  const V below = hn::Sub(nearest, hn::Set(d, 0x1p-24f));
  const V subnormal = hn::IfThenElse(hn::Gt(nearest, magnitude), below, nearest);
  return hn::CopySign(
      hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x1p-14f)), subnormal, normal), x);
}

// Rounding after every operation of an `_acc` row, or none.
struct KeepSum {
  static constexpr bool kRounds = false;
  template <class D, class V>
  static HWY_INLINE V Round(D /*d*/, V x) {
    return x;
  }
};
struct RoundSumToBF16 {
  static constexpr bool kRounds = true;
  template <class D, class V>
  static HWY_INLINE V Round(D d, V x) {
    return RoundMantissa<16>(d, x);
  }
};
struct RoundSumToF16 {
  static constexpr bool kRounds = true;
  template <class D, class V>
  static HWY_INLINE V Round(D d, V x) {
    return RoundToF16(d, x);
  }
};

// 16-bit patterns, each in the low half of a 32-bit lane, from float values.
template <class DU, class V>
HWY_INLINE hn::Vec<DU> BF16BitsFromFloat(DU du, V x) {
  const hn::RebindToFloat<DU> d;
  return hn::ShiftRight<16>(hn::BitCast(du, RoundMantissa<16>(d, x)));
}

template <class DU, class V>
HWY_INLINE hn::Vec<DU> F16BitsFromFloat(DU du, V x) {
  const hn::RebindToFloat<DU> d;
  const auto rounded = hn::BitCast(du, RoundToF16(d, x));
  const auto sign = hn::And(hn::ShiftRight<16>(rounded), hn::Set(du, 0x8000u));
  const auto magnitude = hn::And(rounded, hn::Set(du, 0x7FFFFFFFu));
  // Normal values: rebias the exponent from 127 to 15.
  const auto normal = hn::Sub(hn::ShiftRight<13>(magnitude), hn::Set(du, 112u << 10));
  // Subnormal ones are multiples of 2^-24: the low bits of 0.5 + value count them.
  const auto counted = hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5f));
  const auto subnormal = hn::Sub(hn::BitCast(du, counted), hn::Set(du, 0x3F000000u));
  const auto top = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 0x7FFFu));  // Inf, NaN
  const auto special = hn::Or(hn::And(top, hn::Set(du, 0x3FFu)), hn::Set(du, 0x7C00u));
  const hn::RebindToSigned<DU> di;
  const auto as_int = hn::BitCast(di, magnitude);
  const auto is_subnormal = hn::RebindMask(du, hn::Lt(as_int, hn::Set(di, 0x38800000)));
  const auto is_special = hn::RebindMask(du, hn::Gt(as_int, hn::Set(di, 0x7F7FFFFF)));
  return hn::Or(sign, hn::IfThenElse(is_special, special,
                                     hn::IfThenElse(is_subnormal, subnormal, normal)));
}

// Float values from 16-bit patterns in 32-bit lanes; exact, NaNs made quiet.
template <class D, class VU>
HWY_INLINE hn::Vec<D> FloatFromBF16Bits(D d, VU bits) {
  const hn::RebindToUnsigned<D> du;
  const auto wide = hn::ShiftLeft<16>(bits);
  const auto is_nan = hn::RebindMask(du, hn::IsNaN(hn::BitCast(d, wide)));
  return hn::BitCast(d, hn::IfThenElse(is_nan, hn::Or(wide, hn::Set(du, 0x00400000u)), wide));
}

template <class D, class VU>
HWY_INLINE hn::Vec<D> FloatFromF16Bits(D d, VU bits) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000u)));
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7FFFu));
  const auto shifted = hn::ShiftLeft<13>(magnitude);
  const auto normal = hn::Add(shifted, hn::Set(du, 112u << 23));
  const auto half = hn::Set(d, 0.5f);
  const auto counted = hn::BitCast(d, hn::Or(magnitude, hn::Set(du, 0x3F000000u)));
  const auto subnormal = hn::BitCast(du, hn::Sub(counted, half));
  const auto infinite = hn::Or(shifted, hn::Set(du, 0x7F800000u));
  const auto as_int = hn::BitCast(di, magnitude);
  const auto is_subnormal = hn::RebindMask(du, hn::Lt(as_int, hn::Set(di, 0x0400)));
  const auto is_special = hn::RebindMask(du, hn::Gt(as_int, hn::Set(di, 0x7BFF)));
  const auto is_nan = hn::RebindMask(du, hn::Gt(as_int, hn::Set(di, 0x7C00)));
  const auto special =
      hn::IfThenElse(is_nan, hn::Or(infinite, hn::Set(du, 0x00400000u)), infinite);
  const auto finite = hn::IfThenElse(is_subnormal, subnormal, normal);
  return hn::BitCast(d, hn::Or(sign, hn::IfThenElse(is_special, special, finite)));
}

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MATPREC_SRC_KERNELS_ROUND_INL_H_
