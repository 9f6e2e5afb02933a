// 8-bit floats on every SIMD target: each pattern's value, and rounding to the nearest, against a table of
// values and a search in it, and against golden tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "matprec/convert.h"
#include "tests/support/every_target.h"
#include "tests/support/golden.h"
#include "tests/support/random_matrix.h"

namespace matprec::testing {
namespace {

struct Format {
  ElementType type;
  int fraction_bits, bias;
  double largest;
  bool has_infinity, has_negative_zero;
};
constexpr Format kFormats[] = {
    {ElementType::kF8E4M3FN, 3, 7, 448, false, true},
    {ElementType::kF8E5M2, 2, 15, 57344, true, true},
    {ElementType::kF8E4M3FNUZ, 3, 8, 240, false, false},
    {ElementType::kF8E5M2FNUZ, 2, 16, 57344, false, false},
};
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The value of a pattern, from the definitions of the formats.
double value_of(const Format& format, int pattern) {
  if (!format.has_negative_zero && pattern == 0x80) return kNaN;
  const int magnitude = pattern & 0x7F;
  const int field = magnitude >> format.fraction_bits;
  const int fraction = magnitude & ((1 << format.fraction_bits) - 1);
  const double hidden = field == 0 ? 0 : 1;
  const double significand = hidden + fraction / std::ldexp(1, format.fraction_bits);
  double value = std::ldexp(significand, std::max(field, 1) - format.bias);
  if (value > format.largest) value = format.has_infinity && fraction == 0 ? kInf : kNaN;
  return pattern >= 0x80 ? -value : value;
}

// The pattern nearest to x, of two equally near ones the even one, by a search through all of them.
int nearest_pattern(const Format& format, double x) {
  const int sign = std::signbit(x) ? 0x80 : 0;
  const double magnitude = std::abs(x);
  int best = 0;
  double least = kInf;
  int top = 0;
  while (top < 0x7F && value_of(format, top + 1) <= format.largest) ++top;
  for (int pattern = 0; pattern <= top; ++pattern) {
    const double distance = std::abs(value_of(format, pattern) - magnitude);
    if (distance < least || (distance == least && pattern % 2 == 0)) {
      best = pattern;
      least = distance;
    }
  }
  // Beyond the largest value as many steps as the last step is wide: its half way belongs to whichever
  // of the two patterns is even.
  const double step = value_of(format, top) - value_of(format, top - 1);
  const double half_way = format.largest + step / 2;
  const bool beyond = top % 2 == 0 ? magnitude > half_way : magnitude >= half_way;
  if (beyond) {
    if (!format.has_negative_zero) return 0x80;
    return sign | (top + 1);  // Inf, or the NaN that follows the largest value
  }
  if (best == 0 && !format.has_negative_zero) return 0;
  return sign | best;
}

class Float8 : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!target_is_usable(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
    set_target(GetParam());
  }
  void TearDown() override { set_target(""); }
};

template <class T>
std::vector<std::uint8_t> patterns_of(const std::vector<T>& values, const Format& format) {
  const Tensor x = Tensor::of<T>({static_cast<std::int64_t>(values.size())}, values);
  const Tensor narrow = convert(x, format.type);
  const auto* bytes = static_cast<const std::uint8_t*>(narrow.data());
  return {bytes, bytes + values.size()};
}

TEST_P(Float8, EveryPatternHasItsValue) {
  for (const Format& format : kFormats) {
    std::vector<std::uint8_t> patterns(256);
    for (std::size_t i = 0; i < 256; ++i) patterns[i] = static_cast<std::uint8_t>(i);
    const TensorView x(patterns.data(), format.type, {256});
    const Tensor wide = convert(x, ElementType::kF32), wider = convert(x, ElementType::kF64);
    for (int i = 0; i < 256; ++i) {
      const double expected = value_of(format, i);
      const float got = wide.data<float>()[i];
      if (std::isnan(expected)) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(got), i >= 0x80 ? 0xFFC00000u : 0x7FC00000u)
            << to_string(format.type) << " " << i;
      } else {
        EXPECT_EQ(static_cast<double>(got), expected) << to_string(format.type) << " " << i;
        EXPECT_EQ(std::signbit(got), std::signbit(expected)) << to_string(format.type) << " " << i;
        EXPECT_EQ(wider.data<double>()[i], expected) << to_string(format.type) << " " << i;
      }
    }
  }
}

TEST_P(Float8, RoundsToTheNearestAndTiesToEven) {
  for (const Format& format : kFormats) {
    std::vector<float> values = {0.0f, -0.0f, 1e30f, -1e30f, 0x1p-149f, -0x1p-140f};
    for (int pattern = 0; pattern < 0x7F; ++pattern) {
      const double value = value_of(format, pattern);
      if (!(value <= format.largest)) continue;
      double next = value_of(format, pattern + 1);
      if (!(next <= format.largest)) next = 2 * value - value_of(format, pattern - 1);
      const float half_way = static_cast<float>((value + next) / 2);
      for (const float x : {static_cast<float>(value), half_way, std::nextafter(half_way, 0.0f),
                            std::nextafter(half_way, 1e30f)}) {
        values.push_back(x);
        values.push_back(-x);
      }
    }
    Random random(1);
    for (int i = 0; i < 3000; ++i) {
      values.push_back(static_cast<float>(std::ldexp(random.normal(), static_cast<int>(random.below(40)) - 22)));
    }
    const std::vector<std::uint8_t> got = patterns_of(values, format);
    std::vector<double> wide(values.begin(), values.end());
    // Just beside a tie by less than a float can tell: rounded once, it goes the other way.
    for (double& x : wide) x = x * (1 + 0x1p-40);
    const std::vector<std::uint8_t> got_wide = patterns_of(wide, format);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(int{got[i]}, nearest_pattern(format, static_cast<double>(values[i])))
          << to_string(format.type) << " of " << values[i];
      ASSERT_EQ(int{got_wide[i]}, nearest_pattern(format, wide[i]))
          << to_string(format.type) << " of the double " << wide[i];
    }
  }
}

TEST_P(Float8, NaNsAndInfinities) {
  const std::vector<float> x = {std::bit_cast<float>(0x7F800001u), std::bit_cast<float>(0xFFFFFFFFu),
                                std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity()};
  EXPECT_EQ(patterns_of(x, kFormats[0]), (std::vector<std::uint8_t>{0x7F, 0xFF, 0x7F, 0xFF}));
  EXPECT_EQ(patterns_of(x, kFormats[1]), (std::vector<std::uint8_t>{0x7E, 0xFE, 0x7C, 0xFC}));
  EXPECT_EQ(patterns_of(x, kFormats[2]), (std::vector<std::uint8_t>{0x80, 0x80, 0x80, 0x80}));
  EXPECT_EQ(patterns_of(x, kFormats[3]), (std::vector<std::uint8_t>{0x80, 0x80, 0x80, 0x80}));
}

TEST_P(Float8, SaturatingConversionEndsAtTheLargestValue) {
  const Tensor x = Tensor::of<float>({5}, {1e9f, -std::numeric_limits<float>::infinity(), 1.0f,
                                           -470.0f, std::nanf("")});
  for (const Format& format : kFormats) {
    const Tensor back = convert(convert(x, format.type, {.saturate = true}), ElementType::kF32);
    EXPECT_EQ(static_cast<double>(back.data<float>()[0]), format.largest);
    EXPECT_EQ(static_cast<double>(back.data<float>()[1]), -format.largest);
    EXPECT_EQ(back.data<float>()[2], 1.0f);
    EXPECT_EQ(static_cast<double>(back.data<float>()[3]),
              std::max(-format.largest, format.fraction_bits == 3 ? -470.0 : -448.0));
    EXPECT_TRUE(std::isnan(back.data<float>()[4]));
  }
}

TEST_P(Float8, AgreesWithTheGoldenTables) {
  MATPREC_NEEDS_GOLDEN("rounding");
  int ran = 0;
  const io::Json manifest = golden_manifest("rounding");
  for (const io::Json& test : manifest["cases"]) {
    const GoldenArray x = golden_array("rounding", test["inputs"][0]);
    const GoldenArray expected = golden_array("rounding", test["expected"][0]);
    if (test["op"] != "convert" || !x.type() || !expected.type()) continue;
    if (!is_float8(*x.type()) && !is_float8(*expected.type())) continue;
    const Tensor got = convert(x.view(), *expected.type());
    EXPECT_EQ(std::memcmp(got.data(), expected.bytes.data(), expected.bytes.size()), 0)
        << test["name"];
    ++ran;
  }
  EXPECT_EQ(ran, 7);
}

INSTANTIATE_TEST_SUITE_P(All, Float8, ::testing::ValuesIn(every_target()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace matprec::testing
