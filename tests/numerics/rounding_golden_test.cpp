// Scalar rounding against tables that other libraries made.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "src/gemm/rounding.h"
#include "tests/support/bits.h"
#include "tests/support/golden.h"

namespace matprec::testing {
namespace {

constexpr const char* kFamily = "rounding";

// The table's values as floats; every type in these tables is exact in float32.
std::vector<float> floats_of(const GoldenArray& array) {
  if (array.dtype == "float32") return array.as<float>();
  std::vector<float> values;
  for (const std::uint16_t pattern : array.as<std::uint16_t>()) {
    values.push_back(array.dtype == "bfloat16" ? rounding::float32_from_bfloat16(pattern)
                                               : rounding::float32_from_float16(pattern));
  }
  return values;
}

void expect_equal(const std::vector<float>& got, const std::vector<float>& expected, bool zero_sign,
                  const std::string& where) {
  ASSERT_EQ(got.size(), expected.size()) << where;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(got[i])) << where << " at " << i;
      ASSERT_EQ(std::signbit(got[i]), std::signbit(expected[i])) << where << " at " << i;
    } else if (zero_sign) {
      ASSERT_EQ(bits(got[i]), bits(expected[i])) << where << " at " << i;
    } else {
      ASSERT_EQ(got[i], expected[i]) << where << " at " << i;
    }
  }
}

PrecisionType precision_of(const std::string& name) {
  if (name == "bfloat16") return PrecisionType::kBF16;
  return name == "tf32" ? PrecisionType::kTF32 : PrecisionType::kF16;
}

TEST(RoundingGolden, ConvertsLikeTheTables) {
  MATPREC_NEEDS_GOLDEN(kFamily);
  const io::Json manifest = golden_manifest(kFamily);
  int run = 0;
  for (const io::Json& test : manifest["cases"]) {
    const std::string to = test["attributes"].value_or("to", "");
    if (test["op"] != "convert" || test["attributes"]["rounding"] != "rne") continue;
    if (to != "bfloat16" && to != "tf32" && to != "float16") continue;
    const std::vector<float> x = golden_array(kFamily, test["inputs"][0]).as<float>();
    std::vector<float> got;
    for (const float value : x) got.push_back(rounding::round_to(value, precision_of(to)));
    expect_equal(got, floats_of(golden_array(kFamily, test["expected"][0])), true, test["name"].text());
    ++run;
  }
  EXPECT_EQ(run, 4);
}

TEST(RoundingGolden, PatternsAreThoseOfTheTables) {
  MATPREC_NEEDS_GOLDEN(kFamily);
  const io::Json manifest = golden_manifest(kFamily);
  for (const std::string name : {"f32_to_bf16_rne_0", "f32_to_f16_rne_0"}) {
    const io::Json* test = named(manifest["cases"], name);
    ASSERT_NE(test, nullptr);
    const std::vector<float> x = golden_array(kFamily, (*test)["inputs"][0]).as<float>();
    const auto expected = golden_array(kFamily, (*test)["expected"][0]).as<std::uint16_t>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i])) continue;
      const bool bf16 = name == "f32_to_bf16_rne_0";
      ASSERT_EQ(bf16 ? rounding::to_bfloat16(x[i]) : rounding::to_float16(x[i]), expected[i])
          << name << " at " << i << ": " << show(x[i]);
    }
  }
}

TEST(RoundingGolden, WidensFloat16LikeTheTable) {
  MATPREC_NEEDS_GOLDEN(kFamily);
  const io::Json manifest = golden_manifest(kFamily);
  const io::Json* test = named(manifest["cases"], "widen_f16");
  ASSERT_NE(test, nullptr);
  expect_equal(floats_of(golden_array(kFamily, (*test)["inputs"][0])),
               golden_array(kFamily, (*test)["expected"][0]).as<float>(), true, "widen_f16");
}

TEST(RoundingGolden, SplitsLikeTheTables) {
  MATPREC_NEEDS_GOLDEN(kFamily);
  const io::Json manifest = golden_manifest(kFamily);
  int run = 0;
  for (const io::Json& test : manifest["cases"]) {
    if (test["op"] != "split" || test["attributes"]["rounding"] != "rne") continue;
    const PrecisionType type = precision_of(test["attributes"]["part_type"].text());
    std::vector<float> high, middle, low;
    for (const float x : golden_array(kFamily, test["inputs"][0]).as<float>()) {
      const rounding::Parts parts = rounding::split(x, type);
      high.push_back(parts.high);
      middle.push_back(parts.middle);
      low.push_back(parts.low);
    }
    const io::Json& expected = test["expected"];
    const bool three = test["attributes"]["parts"] == 3;
    const std::string name = test["name"].text();
    expect_equal(high, floats_of(golden_array(kFamily, expected[0])), false, name + " hi");
    expect_equal(middle, floats_of(golden_array(kFamily, expected[1])), false, name + " second");
    if (three)
      expect_equal(low, floats_of(golden_array(kFamily, expected[2])), false, name + " lo");
    ++run;
  }
  EXPECT_EQ(run, 4);
}

}  // namespace
}  // namespace matprec::testing
