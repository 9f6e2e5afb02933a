// The error each algorithm promises, from both sides: an algorithm that is "too good" did not run.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "matprec/dot_general.h"
#include "tests/support/oracle.h"
#include "tests/support/random_matrix.h"
#include "tests/support/rounding_rows.h"

namespace matprec::testing {
namespace {

// The per-entry factor of |A||B| (docs/numerics.md, error each algorithm promises), written out
// here so that the library's own figure is not what it is checked with.
double promised_factor(const AlgorithmInfo& row, std::int64_t k) {
  double u_alg = 0;
  for (const int exponent : row.error_exponents) {
    if (exponent != 0) u_alg += std::ldexp(1.0, exponent);
  }
  const double u = row.accumulation == PrecisionType::kF64 ? 0x1p-53 : 0x1p-24;
  const double chunks = std::ceil(static_cast<double>(k) / 128);
  const double m = 128.0 * row.fmas + (chunks > 1 ? std::ceil(std::log2(chunks)) : 0);
  const double gamma = m * u / (1 - m * u);
  return u_alg + (1 + 0x1p-15) * (1 + u_alg) * gamma;
}

void expect_within_bound(const AlgorithmInfo& row, const Matrix& a, const Matrix& b,
                         const std::string& data) {
  const Matrix c = oracle_product(row.algorithm, a, b);
  const Float64Product exact = float64_product(a, b);
  // The output is float32: its rounding, and that of the float64 reference, are added for fp64.
  const double factor = promised_factor(row, a.columns) + 0x1p-53 * static_cast<double>(a.columns) +
                        (row.accumulation == PrecisionType::kF64 ? 0x1p-24 : 0);
  for (std::size_t i = 0; i < exact.values.size(); ++i) {
    ASSERT_LE(std::abs(c.values[i] - exact.values[i]), factor * exact.magnitudes[i])
        << row.name << ", " << data << ", K = " << a.columns << ", flat index " << i;
  }
}

class ErrorBound : public ::testing::TestWithParam<AlgorithmInfo> {};

TEST_P(ErrorBound, HoldsOnNormalData) {
  for (const std::int64_t k : {1, 127, 129, 700}) {
    expect_within_bound(GetParam(), normal_matrix(8, k, 11), normal_matrix(k, 9, 12), "normal");
  }
}
TEST_P(ErrorBound, HoldsOnUniformData) {
  expect_within_bound(GetParam(), uniform_matrix(8, 1000, 13), uniform_matrix(1000, 8, 14),
                      "uniform");
}
TEST_P(ErrorBound, HoldsOnWideData) {
  // Inside binary16's normal range too.
  expect_within_bound(GetParam(), wide_matrix(8, 500, 12, 15), wide_matrix(500, 8, 12, 16), "wide");
}
TEST_P(ErrorBound, HoldsOnCancellingData) {
  Matrix a = normal_matrix(8, 512, 17), b = normal_matrix(512, 8, 18);
  for (std::int64_t k = 256; k < 512; ++k) {
    for (std::int64_t i = 0; i < 8; ++i) {
      a.at(i, k) = -a.at(i, k - 256);
      b.at(k, i) = std::nextafter(b.at(k - 256, i), 10.0f);
    }
  }
  expect_within_bound(GetParam(), a, b, "cancelling");
}

// Rows that keep 16-bit sums promise nothing in this form.
std::vector<AlgorithmInfo> rows_with_a_promise() {
  std::vector<AlgorithmInfo> rows;
  for (const AlgorithmInfo& row : rounding_rows()) {
    if (row.accumulation == PrecisionType::kF32 || row.accumulation == PrecisionType::kF64) {
      rows.push_back(row);
    }
  }
  return rows;
}
std::string short_name_of(const ::testing::TestParamInfo<AlgorithmInfo>& p) {
  return std::string(p.param.short_name);
}
INSTANTIATE_TEST_SUITE_P(Rows, ErrorBound, ::testing::ValuesIn(rows_with_a_promise()),
                         short_name_of);

struct Band {
  DotAlgorithm algorithm;
  double low, high;
};
class ErrorBand : public ::testing::TestWithParam<Band> {};

TEST_P(ErrorBand, NormalDataAt64LieInside) {
  const Matrix a = normal_matrix(64, 64, 21), b = normal_matrix(64, 64, 22);
  const double error = relative_frobenius_error(oracle_product(GetParam().algorithm, a, b),
                                                float64_product(a, b).values);
  EXPECT_GE(error, GetParam().low);
  EXPECT_LE(error, GetParam().high);
}
INSTANTIATE_TEST_SUITE_P(Rows, ErrorBand,
                         ::testing::Values(Band{DotAlgorithm::kBF16_BF16_F32, 1.8e-3, 3e-3},
                                           Band{DotAlgorithm::kTF32_TF32_F32, 2.2e-4, 3.7e-4},
                                           Band{DotAlgorithm::kBF16_BF16_F32_X3, 2e-6, 1e-5},
                                           Band{DotAlgorithm::kTF32_TF32_F32_X3, 5e-8, 6e-7},
                                           Band{DotAlgorithm::kBF16_BF16_F32_X6, 0, 5e-7},
                                           Band{DotAlgorithm::kBF16_BF16_F32_X9, 0, 5e-7},
                                           Band{DotAlgorithm::kF32_F32_F32, 0, 5e-7}),
                         [](const ::testing::TestParamInfo<Band>& p) {
                           return std::string(matprec::info(p.param.algorithm).short_name);
                         });

TEST(ErrorBand, ThreePassBFloat16HasNoBiasOnUniformData) {
  // A split toward zero would have 2^-17 here.
  const Matrix a = uniform_matrix(8, 4096, 23), b = uniform_matrix(4096, 8, 24);
  const Matrix c = oracle_product(DotAlgorithm::kBF16_BF16_F32_X3, a, b);
  const Float64Product exact = float64_product(a, b);
  double squares = 0;
  for (std::size_t i = 0; i < exact.values.size(); ++i) {
    const double relative = (c.values[i] - exact.values[i]) / exact.magnitudes[i];
    squares += relative * relative;
  }
  EXPECT_LE(std::sqrt(squares / static_cast<double>(exact.values.size())), 0x1p-22);
}

}  // namespace
}  // namespace matprec::testing
