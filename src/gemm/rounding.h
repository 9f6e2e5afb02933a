// Scalar rounding between number formats, by integer operations: the definition that the oracle and
// the tests read. Duty: what a value becomes in a narrower or wider format, and how it is split
// into parts. Boundary: the SIMD kernels have their own code and never include this file, so that
// comparing the two means something.
//
// Definition (IEEE 754-2019, 4.3 and 3.4; docs/numerics.md). A finite x = +-significand * 2^scale,
// with 2^E <= |x| < 2^(E+1), is rounded to a multiple of the target's spacing there,
//   2^(max(E, emin) - fraction_bits),
// to the nearest one and in a tie to the even one, or toward zero. Below emin the spacing stays the
// same: subnormals. What then lies beyond the largest finite value becomes Inf (toward zero: that
// value). A NaN keeps its sign and the upper bits of its payload; it is made quiet before bits are
// cut, so that it stays a NaN whatever the cut leaves.
#ifndef MATPREC_SRC_GEMM_ROUNDING_H_
#define MATPREC_SRC_GEMM_ROUNDING_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "matprec/dot_algorithm.h"

namespace matprec::rounding {

// What a format spends on values that are no numbers. The last two are those of 8-bit floats that give
// Inf's patterns to numbers (Micikevicius et al., "FP8 formats for deep learning"; Noune et al., "8-bit
// numerical formats for deep neural networks").
enum class Specials {
  kIeee,           // the top exponent field: Inf and NaN
  kOneNaN,         // a NaN of each sign, all bits set; no Inf
  kNegativeZeroIsNaN,  // the pattern of -0; no Inf, no -0, and a bias greater by one
};

// A binary interchange format: 1 sign bit, a biased exponent, a fraction with a hidden leading bit.
struct Format {
  int exponent_bits;
  int fraction_bits;
  Specials specials = Specials::kIeee;

  constexpr int sign_position() const { return exponent_bits + fraction_bits; }
  constexpr int bias() const {
    return (1 << (exponent_bits - 1)) - (specials == Specials::kNegativeZeroIsNaN ? 0 : 1);
  }
  constexpr int min_exponent() const { return 1 - bias(); }  // of normal values
  constexpr std::uint64_t top_field() const { return (std::uint64_t{1} << exponent_bits) - 1; }
  constexpr std::uint64_t infinity() const { return top_field() << fraction_bits; }  // if it has one
  constexpr std::uint64_t quiet_bit() const { return std::uint64_t{1} << (fraction_bits - 1); }
  constexpr std::uint64_t sign_bit() const { return std::uint64_t{1} << sign_position(); }
  // The magnitude of the largest finite value.
  constexpr std::uint64_t largest() const {
    switch (specials) {
      case Specials::kIeee:
        return infinity() - 1;
      case Specials::kOneNaN:
        return sign_bit() - 2;
      default:
        return sign_bit() - 1;
    }
  }
};

inline constexpr Format kBinary64{11, 52};
inline constexpr Format kBinary32{8, 23};
inline constexpr Format kTF32{8, 10};  // 19 bits: the upper bits of a binary32
inline constexpr Format kBFloat16{8, 7};
inline constexpr Format kBinary16{5, 10};
inline constexpr Format kFloat8E4M3FN{4, 3, Specials::kOneNaN};
inline constexpr Format kFloat8E5M2{5, 2};
inline constexpr Format kFloat8E4M3FNUZ{4, 3, Specials::kNegativeZeroIsNaN};
inline constexpr Format kFloat8E5M2FNUZ{5, 2, Specials::kNegativeZeroIsNaN};

// kF8 names no rounding: such operands are exact in the float that holds them.
constexpr Format format_of(PrecisionType type) {
  constexpr Format kFormats[] = {kBFloat16, kTF32, kBinary16, kBinary32, kBinary64, kBinary32};
  return kFormats[static_cast<std::size_t>(type)];
}

enum class Direction { kNearestEven, kTowardZero };

// significand / 2^drop as an integer.
constexpr std::uint64_t shift_right_rounded(std::uint64_t significand, int drop,
                                            Direction direction) {
  // A significand has at most 53 bits: from 55 dropped bits on, all of it is below half.
  drop = std::min(drop, 55);
  const std::uint64_t kept = significand >> drop;
  const std::uint64_t rest = significand - (kept << drop);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  const bool up = rest > half || (rest == half && (kept & 1) == 1);
  return kept + (direction == Direction::kNearestEven && up ? 1 : 0);
}

// What lies beyond the largest finite value: Inf, or NaN where there is none.
constexpr std::uint64_t beyond_range(std::uint64_t sign, Format to) {
  switch (to.specials) {
    case Specials::kIeee:
      return sign | to.infinity();
    case Specials::kOneNaN:
      return sign | (to.sign_bit() - 1);
    default:
      return to.sign_bit();
  }
}

constexpr bool is_nan(std::uint64_t bits, Format format) {
  if (format.specials == Specials::kNegativeZeroIsNaN) return bits == format.sign_bit();
  const std::uint64_t magnitude = bits & (format.sign_bit() - 1);
  return format.specials == Specials::kOneNaN ? magnitude == format.sign_bit() - 1
                                              : magnitude > format.infinity();
}

// The NaN of a format for a NaN `bits` of another: the sign, and between IEEE formats of 16 bits and
// more the upper payload, made quiet. 8-bit floats have one NaN a sign, or one in all.
constexpr std::uint64_t convert_nan(std::uint64_t bits, Format from, Format to) {
  if (to.specials == Specials::kNegativeZeroIsNaN) return to.sign_bit();
  const std::uint64_t sign = (bits & from.sign_bit()) != 0 ? to.sign_bit() : 0;
  if (to.specials == Specials::kOneNaN) return sign | (to.sign_bit() - 1);
  if (from.sign_position() < 8 || to.sign_position() < 8) {
    return sign | to.infinity() | to.quiet_bit();
  }
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << from.fraction_bits) - 1);
  const std::uint64_t quiet = fraction | from.quiet_bit();
  const int cut = from.fraction_bits - to.fraction_bits;
  return sign | to.infinity() | (cut >= 0 ? quiet >> cut : quiet << -cut);
}

// The bit pattern in format `to` of the value whose pattern in format `from` is `bits`, rounded
// once. Widening is the same rule with nothing to drop.
constexpr std::uint64_t convert_bits(std::uint64_t bits, Format from, Format to,
                                     Direction direction = Direction::kNearestEven) {
  const std::uint64_t sign = (bits >> from.sign_position()) << to.sign_position();
  const std::uint64_t field = (bits >> from.fraction_bits) & from.top_field();
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << from.fraction_bits) - 1);

  if (is_nan(bits, from)) return convert_nan(bits, from, to);
  const bool infinite = from.specials == Specials::kIeee && field == from.top_field();
  if (infinite) return beyond_range(sign, to);

  // |x| = significand * 2^scale; subnormals have no hidden bit and the exponent of field 1.
  const bool normal = field != 0;
  const std::uint64_t significand =
      fraction + (normal ? std::uint64_t{1} << from.fraction_bits : std::uint64_t{0});
  const bool has_negative_zero = to.specials != Specials::kNegativeZeroIsNaN;
  if (significand == 0) return has_negative_zero ? sign : 0;
  const int scale = (normal ? static_cast<int>(field) : 1) - from.bias() - from.fraction_bits;

  const int exponent = scale + static_cast<int>(std::bit_width(significand)) - 1;
  const int target_exponent = std::max(exponent, to.min_exponent());
  const int drop = target_exponent - to.fraction_bits - scale;
  const std::uint64_t multiple =
      drop > 0 ? shift_right_rounded(significand, drop, direction) : significand << -drop;

  // A normal multiple has its hidden bit set, which adds 1 to the field below; a subnormal one has
  // not and gets field 0. A carry out of the fraction moves to the next binade, or to Inf, by
  // itself.
  const std::uint64_t field_below = static_cast<std::uint64_t>(target_exponent + to.bias() - 1);
  const std::uint64_t magnitude = (field_below << to.fraction_bits) + multiple;
  if (magnitude == 0 && !has_negative_zero) return 0;
  if (magnitude <= to.largest()) return sign | magnitude;
  return direction == Direction::kNearestEven ? beyond_range(sign, to) : sign | to.largest();
}

constexpr std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
constexpr std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
constexpr float float_of(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
constexpr double double_of(std::uint64_t bits) { return std::bit_cast<double>(bits); }

constexpr float to_float32(double x) {
  return float_of(convert_bits(bits_of(x), kBinary64, kBinary32));
}
constexpr double to_float64(float x) {
  return double_of(convert_bits(bits_of(x), kBinary32, kBinary64));
}
constexpr std::uint16_t to_bfloat16(float x) {
  return static_cast<std::uint16_t>(convert_bits(bits_of(x), kBinary32, kBFloat16));
}
constexpr std::uint16_t to_bfloat16(double x) {
  return static_cast<std::uint16_t>(convert_bits(bits_of(x), kBinary64, kBFloat16));
}
constexpr std::uint16_t to_float16(float x) {
  return static_cast<std::uint16_t>(convert_bits(bits_of(x), kBinary32, kBinary16));
}
constexpr std::uint16_t to_float16(double x) {
  return static_cast<std::uint16_t>(convert_bits(bits_of(x), kBinary64, kBinary16));
}
constexpr float float32_from_bfloat16(std::uint16_t bits) {
  return float_of(convert_bits(bits, kBFloat16, kBinary32));
}
constexpr float float32_from_float16(std::uint16_t bits) {
  return float_of(convert_bits(bits, kBinary16, kBinary32));
}

// x rounded to the values of `precision`, still as a float. To kF32 or kF64 only a signalling NaN
// changes.
constexpr float round_to(float x, PrecisionType precision,
                         Direction direction = Direction::kNearestEven) {
  const Format format = format_of(precision);
  return float_of(
      convert_bits(convert_bits(bits_of(x), kBinary32, format, direction), format, kBinary32));
}

// The same from a double, rounded once; kF64 changes nothing but a signalling NaN.
constexpr double round_to(double x, PrecisionType precision) {
  const Format format = format_of(precision);
  return double_of(convert_bits(convert_bits(bits_of(x), kBinary64, format), format, kBinary64));
}

// The parts of a float: x = high + middle + low but for what lies below the last part.
struct Parts {
  float high;       // h
  float middle;     // m
  float low;        // l
  float remainder;  // x' = x - h
};

constexpr bool is_finite(float x) { return (bits_of(x) & 0x7F800000u) != 0x7F800000u; }

// h = RNE(x), m = RNE(x - h), l = RNE(x - h - m). Where RNE would overflow, all parts round toward
// zero, so that they stay finite. Inf and NaN stand in h alone. The subtractions are exact (the
// difference needs no more bits than x had), provided subnormals are not flushed.
constexpr Parts split(float x, PrecisionType precision) {
  if (!is_finite(x)) return {round_to(x, precision), 0.0f, 0.0f, 0.0f};
  const bool overflows = !is_finite(round_to(x, precision));
  const Direction direction = overflows ? Direction::kTowardZero : Direction::kNearestEven;
  Parts parts{};
  parts.high = round_to(x, precision, direction);
  parts.remainder = x - parts.high;
  parts.middle = round_to(parts.remainder, precision, direction);
  parts.low = round_to(parts.remainder - parts.middle, precision, direction);
  return parts;
}

}  // namespace matprec::rounding

#endif  // MATPREC_SRC_GEMM_ROUNDING_H_
