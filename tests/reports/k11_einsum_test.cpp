// Kind K11: einsum broadcasts otherwise on another path, or loses a narrow type's sum.
// jax#2189, numpy#11548, numpy#10930, jittor#18018 (IL-66)
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>

#include "matprec/convert.h"
#include "matprec/einsum.h"
#include "tests/support/clean_environment.h"
#include "tests/support/error_of.h"
#include "tests/support/products.h"
#include "tests/support/rounding_rows.h"

namespace matprec::testing {
namespace {

TEST(EinsumReports, AnEllipsisBroadcastsEachOfItsDimensions) {
  const Matrix a = normal_matrix(6, 3, 1), v = normal_matrix(8, 3, 2);
  for (const AlgorithmInfo& row : rounding_rows()) {
    const Tensor got =
        einsum("...ij,...j",
               {TensorView(a.values.data(), {2, 1, 3, 3}), TensorView(v.values.data(), {2, 4, 3})},
               {.precision = row.algorithm});
    ASSERT_EQ(got.shape(), (Dims{2, 4, 3}));
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t c = 0; c < 4; ++c) {
        const Matrix one =
            product(rows_of(a, 3 * b, 3), transposed(rows_of(v, 4 * b + c, 1)), row.algorithm);
        EXPECT_TRUE(same_bits<float>(std::span(got.data<float>() + 3 * (4 * b + c), 3), one.values))
            << row.name << ", batch " << b << ", " << c;
      }
    }
  }
}

TEST(EinsumReports, ABfloat16InnerProductIsItsSum) {
  const Tensor a = convert(Tensor::of<float>({3}, {1, 2, 3}), ElementType::kBF16);
  const Tensor b = convert(Tensor::of<float>({3}, {4, 5, 6}), ElementType::kBF16);
  const Tensor c = einsum("i,i->", {a, b});
  EXPECT_EQ(c.type(), ElementType::kBF16);
  EXPECT_EQ(convert(c, ElementType::kF32).data<float>()[0], 32);
}

// As two operands, with a third, as batch, as sum, and with ellipses beside it: on every path the same as
// the operand written out.
TEST(EinsumReports, ALetterOfSizeOneIsRepeatedOnEveryPath) {
  const Matrix one = normal_matrix(2, 1, 5), three = normal_matrix(3, 3, 6);
  Matrix repeated(2, 3);
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t k = 0; k < 3; ++k) repeated.at(i, k) = one.at(i, 0);
  }
  const auto expect_same = [](const Tensor& got, const Tensor& expected, const char* equation) {
    ASSERT_EQ(got.shape(), expected.shape()) << equation;
    const auto values = [](const Tensor& t) {
      return std::span(t.data<float>(), static_cast<std::size_t>(t.size()));
    };
    EXPECT_TRUE(same_bits<float>(values(got), values(expected))) << equation;
  };
  for (const char* equation : {"ik,jk->ij", "ik,jk->ijk", "ik,jk->ki", "ik,jk", "ik,jk->", "...k,jk->...j"}) {
    expect_same(einsum(equation, {one.view(), three.view()}),
                einsum(equation, {repeated.view(), three.view()}), equation);
  }
  const char* chain = "jl,ik,jk->il";
  expect_same(einsum(chain, {three.view(), one.view(), three.view()}),
              einsum(chain, {three.view(), repeated.view(), three.view()}), chain);
  const Matrix two(2, 2, {1, 2, 3, 4});
  EXPECT_NE(error_of([&] { einsum("ik,jk->ij", {two.view(), three.view()}); })
                .find("letter \"k\" has size 2 in operand 0 and size 3 in operand 1"),
            std::string::npos);
}

TEST(EinsumReports, TheResultMayHaveItsLettersInAnyOrder) {
  const Matrix a = normal_matrix(5, 200, 3), b = normal_matrix(200, 7, 4);
  for (const AlgorithmInfo& row : rounding_rows()) {
    const Tensor got = einsum("ij,jk->ki", {a.view(), b.view()}, {.precision = row.algorithm});
    EXPECT_TRUE(same_bits<float>(std::span(got.data<float>(), 35),
                                 transposed(product(a, b, row.algorithm)).values))
        << row.name;
  }
}

}  // namespace
}  // namespace matprec::testing
