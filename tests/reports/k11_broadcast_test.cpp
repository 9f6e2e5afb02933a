// Kind K11: broadcast operands, which have strides of zero.
// candle#3744, numpy#12156 (IL-63)
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "matprec/dot_general.h"
#include "tests/support/clean_environment.h"
#include "tests/support/products.h"
#include "tests/support/rounding_rows.h"

namespace matprec::testing {
namespace {

std::vector<float> counting(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

// Four batches of 2x3 by 3x2; each must be the plain product of the matrices that it names.
void expect_batches_are_plain_products(std::int64_t lhs_batch_stride,
                                       std::int64_t rhs_batch_stride) {
  const std::vector<float> lhs = counting(24), rhs = counting(24);
  for (const AlgorithmInfo& row : rounding_rows()) {
    const Tensor got = matmul(TensorView(lhs.data(), {4, 2, 3}, {lhs_batch_stride, 3, 1}),
                              TensorView(rhs.data(), {4, 3, 2}, {rhs_batch_stride, 2, 1}),
                              {.precision = row.algorithm});
    for (std::int64_t b = 0; b < 4; ++b) {
      const auto first_lhs = lhs.begin() + b * lhs_batch_stride;
      const auto first_rhs = rhs.begin() + b * rhs_batch_stride;
      const Matrix expected = product(Matrix(2, 3, {first_lhs, first_lhs + 6}),
                                      Matrix(3, 2, {first_rhs, first_rhs + 6}), row.algorithm);
      EXPECT_TRUE(same_bits<float>(std::span(got.data<float>() + 4 * b, 4), expected.values))
          << row.name << ", batch " << b;
    }
  }
}

TEST(Broadcast, OfTheLeftBatchRepeatsIt) { expect_batches_are_plain_products(0, 6); }
TEST(Broadcast, OfTheRightBatchRepeatsIt) { expect_batches_are_plain_products(6, 0); }
TEST(Broadcast, OfBothBatchesRepeatsBoth) { expect_batches_are_plain_products(0, 0); }

TEST(Broadcast, OfABatchOfOneNeedsNoStrides) {
  const std::vector<float> lhs = counting(6), rhs = counting(24);
  const Tensor got = matmul(TensorView(lhs.data(), {1, 2, 3}), TensorView(rhs.data(), {4, 3, 2}));
  EXPECT_EQ(got.shape(), (Dims{4, 2, 2}));
  const Matrix last = product(Matrix(2, 3, lhs), Matrix(3, 2, {rhs.begin() + 18, rhs.end()}));
  EXPECT_TRUE(same_bits<float>(std::span(got.data<float>() + 12, 4), last.values));
}

TEST(Broadcast, OfRowsAndColumnsInsideAMatrix) {
  const std::vector<float> x = counting(40);
  for (const AlgorithmInfo& row : rounding_rows()) {
    Matrix rows(5, 40), columns(40, 6);  // the same operands written out
    for (std::int64_t k = 0; k < 40; ++k) {
      for (std::int64_t i = 0; i < 5; ++i) rows.at(i, k) = x[static_cast<std::size_t>(k)];
      for (std::int64_t j = 0; j < 6; ++j) columns.at(k, j) = x[static_cast<std::size_t>(k)];
    }
    const Tensor got = matmul(TensorView(x.data(), {5, 40}, {0, 1}),
                              TensorView(x.data(), {40, 6}, {1, 0}), {.precision = row.algorithm});
    EXPECT_TRUE(same_bits<float>(std::span(got.data<float>(), 30),
                                 product(rows, columns, row.algorithm).values))
        << row.name;
  }
}

}  // namespace
}  // namespace matprec::testing
