#include "src/gemm/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/support/bits.h"
#include "tests/support/random_matrix.h"

namespace matprec::testing {
namespace {

using rounding::Direction;
using rounding::round_to;
using rounding::split;
using rounding::to_bfloat16;
using rounding::to_float16;
using rounding::to_float32;

constexpr float kMax = std::numeric_limits<float>::max();

TEST(Rounding, TakesTheNearestBFloat16) {
  EXPECT_EQ(to_bfloat16(from_bits(0x3F808001)), 0x3F81);
  EXPECT_EQ(to_bfloat16(from_bits(0x3F807FFF)), 0x3F80);
}

TEST(Rounding, RoundsTiesToEven) {
  EXPECT_EQ(round_to(1.00390625f, PrecisionType::kBF16), 1.0f);
  EXPECT_EQ(round_to(1.01171875f, PrecisionType::kBF16), 1.015625f);
  EXPECT_EQ(round_to(1024.5f, PrecisionType::kTF32), 1024.0f);
  EXPECT_EQ(round_to(1025.5f, PrecisionType::kTF32), 1026.0f);
  EXPECT_EQ(round_to(2049.0f, PrecisionType::kF16), 2048.0f);
  EXPECT_EQ(round_to(2051.0f, PrecisionType::kF16), 2052.0f);
}

TEST(Rounding, CarriesIntoTheNextBinade) {
  EXPECT_EQ(round_to(1.9999999f, PrecisionType::kBF16), 2.0f);
  EXPECT_EQ(to_float16(1.9999999f), 0x4000);
}

TEST(Rounding, OverflowsToInfinityFromTheHalfwayPointOn) {
  EXPECT_EQ(to_bfloat16(from_bits(0x7F7F7FFF)), 0x7F7F);
  EXPECT_EQ(to_bfloat16(0x1.FFp127f), 0x7F80);
  EXPECT_EQ(bits(round_to(from_bits(0x7F7FEFFF), PrecisionType::kTF32)), 0x7F7FE000u);
  EXPECT_EQ(bits(round_to(0x1.FFEp127f, PrecisionType::kTF32)), 0x7F800000u);
  EXPECT_EQ(to_float16(65519.996f), 0x7BFF);
  EXPECT_EQ(to_float16(65520.0f), 0x7C00);
  EXPECT_EQ(to_float16(-65520.0f), 0xFC00);
  EXPECT_EQ(bits(to_float32(std::numeric_limits<double>::max())), 0x7F800000u);
}

TEST(Rounding, KeepsSubnormals) {
  EXPECT_EQ(bits(round_to(from_bits(0x00018000), PrecisionType::kBF16)), 0x00020000u);
  EXPECT_EQ(bits(round_to(from_bits(0x00008000), PrecisionType::kBF16)), 0x00000000u);
  EXPECT_EQ(bits(round_to(from_bits(0x00008001), PrecisionType::kBF16)), 0x00010000u);
  EXPECT_EQ(to_float16(0x1p-24f), 0x0001);
  EXPECT_EQ(to_float16(0x1p-25f), 0x0000);
  EXPECT_EQ(to_float16(0x1.000002p-25f), 0x0001);
  EXPECT_EQ(bits(to_float32(0x1p-149)), 0x00000001u);
  EXPECT_EQ(bits(to_float32(0x1p-150)), 0x00000000u);
  EXPECT_EQ(bits(to_float32(std::numeric_limits<double>::denorm_min())), 0x00000000u);
}

TEST(Rounding, KeepsTheSignOfZero) {
  EXPECT_EQ(to_bfloat16(-0.0f), 0x8000);
  EXPECT_EQ(to_float16(-0x1p-40f), 0x8000);
  EXPECT_EQ(bits(to_float32(-0x1p-1000)), 0x80000000u);
}

TEST(Rounding, MakesASignallingNanQuietBeforeCuttingItsBits) {
  EXPECT_EQ(to_bfloat16(from_bits(0x7F800001)), 0x7FC0);
  EXPECT_EQ(to_bfloat16(from_bits(0xFF800001)), 0xFFC0);
  EXPECT_EQ(bits(round_to(from_bits(0x7F800001), PrecisionType::kTF32)), 0x7FC00000u);
  EXPECT_EQ(to_float16(from_bits(0xFF800001)), 0xFE00);
}

TEST(Rounding, DoesNotCarryANanIntoTheSign) {
  EXPECT_EQ(to_bfloat16(from_bits(0x7FFFFFFF)), 0x7FFF);
  EXPECT_EQ(bits(round_to(from_bits(0x7FFFFFFF), PrecisionType::kTF32)), 0x7FFFE000u);
  EXPECT_EQ(to_float16(from_bits(0x7FFFFFFF)), 0x7FFF);
}

TEST(Rounding, RoundsADoubleOnce) {
  // 1 + 2^-8 + 2^-30: above the bfloat16 tie, but on it after a rounding to float32.
  EXPECT_EQ(to_bfloat16(1 + 0x1p-8 + 0x1p-30), 0x3F81);
  EXPECT_EQ(to_bfloat16(to_float32(1 + 0x1p-8 + 0x1p-30)), 0x3F80);
  EXPECT_EQ(round_to(1 + 0x1p-11 + 0x1p-30, PrecisionType::kTF32), 1 + 0x1p-10);
  EXPECT_EQ(to_float16(1 + 0x1p-11 + 0x1p-40), 0x3C01);
}

TEST(Rounding, DoubleToFloatIsTheMachinesConversion) {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    const double x = std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(300)) - 160);
    ASSERT_EQ(bits(to_float32(x)), bits(static_cast<float>(x))) << show(x);
  }
}

TEST(Rounding, WideningIsExact) {
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto pattern = static_cast<std::uint16_t>(i);
    const float wide = rounding::float32_from_bfloat16(pattern);
    if (std::isnan(wide)) continue;
    ASSERT_EQ(bits(wide), i << 16);
    ASSERT_EQ(to_bfloat16(wide), pattern);
  }
  for (std::uint32_t i = 0; i < 0x7C00; ++i) {
    const int field = static_cast<int>(i >> 10);
    const double fraction = static_cast<double>(i & 0x3FF) / 1024;
    const double value =
        field == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, field - 15);
    ASSERT_EQ(rounding::float32_from_float16(static_cast<std::uint16_t>(i)), value) << i;
  }
}

TEST(Rounding, TowardZeroNeverGrows) {
  EXPECT_EQ(round_to(1.99f, PrecisionType::kBF16, Direction::kTowardZero), 1.984375f);
  EXPECT_EQ(bits(round_to(kMax, PrecisionType::kBF16, Direction::kTowardZero)), 0x7F7F0000u);
}

TEST(Split, SumsToTheValueExactly) {
  Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const auto x = static_cast<float>(random.normal());
    const rounding::Parts p = split(x, PrecisionType::kBF16);
    ASSERT_EQ(p.high, round_to(x, PrecisionType::kBF16));
    ASSERT_EQ(static_cast<double>(p.high) + p.middle + p.low, x) << show(x);
    ASSERT_EQ(static_cast<double>(p.high) + p.remainder, x) << show(x);
  }
}

TEST(Split, HighPlusMiddleIsAFloat) {
  Random random(3);
  for (int i = 0; i < 100000; ++i) {
    const auto x = static_cast<float>(random.normal());
    for (const PrecisionType type : {PrecisionType::kBF16, PrecisionType::kTF32}) {
      const rounding::Parts p = split(x, type);
      ASSERT_EQ(static_cast<double>(p.high + p.middle), static_cast<double>(p.high) + p.middle);
    }
  }
}

TEST(Split, SaturatesWhereTheFirstPartWouldOverflow) {
  const rounding::Parts p = split(kMax, PrecisionType::kBF16);
  EXPECT_EQ(bits(p.high), 0x7F7F0000u);
  EXPECT_EQ(p.middle, 0x1.FEp119f);
  EXPECT_EQ(p.low, 0x1.FEp111f);
  EXPECT_EQ(p.high + p.middle, 0x1.FFFEp127f);
  const rounding::Parts negative = split(-kMax, PrecisionType::kTF32);
  EXPECT_EQ(bits(negative.high), 0xFF7FE000u);
  EXPECT_EQ(negative.middle, -0x1.FFCp116f);
}

TEST(Split, PutsInfinityAndNanInTheFirstPartAlone) {
  for (const float x : {from_bits(0x7F800000), from_bits(0xFF800000), from_bits(0x7FC00000)}) {
    const rounding::Parts p = split(x, PrecisionType::kBF16);
    EXPECT_EQ(bits(p.high), bits(x));
    EXPECT_EQ(bits(p.middle), 0u);
    EXPECT_EQ(bits(p.low), 0u);
    EXPECT_EQ(bits(p.remainder), 0u);
  }
}

}  // namespace
}  // namespace matprec::testing
