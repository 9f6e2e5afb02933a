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

namespace matprec::testing {
namespace {

TEST(EinsumReports, AnEllipsisBroadcastsEachOfItsDimensions) {
  const Matrix a = normal_matrix(6, 3, 1), v = normal_matrix(8, 3, 2);
  for (const AlgorithmInfo& row : kAlgorithms) {
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

// As two operands, with a third, as batch, as sum, and with ellipses beside it: refused everywhere.
TEST(EinsumReports, ALetterOfSizeOneNeverBroadcasts) {
  const Matrix one(2, 1, {1, 2}), three(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (const char* equation : {"ik,jk->ij", "ik,jk->ijk", "ik,jk", "ik,jk->", "...k,jk->...j"}) {
    const std::string error = error_of([&] { einsum(equation, {one.view(), three.view()}); });
    EXPECT_NE(error.find("letter \"k\" has size 1 in operand 0 and size 3 in operand 1"),
              std::string::npos)
        << equation << ": " << error;
  }
  EXPECT_NE(error_of([&] {
              einsum("jl,ik,jk->il", {three.view(), one.view(), three.view()});
            }).find("letter \"k\" has size 1"),
            std::string::npos);
}

TEST(EinsumReports, TheResultMayHaveItsLettersInAnyOrder) {
  const Matrix a = normal_matrix(5, 200, 3), b = normal_matrix(200, 7, 4);
  for (const AlgorithmInfo& row : kAlgorithms) {
    const Tensor got = einsum("ij,jk->ki", {a.view(), b.view()}, {.precision = row.algorithm});
    EXPECT_TRUE(same_bits<float>(std::span(got.data<float>(), 35),
                                 transposed(product(a, b, row.algorithm)).values))
        << row.name;
  }
}

}  // namespace
}  // namespace matprec::testing
