// Kind K2: the same product in another surrounding (a batch, a derivative) lost its precision.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "matprec/dot_general.h"
#include "tests/support/clean_environment.h"
#include "tests/support/products.h"
#include "tests/support/rounding_rows.h"

namespace matprec::testing {
namespace {

// jax#15362, jax#24909, jax#26308 (IL-08)
TEST(HiddenProducts, ABatchGivesTheBitsOfTheSingleProduct) {
  const Matrix a = normal_matrix(10 * 13, 37, 1), b = normal_matrix(10 * 37, 5, 2);
  for (const AlgorithmInfo& row : rounding_rows()) {
    const Tensor batched = dot_general(
        TensorView(a.values.data(), {10, 13, 37}), TensorView(b.values.data(), {10, 37, 5}),
        {.lhs_contracting = {2}, .rhs_contracting = {1}, .lhs_batch = {0}, .rhs_batch = {0}},
        {.precision = row.algorithm});
    for (std::int64_t i = 0; i < 10; ++i) {
      const Matrix single = product(rows_of(a, 13 * i, 13), rows_of(b, 37 * i, 37), row.algorithm);
      EXPECT_TRUE(
          same_bits<float>(std::span(batched.data<float>() + i * 13 * 5, 13 * 5), single.values))
          << row.name << ", batch " << i;
    }
  }
}

double deviation(const Matrix& a, const Matrix& b) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double d = static_cast<double>(a.values[i]) - b.values[i];
    sum += d;
    squares += d * d;
  }
  const auto n = static_cast<double>(a.values.size());
  return std::sqrt(squares / n - (sum / n) * (sum / n));
}

// jax#11628 (IL-09): the Jacobian of a linear map, made by multiplying with the identity.
TEST(HiddenProducts, TheJacobianOfALinearMapIsItsMatrix) {
  const Matrix a = normal_matrix(100, 1000, 0);
  for (const char* exact : {"fp32", "bf16x6", "bf16x9"}) {
    EXPECT_TRUE(same_bits<float>(product(identity(100), a, exact).values, a.values)) << exact;
  }
}
TEST(HiddenProducts, TheJacobianUnderTf32DeviatesAsReported) {
  const Matrix a = normal_matrix(100, 1000, 0);
  EXPECT_NEAR(deviation(product(identity(100), a, "tf32"), a), 2.07e-4, 0.03 * 2.07e-4);
  EXPECT_NEAR(deviation(product(identity(100), a, "bf16"), a), 1.66e-3, 0.03 * 1.66e-3);
}

}  // namespace
}  // namespace matprec::testing
