// Kind K8: integers kept in floats (indices, counters, permutations) come out as other integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "matprec/contractions.h"
#include "tests/support/clean_environment.h"
#include "tests/support/products.h"

namespace matprec::testing {
namespace {

using enum DotAlgorithm;
constexpr DotAlgorithm kExactForSmallIntegers[] = {kTF32_TF32_F32,    kTF32_TF32_F32_X3,
                                                   kBF16_BF16_F32_X3, kBF16_BF16_F32_X6,
                                                   kBF16_BF16_F32_X9, kF32_F32_F32};

Matrix counting(std::int64_t rows, std::int64_t columns) {
  Matrix m(rows, columns);
  float next = 0;
  for (float& x : m.values) x = next++;
  return m;
}
double largest_difference(const Matrix& a, const Matrix& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a.values[i]) - b.values[i]));
  }
  return largest;
}

// OpenBLAS#5429 (IL-42)
TEST(IntegersInFloats, TimesIdentityIsTheMatrix) {
  const Matrix a = counting(45, 33);
  for (const DotAlgorithm algorithm : kExactForSmallIntegers) {
    EXPECT_EQ(product(a, identity(33), algorithm).values, a.values) << to_string(algorithm);
  }
  EXPECT_EQ(largest_difference(product(a, identity(33), kBF16_BF16_F32), a), 4);
}
TEST(IntegersInFloats, TimesIdentityIsTheMatrixInEverySize) {
  for (std::int64_t n = 1; n <= 50; ++n) {
    const Matrix a = counting(n, n);
    for (const DotAlgorithm algorithm : kExactForSmallIntegers) {
      if (algorithm == kTF32_TF32_F32 && n * n > 2049) continue;  // beyond 11 bits
      EXPECT_EQ(product(a, identity(n), algorithm).values, a.values) << to_string(algorithm) << n;
    }
  }
}

// tt-xla#5116 (IL-43): flat indices i * 512 + j made by a product fetch the wrong row.
TEST(IntegersInFloats, FlatIndicesNameTheirRow) {
  Matrix indices(4 * 512, 2), flat(4 * 512, 1);
  for (std::int64_t row = 0; row < 4 * 512; ++row) {
    indices.at(row, 0) = static_cast<float>(row / 512);
    indices.at(row, 1) = static_cast<float>(row % 512);
    flat.at(row, 0) = static_cast<float>(row);
  }
  const float strides[] = {512, 1};
  const auto made = [&](DotAlgorithm algorithm) {
    const Tensor t = matvec(indices.view(), TensorView(strides, {2}), {.precision = algorithm});
    return Matrix(4 * 512, 1, {t.data<float>(), t.data<float>() + t.size()});
  };
  for (const DotAlgorithm algorithm : kExactForSmallIntegers) {
    EXPECT_EQ(made(algorithm).values, flat.values) << to_string(algorithm);
  }
  const Matrix narrow = made(kBF16_BF16_F32);
  EXPECT_EQ(narrow.at(257, 0), 256);
  EXPECT_EQ(narrow.at(3 * 512 + 511, 0), 2048);
}

// tensorflow#115731, ml_dtypes#63 (IL-45)
TEST(IntegersInFloats, RunningSumsDoNotDrift) {
  Matrix lower(600, 600), numbers(600, 1), sums(600, 1);
  for (std::int64_t i = 0; i < 600; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) lower.at(i, j) = 1;
    numbers.at(i, 0) = static_cast<float>(i + 1);
    sums.at(i, 0) = static_cast<float>((i + 1) * (i + 2) / 2);
  }
  for (const DotAlgorithm algorithm : kExactForSmallIntegers) {
    EXPECT_EQ(product(lower, numbers, algorithm).values, sums.values) << to_string(algorithm);
  }
  const Matrix narrow = product(lower, numbers, kBF16_BF16_F32);
  EXPECT_EQ(rows_of(narrow, 0, 256).values, rows_of(sums, 0, 256).values);
  EXPECT_EQ(narrow.at(256, 0), 33152);  // k = 257; right is 33153
  EXPECT_EQ(largest_difference(narrow, sums), 3);
}

}  // namespace
}  // namespace matprec::testing
