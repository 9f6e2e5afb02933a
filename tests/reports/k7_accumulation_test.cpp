// Kind K7: sums kept or rounded in the wrong type.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "matprec/dot_general.h"
#include "tests/support/clean_environment.h"
#include "tests/support/products.h"
#include "tests/support/rounding_rows.h"

namespace matprec::testing {
namespace {

using enum DotAlgorithm;

// pytorch#83863, ml_dtypes#63 (IL-37)
TEST(Accumulation, ASumOfOnesDoesNotStickAt256) {
  for (const DotAlgorithm algorithm : kFloat32SumAlgorithms) {
    for (const std::int64_t k : {257, 1024, 4096, 65537}) {
      EXPECT_EQ(product(filled(1, k, 1), filled(k, 1, 1), algorithm).values[0],
                static_cast<float>(k))
          << to_string(algorithm);
    }
  }
}
TEST(Accumulation, BFloat16SumsAreWhatTheyAreCalled) {
  const auto ones = [](std::int64_t k) {
    return product(filled(1, k, 1), filled(k, 1, 1), kBF16_BF16_BF16).values[0];
  };
  EXPECT_EQ(ones(257), 256);
  EXPECT_EQ(ones(1024), 1024);
  EXPECT_EQ(ones(4096), 4096);
}

// jax#17214 (IL-38)
TEST(Accumulation, ANarrowResultIsRoundedOnce) {
  const BFloat16 a[] = {{0xBFCF}, {0x3F12}};  // -1.6171875, .5703125
  const BFloat16 b[] = {{0x42FE}, {0xC080}};  // 127, -4
  const DotDimensionNumbers dot{.lhs_contracting = {0}, .rhs_contracting = {0}};
  const TensorView lhs(a, {2}), rhs(b, {2});
  const Tensor wide = dot_general(lhs, rhs, dot, {.preferred_element_type = ElementType::kF32});
  EXPECT_EQ(wide.data<float>()[0], -207.6640625f);
  EXPECT_EQ(dot_general(lhs, rhs, dot).data<BFloat16>()[0].bits, 0xC350);  // -208, not -207
}

// mlx#1958, mlx#1962, jax#16349 (IL-40)
TEST(Accumulation, AFewRowsHaveTheBitsOfAllRows) {
  const Matrix a = normal_matrix(64, 257, 1), b = normal_matrix(257, 31, 2);
  for (const AlgorithmInfo& row : rounding_rows()) {
    const Matrix all = product(a, b, row.algorithm);
    for (std::int64_t i = 0; i < 63; ++i) {
      for (const std::int64_t count : {1, 2}) {
        ASSERT_TRUE(same_bits<float>(product(rows_of(a, i, count), b, row.algorithm).values,
                                     rows_of(all, i, count).values))
            << row.name << ", row " << i << ", " << count << " rows";
      }
    }
  }
}
TEST(Accumulation, AFewColumnsHaveTheBitsOfAllColumns) {
  const Matrix a = normal_matrix(64, 257, 1), b = normal_matrix(257, 31, 2);
  for (const AlgorithmInfo& row : rounding_rows()) {
    const Matrix all = product(a, b, row.algorithm);
    for (std::int64_t j = 0; j < 30; ++j) {
      for (const std::int64_t count : {1, 2}) {
        ASSERT_TRUE(same_bits<float>(product(a, columns_of(b, j, count), row.algorithm).values,
                                     columns_of(all, j, count).values))
            << row.name << ", column " << j << ", " << count << " columns";
      }
    }
  }
}

// oneDNN#5917 (IL-41)
TEST(Accumulation, CIsAddedBeforeTheResultIsRounded) {
  const float a = 1, b = 1.00390625f;
  BFloat16 out{0xBF80};  // -1
  dot_general_into(MutableTensorView(&out, {1, 1}), TensorView(&a, {1, 1}), TensorView(&b, {1, 1}),
                   matrix_product(),
                   {.precision = kF32_F32_F32, .preferred_element_type = ElementType::kBF16},
                   {.beta = 1});
  EXPECT_EQ(out.bits, 0x3B80);  // 2^-8; rounded early it is 0
}

}  // namespace
}  // namespace matprec::testing
