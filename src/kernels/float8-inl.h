// The 8-bit floats: bit patterns from float lanes, and float lanes from bit patterns.
//
// One rule for the four formats, which differ in their numbers alone (docs/numerics.md, element types).
// Rounding to nearest even is an integer add for normal results; below the smallest normal one the spacing
// is constant, so that adding a float whose own spacing that is rounds there and leaves a count.
#if defined(MATPREC_SRC_KERNELS_FLOAT8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MATPREC_SRC_KERNELS_FLOAT8_INL_H_
#undef MATPREC_SRC_KERNELS_FLOAT8_INL_H_
#else
#define MATPREC_SRC_KERNELS_FLOAT8_INL_H_
#endif

#include <bit>
#include <cstdint>

#include "hwy/highway.h"
#include "matprec/element_type.h"

HWY_BEFORE_NAMESPACE();
namespace matprec::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Float8Format {
  int bias;
  std::uint32_t largest;   // magnitude of the largest finite value
  std::uint32_t infinite;  // magnitude of what lies beyond it: Inf or NaN
  std::uint32_t nan;
  bool negative_zero_is_nan;
};

HWY_INLINE Float8Format Float8FormatOf(ElementType type) {
  switch (type) {
    case ElementType::kF8E4M3FN:
      return {7, 0x7E, 0x7F, 0x7F, false};
    case ElementType::kF8E5M2:
      return {15, 0x7B, 0x7C, 0x7E, false};
    case ElementType::kF8E4M3FNUZ:
      return {8, 0x7F, 0x80, 0x80, true};
    default:
      return {16, 0x7F, 0x80, 0x80, true};
  }
}
HWY_INLINE bool HasThreeFractionBits(ElementType type) {
  return type == ElementType::kF8E4M3FN || type == ElementType::kF8E4M3FNUZ;
}

// Bit patterns, each in the low byte of a 32-bit lane, from float values.
template <int kFraction, class DU, class V>
HWY_INLINE hn::Vec<DU> Float8BitsFromFloat(DU du, const Float8Format& format, V x) {
  const hn::RebindToFloat<DU> d;
  const hn::RebindToSigned<DU> di;
  constexpr int kDropped = 23 - kFraction;
  const auto bits = hn::BitCast(du, x);
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7FFFFFFFu));
  const auto last_kept = hn::And(hn::ShiftRight<kDropped>(magnitude), hn::Set(du, 1u));
  const auto rounded =
      hn::Add(hn::Add(magnitude, hn::Set(du, (1u << (kDropped - 1)) - 1u)), last_kept);
  const auto normal =
      hn::Sub(hn::ShiftRight<kDropped>(rounded),
              hn::Set(du, static_cast<std::uint32_t>(127 - format.bias) << kFraction));
  // A float with the spacing of the subnormals, 2^(1 - bias - kFraction).
  const auto grid = static_cast<std::uint32_t>(127 + 1 - format.bias + kDropped) << 23;
  const auto counted =
      hn::Add(hn::BitCast(d, magnitude), hn::BitCast(d, hn::Set(du, grid)));
  const auto subnormal = hn::Sub(hn::BitCast(du, counted), hn::Set(du, grid));
  const auto smallest_normal = static_cast<std::int32_t>(127 + 1 - format.bias) << 23;
  const auto as_int = hn::BitCast(di, magnitude);
  const auto is_subnormal = hn::RebindMask(du, hn::Lt(as_int, hn::Set(di, smallest_normal)));
  const auto finite = hn::IfThenElse(is_subnormal, subnormal, normal);
  const auto largest = hn::Set(di, static_cast<std::int32_t>(format.largest));
  const auto beyond = hn::RebindMask(du, hn::Gt(hn::BitCast(di, finite), largest));
  auto result = hn::IfThenElse(beyond, hn::Set(du, format.infinite), finite);
  const auto is_nan = hn::RebindMask(du, hn::Gt(as_int, hn::Set(di, 0x7F800000)));
  result = hn::IfThenElse(is_nan, hn::Set(du, format.nan), result);
  auto sign = hn::And(hn::ShiftRight<24>(bits), hn::Set(du, 0x80u));
  if (format.negative_zero_is_nan) {
    sign = hn::IfThenElse(hn::Eq(result, hn::Zero(du)), hn::Zero(du), sign);
  }
  return hn::Or(sign, result);
}

// Float values from bit patterns in 32-bit lanes; exact. NaNs keep their sign; the one of a format
// without -0 is negative, as its pattern is.
template <int kFraction, class D, class VU>
HWY_INLINE hn::Vec<D> FloatFromFloat8Bits(D d, const Float8Format& format, VU bits) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto sign = hn::ShiftLeft<24>(hn::And(bits, hn::Set(du, 0x80u)));
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7Fu));
  const auto as_int = hn::BitCast(di, magnitude);
  const auto normal =
      hn::Add(hn::ShiftLeft<23 - kFraction>(magnitude),
              hn::Set(du, static_cast<std::uint32_t>(127 - format.bias) << 23));
  const float spacing = std::bit_cast<float>(
      static_cast<std::uint32_t>(127 + 1 - format.bias - kFraction) << 23);
  const auto subnormal = hn::BitCast(du, hn::Mul(hn::ConvertTo(d, as_int), hn::Set(d, spacing)));
  const auto is_subnormal = hn::RebindMask(du, hn::Lt(as_int, hn::Set(di, 1 << kFraction)));
  const auto finite = hn::Or(sign, hn::IfThenElse(is_subnormal, subnormal, normal));
  const auto nan = hn::Or(sign, hn::Set(du, 0x7FC00000u));
  if (format.negative_zero_is_nan) {
    return hn::BitCast(d, hn::IfThenElse(hn::Eq(bits, hn::Set(du, 0x80u)), nan, finite));
  }
  const auto largest = hn::Set(di, static_cast<std::int32_t>(format.largest));
  const auto not_finite = hn::RebindMask(du, hn::Gt(as_int, largest));
  // Of the magnitudes beyond the largest finite one only e5m2 has one that is no NaN, the first.
  const auto infinite = hn::Eq(magnitude, hn::Set(du, 0x7Cu));
  const auto special = hn::IfThenElse(infinite, hn::Or(sign, hn::Set(du, 0x7F800000u)), nan);
  return hn::BitCast(d, hn::IfThenElse(not_finite, special, finite));
}

}  // namespace matprec::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MATPREC_SRC_KERNELS_FLOAT8_INL_H_
