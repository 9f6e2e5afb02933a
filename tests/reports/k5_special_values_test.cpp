// Kind K5: infinities, the largest floats and subnormals.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "matprec/convert.h"
#include "matprec/runtime.h"
#include "tests/support/clean_environment.h"
#include "tests/support/products.h"

namespace matprec::testing {
namespace {

using enum DotAlgorithm;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();
constexpr DotAlgorithm kSeveralParts[] = {kBF16_BF16_F32_X3, kBF16_BF16_F32_X6, kBF16_BF16_F32_X9,
                                          kTF32_TF32_F32_X3};

// rocm-libraries#10131, triton#7592 (IL-26): a naive split gives NaN in each of these.
TEST(SpecialValues, InfinityTimesAFiniteNumberIsInfinity) {
  for (const DotAlgorithm algorithm : kSeveralParts) {
    EXPECT_EQ(product_of(1.0f, kInf, algorithm), kInf) << to_string(algorithm);
    EXPECT_EQ(product_of(kInf, 1.1f, algorithm), kInf) << to_string(algorithm);
    const Matrix sum = product(Matrix(1, 2, {1.5f, -kInf}), Matrix(2, 1, {1, 1}), algorithm);
    EXPECT_EQ(sum.values[0], -kInf) << to_string(algorithm);
  }
}
TEST(SpecialValues, AllInfinitySquaredIsAllInfinity) {
  const Matrix all = filled(16, 16, kInf);
  for (const DotAlgorithm algorithm : kSeveralParts) {
    EXPECT_EQ(product(all, all, algorithm).values, all.values) << to_string(algorithm);
  }
}

float converted(std::uint32_t pattern, ElementType to) {
  const float x = from_bits(pattern);
  const Tensor narrow = convert(TensorView(&x, Dims{}), to);
  return convert(narrow, ElementType::kF32).data<float>()[0];
}
float as_tf32(std::uint32_t pattern) {
  const float x = from_bits(pattern);
  return round_to(TensorView(&x, Dims{}), PrecisionType::kTF32).data<float>()[0];
}

// gorse#1240, opencv#26321 (IL-28)
TEST(SpecialValues, TheLargestFloatsRoundAsTheFormatSays) {
  EXPECT_EQ(bits(converted(0x7F7F7FFF, ElementType::kBF16)), 0x7F7F0000u);
  EXPECT_EQ(converted(0x7F7F8000, ElementType::kBF16), kInf);
  EXPECT_EQ(converted(0x7F7FFFFF, ElementType::kBF16), kInf);
  EXPECT_EQ(as_tf32(0x7F7FFFFF), kInf);
  EXPECT_EQ(bits(as_tf32(0x7F7F8000)), 0x7F7F8000u);
}
TEST(SpecialValues, SinglePassTimesOneOfTheLargestFloatIsInfinity) {
  EXPECT_EQ(product_of(kMax, 1, kBF16_BF16_F32), kInf);
  EXPECT_EQ(product_of(kMax, 1, kF32_F32_F32), kMax);
}

// torch-mojo-backend#435, llvm-project#80475 (IL-31)
TEST(SpecialValues, SubnormalResultsAreKeptOnEveryThread) {
  for (const int threads : {1, 2, 5}) {
    set_num_threads(threads);
    // Large enough to be spread over threads; one step holds the product, the others add zero.
    Matrix a(300, 200), b(200, 300);
    for (std::int64_t i = 0; i < 300; ++i) a.at(i, 77) = 0x1p-126f;
    for (std::int64_t j = 0; j < 300; ++j) b.at(77, j) = 0.5f;
    for (const float x : product(a, b, kF32_F32_F32).values) ASSERT_EQ(bits(x), 0x00400000u);
  }
  set_num_threads(0);
}

}  // namespace
}  // namespace matprec::testing
