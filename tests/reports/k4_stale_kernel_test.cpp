// Kind K4: a cached kernel of the mode before.
#include <gtest/gtest.h>

#include "matprec/policy.h"
#include "tests/support/clean_environment.h"
#include "tests/support/products.h"

namespace matprec::testing {
namespace {

using enum DotAlgorithm;

// ideep#327, oneDNN#3527, pytorch#130919 (IL-24)
TEST(StaleKernel, EachOfTwelveCallsOnTheSamePointersShowsItsOwnDigits) {
  const Matrix x = report_x(), y = report_y();
  Matrix out(2, 2);
  for (const DotAlgorithm algorithm :
       {kBF16_BF16_F32, kF32_F32_F32, kBF16_BF16_F32, kTF32_TF32_F32, kBF16_BF16_F32_X3,
        kBF16_BF16_F32, kBF16_BF16_F32_X6, kTF32_TF32_F32, kBF16_BF16_F32_X9, kBF16_BF16_F32_X3,
        kF32_F32_F32, kTF32_TF32_F32}) {
    dot_general_into(out.view(), x.view(), y.view(), matrix_product(), {.precision = algorithm});
    for (const QuotedDigits& row : kReportDigits) {
      if (row.algorithm == algorithm) {
        EXPECT_TRUE(within_one_ulp(out.values, row.values)) << to_string(algorithm);
      }
    }
  }
}
TEST(StaleKernel, ChangingTheScopeChangesTheNextCall) {
  for (int i = 0; i < 3; ++i) {
    {
      const ScopedPrecision guard("bf16");
      EXPECT_TRUE(shows_digits_of(kBF16_BF16_F32));
    }
    EXPECT_TRUE(shows_digits_of(kF32_F32_F32));
  }
}

}  // namespace
}  // namespace matprec::testing
