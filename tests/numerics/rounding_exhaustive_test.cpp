// Scalar rounding over all 2^32 floats, against a formulation that shares nothing with it: adding
// and taking away a large constant in float64 rounds to a multiple of the constant's last place
// (Dekker 1971).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "src/gemm/rounding.h"
#include "tests/support/bits.h"

namespace matprec::testing {
namespace {

class OtherRounding {
 public:
  // `digits` significant bits, normal exponents from `min_exponent` to `max_exponent`.
  OtherRounding(int digits, int min_exponent, int max_exponent)
      : limit_(std::ldexp(2 - std::ldexp(1.0, 1 - digits), max_exponent)) {
    for (int field = 0; field < 256; ++field) {
      const int exponent = std::max(field == 0 ? -126 : field - 127, min_exponent);
      // 1.5 * 2^52 units of the last place kept: sums with it are rounded to that place.
      large_[field] = std::ldexp(1.5, 52 + exponent - (digits - 1));
    }
  }
  double operator()(float x) const {
    const double large = large_[(bits(x) >> 23) & 0xFF];
    const double wide = x;
    const double rounded = (wide + large) - large;
    const double kept =
        std::abs(rounded) > limit_ ? std::numeric_limits<double>::infinity() : std::abs(rounded);
    return std::copysign(kept, wide);
  }

 private:
  double limit_;
  double large_[256];
};

// Calls agrees(x) for every float, on two threads; returns a pattern for which it is false, or -1.
template <class Agrees>
std::int64_t first_disagreement(const Agrees& agrees) {
  std::atomic<std::int64_t> found{-1};
  const auto run = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last && found.load(std::memory_order_relaxed) < 0;
         i += 0x10000) {
      for (std::uint64_t pattern = i; pattern < i + 0x10000; ++pattern) {
        if (!agrees(from_bits(static_cast<std::uint32_t>(pattern)))) {
          found = static_cast<std::int64_t>(pattern);
          break;
        }
      }
    }
  };
  std::thread upper(run, std::uint64_t{1} << 31, std::uint64_t{1} << 32);
  run(0, std::uint64_t{1} << 31);
  upper.join();
  return found;
}

// A NaN stays a NaN of its sign, quiet.
bool is_quiet_of_same_sign(std::uint32_t result, float x) {
  return (result & 0x7FC00000u) == 0x7FC00000u && result >> 31 == bits(x) >> 31;
}

TEST(RoundingExhaustive, EveryFloatRoundsToBFloat16) {
  const OtherRounding other(8, -126, 127);
  EXPECT_EQ(first_disagreement([&](float x) {
              const std::uint32_t got = std::uint32_t{rounding::to_bfloat16(x)} << 16;
              if (std::isnan(x)) return is_quiet_of_same_sign(got, x);
              return bits(static_cast<double>(from_bits(got))) == bits(other(x));
            }),
            -1);
}

TEST(RoundingExhaustive, EveryFloatRoundsToTf32) {
  const OtherRounding other(11, -126, 127);
  EXPECT_EQ(first_disagreement([&](float x) {
              const float got = rounding::round_to(x, PrecisionType::kTF32);
              if (std::isnan(x)) return is_quiet_of_same_sign(bits(got), x);
              return bits(static_cast<double>(got)) == bits(other(x));
            }),
            -1);
}

TEST(RoundingExhaustive, EveryFloatRoundsToFloat16) {
  const OtherRounding other(11, -14, 15);
  std::vector<double> value_of(0x10000);  // of each binary16 pattern, from the format's definition
  for (int i = 0; i < 0x10000; ++i) {
    const int field = (i >> 10) & 0x1F;
    const double fraction = static_cast<double>(i & 0x3FF) / 1024;
    double value = field == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, field - 15);
    if (field == 0x1F) value = std::numeric_limits<double>::infinity();
    value_of[static_cast<std::size_t>(i)] = i >= 0x8000 ? -value : value;
  }
  EXPECT_EQ(first_disagreement([&](float x) {
              const std::uint16_t got = rounding::to_float16(x);
              if (std::isnan(x)) return (got & 0x7E00) == 0x7E00 && got >> 15 == bits(x) >> 31;
              if ((got & 0x7FFF) > 0x7C00) return false;
              return bits(value_of[got]) == bits(other(x));
            }),
            -1);
}

}  // namespace
}  // namespace matprec::testing
