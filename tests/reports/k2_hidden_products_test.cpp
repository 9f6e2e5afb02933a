// Kind K2: the same product in another surrounding (a batch, a derivative) lost its precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "matprec/contractions.h"
#include "matprec/dot_general.h"
#include "matprec/policy.h"
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

// A helper that multiplies by the DFT matrix and takes no precision.
struct Spectrum {
  Matrix re, im;
};
constexpr std::int64_t kPoints = 64;

Matrix dft_matrix(double (*wave)(double)) {
  Matrix m(kPoints, kPoints);
  for (std::int64_t i = 0; i < kPoints; ++i) {
    for (std::int64_t j = 0; j < kPoints; ++j) {
      const double turns = static_cast<double>(i * j % kPoints) / kPoints;
      m.at(i, j) = static_cast<float>(wave(2 * std::numbers::pi * turns));
    }
  }
  return m;
}
Matrix row_times(const Matrix& row, const Matrix& m) {
  const Tensor product = dot(row.view(), m.view());
  return Matrix(1, kPoints, {product.data<float>(), product.data<float>() + kPoints});
}

// The convolution of a with itself: forward, squared, and back.
Matrix self_convolution(const Matrix& a) {
  const Matrix cosine = dft_matrix(std::cos), sine = dft_matrix(std::sin);
  const Spectrum s{row_times(a, cosine), row_times(a, sine)};
  Spectrum squared{Matrix(1, kPoints), Matrix(1, kPoints)};
  for (std::int64_t k = 0; k < kPoints; ++k) {
    squared.re.at(0, k) = s.re.at(0, k) * s.re.at(0, k) - s.im.at(0, k) * s.im.at(0, k);
    squared.im.at(0, k) = 2 * s.re.at(0, k) * s.im.at(0, k);
  }
  const Matrix re = row_times(squared.re, cosine), im = row_times(squared.im, sine);
  Matrix result(1, kPoints);
  for (std::int64_t i = 0; i < kPoints; ++i) result.at(0, i) = (re.at(0, i) + im.at(0, i)) / kPoints;
  return result;
}

double largest_error_of_self_convolution() {
  Matrix a(1, kPoints);
  std::vector<double> exact(kPoints, 0.0);
  for (std::int64_t i = 0; i < 32; ++i) a.at(0, i) = static_cast<float>((37 * i + 11) % 10);
  for (std::int64_t i = 0; i < 32; ++i) {
    for (std::int64_t j = 0; j < 32; ++j) {
      exact[static_cast<std::size_t>(i + j)] +=
          static_cast<double>(a.at(0, i)) * static_cast<double>(a.at(0, j));
    }
  }
  const Matrix got = self_convolution(a);
  double largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(got.values[i]) - exact[i]));
  }
  return largest;
}

// jax#9881 (IL-07): an FFT by matrices ignored the precision that was set around it. Below one half
// rounding gives the exact integers.
TEST(HiddenProducts, AnFftByMatricesObeysTheScopeAroundIt) {
  for (const char* enough : {"tf32", "tf32x3", "bf16x3", "bf16x6", "bf16x9", "fp32"}) {
    const ScopedPrecision guard(enough);
    EXPECT_LT(largest_error_of_self_convolution(), 0.5) << enough;
  }
  EXPECT_LT(largest_error_of_self_convolution(), 0.01);  // nobody asked: float32
  const ScopedPrecision guard("bf16");
  EXPECT_NEAR(largest_error_of_self_convolution(), 1.6, 0.4);
}

}  // namespace
}  // namespace matprec::testing
