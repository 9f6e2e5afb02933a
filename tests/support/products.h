// Products of test matrices through the public API, and the digits that public reports quote.
#ifndef MATPREC_TESTS_SUPPORT_PRODUCTS_H_
#define MATPREC_TESTS_SUPPORT_PRODUCTS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "matprec/dot_general.h"
#include "tests/support/bits.h"
#include "tests/support/oracle.h"
#include "tests/support/random_matrix.h"

namespace matprec::testing {

// A * B by dot_general; without a precision, whatever is in force.
inline Matrix product(const Matrix& a, const Matrix& b, const PrecisionRequest& precision = {}) {
  Matrix c(a.rows, b.columns);
  dot_general_into(c.view(), a.view(), b.view(), matrix_product(), {.precision = precision});
  return c;
}

inline float product_of(float a, float b, const PrecisionRequest& precision = {}) {
  return product(Matrix(1, 1, {a}), Matrix(1, 1, {b}), precision).values[0];
}

inline constexpr std::array kFloat32SumAlgorithms = {
    DotAlgorithm::kBF16_BF16_F32,    DotAlgorithm::kBF16_BF16_F32_X3,
    DotAlgorithm::kBF16_BF16_F32_X6, DotAlgorithm::kBF16_BF16_F32_X9,
    DotAlgorithm::kTF32_TF32_F32,    DotAlgorithm::kTF32_TF32_F32_X3,
    DotAlgorithm::kF16_F16_F32,      DotAlgorithm::kF32_F32_F32};

inline Matrix rows_of(const Matrix& m, std::int64_t first, std::int64_t count) {
  const auto begin = m.values.begin() + first * m.columns;
  return Matrix(count, m.columns, std::vector<float>(begin, begin + count * m.columns));
}
inline Matrix columns_of(const Matrix& m, std::int64_t first, std::int64_t count) {
  return transposed(rows_of(transposed(m), first, count));
}
inline Matrix identity(std::int64_t n) {
  Matrix m(n, n);
  for (std::int64_t i = 0; i < n; ++i) m.at(i, i) = 1;
  return m;
}
inline Matrix filled(std::int64_t rows, std::int64_t columns, float value) {
  return Matrix(rows, columns, std::vector<float>(static_cast<std::size_t>(rows * columns), value));
}

// Each entry within one step of float32 of the quoted digits.
inline ::testing::AssertionResult within_one_ulp(std::span<const float> got,
                                                 std::span<const float> quoted) {
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    const float low = std::nextafter(quoted[i], -std::numeric_limits<float>::infinity());
    const float high = std::nextafter(quoted[i], std::numeric_limits<float>::infinity());
    if (!(got[i] >= low && got[i] <= high)) {
      return ::testing::AssertionFailure()
             << "entry " << i << ": got " << show(got[i]) << ", quoted " << show(quoted[i]);
    }
  }
  return ::testing::AssertionSuccess();
}

// The 2x2 product of the report jax#9973, whose digits name the algorithm that ran.
inline Matrix report_x() { return Matrix(2, 2, {.3744f, .1656f, .4707f, .1663f}); }
inline Matrix report_y() { return Matrix(2, 2, {.3946f, .1186f, .1569f, .3145f}); }

struct QuotedDigits {
  DotAlgorithm algorithm;
  std::array<float, 4> values;
};
inline constexpr std::array<float, 4> kFloat32Digits = {.17372088f, .09648504f, .21183069f,
                                                        .10812637f};
inline constexpr std::array<QuotedDigits, 6> kReportDigits = {{
    {DotAlgorithm::kBF16_BF16_F32, {.17405128f, .09669876f, .21180916f, .10805416f}},
    {DotAlgorithm::kTF32_TF32_F32, {.1737404f, .09650281f, .21178666f, .1081022f}},
    {DotAlgorithm::kBF16_BF16_F32_X3, {.17372122f, .09648508f, .21183078f, .10812626f}},
    {DotAlgorithm::kBF16_BF16_F32_X6, kFloat32Digits},
    {DotAlgorithm::kBF16_BF16_F32_X9, kFloat32Digits},
    {DotAlgorithm::kF32_F32_F32, kFloat32Digits},
}};

// Success if the report's product, run now with this request, shows the digits of `algorithm`.
inline ::testing::AssertionResult shows_digits_of(DotAlgorithm algorithm,
                                                  const PrecisionRequest& request = {}) {
  const Matrix got = product(report_x(), report_y(), request);
  for (const QuotedDigits& row : kReportDigits) {
    if (row.algorithm == algorithm) return within_one_ulp(got.values, row.values);
  }
  return ::testing::AssertionFailure() << "no digits are quoted for " << to_string(algorithm);
}

// One product tells the algorithms apart: 1 * x.
inline constexpr float kFingerprintFactor = 1 + 0x1p-9f + 0x1p-17f + 0x1p-23f;
inline float fingerprint(const PrecisionRequest& request = {}) {
  return product_of(1.0f, kFingerprintFactor, request);
}
inline float fingerprint_of(DotAlgorithm algorithm) {
  switch (algorithm) {
    case DotAlgorithm::kBF16_BF16_F32:
      return 1.0f;
    case DotAlgorithm::kTF32_TF32_F32:
      return 1.001953125f;
    case DotAlgorithm::kBF16_BF16_F32_X3:
      return 1.0019683837890625f;
    default:
      return 1.0019608736038208f;  // x6, x9, fp32
  }
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_PRODUCTS_H_
