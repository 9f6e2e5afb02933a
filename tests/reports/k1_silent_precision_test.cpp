// Kind K1: the product ran in another precision than its user believed.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "matprec/policy.h"
#include "tests/support/clean_environment.h"
#include "tests/support/products.h"
#include "tests/support/rounding_rows.h"

namespace matprec::testing {
namespace {

// jax#9973, jax#7010, jax#1856 (IL-01): the bf16 digits are the very ones a TPU printed.
TEST(SilentPrecision, TwoByTwoShowsTheDigitsOfItsAlgorithm) {
  for (const QuotedDigits& row : kReportDigits) {
    EXPECT_TRUE(shows_digits_of(row.algorithm, row.algorithm)) << to_string(row.algorithm);
  }
}
TEST(SilentPrecision, NobodyAskingMeansFloat32) {
  EXPECT_TRUE(shows_digits_of(DotAlgorithm::kF32_F32_F32));
}

// jax#14157, jax#14022 (IL-02): the tf32 digits are the A100's.
TEST(SilentPrecision, ScopeAndArgumentBothTakeEffectWithTheSameBits) {
  const Matrix a(2, 2, {1.1111111f, 2.2222222f, 3.3333333f, 4.4444444f});
  const QuotedDigits rows[] = {
      {DotAlgorithm::kTF32_TF32_F32, {6.175251f, 13.585552f, 13.585552f, 30.876255f}},
      {DotAlgorithm::kBF16_BF16_F32, {6.1535645f, 13.537842f, 13.537842f, 30.767822f}},
      {DotAlgorithm::kBF16_BF16_F32_X3, {6.172862f, 13.5802965f, 13.5802965f, 30.864311f}},
      {DotAlgorithm::kBF16_BF16_F32_X9, {6.1728387f, 13.580245f, 13.580245f, 30.864195f}},
      {DotAlgorithm::kF32_F32_F32, {6.1728387f, 13.580245f, 13.580245f, 30.864195f}}};
  for (const QuotedDigits& row : rows) {
    const Matrix by_argument = product(a, transposed(a), row.algorithm);
    const ScopedPrecision guard(row.algorithm);
    const Matrix by_scope = product(a, transposed(a));
    EXPECT_TRUE(within_one_ulp(by_argument.values, row.values)) << to_string(row.algorithm);
    EXPECT_TRUE(same_bits<float>(by_scope.values, by_argument.values)) << to_string(row.algorithm);
  }
}

// jax#39869, jax#18934, jax#22557 (IL-03)
TEST(SilentPrecision, ANameSelectsItsAlgorithmAndNoOther) {
  EXPECT_TRUE(shows_digits_of(DotAlgorithm::kBF16_BF16_F32_X3, "bfloat16_3x"));
  EXPECT_TRUE(shows_digits_of(DotAlgorithm::kTF32_TF32_F32, "tensorfloat32"));
}
TEST(SilentPrecision, EveryNameOfARowGivesTheBitsOfThatRow) {
  for (const AlgorithmInfo& row : rounding_rows()) {
    const Matrix expected = oracle_product(row.algorithm, report_x(), report_y());
    std::set<std::string_view> names = {row.name, row.short_name};
    names.insert(row.aliases.begin(), row.aliases.end());
    names.erase("");
    for (const std::string_view name : names) {
      EXPECT_TRUE(same_bits<float>(product(report_x(), report_y(), name).values, expected.values))
          << name;
    }
  }
}

// mlx#3860, mlx#3883 (IL-05): float32 products ran in TF32 by default, found by bisecting.
TEST(SilentPrecision, EffectiveSaysWhatRunsAndWhoChoseIt) {
  EXPECT_EQ(effective().algorithm, DotAlgorithm::kF32_F32_F32);
  EXPECT_EQ(effective().source, Source::kBuiltIn);
  const ScopedPrecision guard("tf32");
  EXPECT_EQ(effective().algorithm, DotAlgorithm::kTF32_TF32_F32);
  EXPECT_EQ(effective().source, Source::kScope);
}
TEST(SilentPrecision, TheErrorOfTf32OnNormalDataIsTheReportedOne) {
  const Matrix a = normal_matrix(512, 512, 1), b = normal_matrix(512, 512, 2);
  const Float64Product exact = float64_product(a, b);
  EXPECT_NEAR(relative_frobenius_error(product(a, b, "tf32"), exact.values), 2.94e-4, 0.05e-4);
  EXPECT_LE(relative_frobenius_error(product(a, b, "fp32"), exact.values), 2.9e-7 * 1.1);
}

// nanochat#538, pytorch#100145 (IL-06): a setting that reads back right and changes nothing.
TEST(SilentPrecision, EverySetterIsReadBackAndShowsInTheFingerprint) {
  for (const DotAlgorithm algorithm :
       {DotAlgorithm::kBF16_BF16_F32, DotAlgorithm::kTF32_TF32_F32, DotAlgorithm::kBF16_BF16_F32_X3,
        DotAlgorithm::kBF16_BF16_F32_X6, DotAlgorithm::kBF16_BF16_F32_X9,
        DotAlgorithm::kF32_F32_F32}) {
    EXPECT_EQ(fingerprint(algorithm), fingerprint_of(algorithm)) << to_string(algorithm);
    {
      const ScopedPrecision guard(algorithm);
      EXPECT_EQ(effective().algorithm, algorithm);
      EXPECT_EQ(fingerprint(), fingerprint_of(algorithm)) << to_string(algorithm);
    }
    set_default_precision(algorithm);
    EXPECT_EQ(default_precision(), PrecisionRequest(algorithm));
    EXPECT_EQ(fingerprint(), fingerprint_of(algorithm)) << to_string(algorithm);
    set_default_precision({});
  }
}

}  // namespace
}  // namespace matprec::testing
