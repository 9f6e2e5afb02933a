// The front ends over complex numbers, integers and 8-bit floats.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <cstring>
#include <string>

#include "matprec/matprec.h"
#include "tests/support/clean_environment.h"
#include "tests/support/error_of.h"

namespace matprec {
namespace {

using testing::error_of;
using enum ElementType;
using C64 = std::complex<float>;

const Tensor kU = Tensor::of<C64>({2}, {{1, 2}, {0, -3}});
const Tensor kV = Tensor::of<C64>({2}, {{2, 1}, {4, 5}});

TEST(FrontEndTypes, ComplexVectorsConjugateTheFirst) {
  // conj(1+2i)(2+i) + conj(-3i)(4+5i) = (4-3i) + (-15+12i)
  EXPECT_EQ(vdot(kU, kV).data<C64>()[0], C64(-11, 9));
  EXPECT_EQ(vecdot(kU, kV).data<C64>()[0], C64(-11, 9));
  // Without conjugation: (1+2i)(2+i) + (-3i)(4+5i) = 5i + (15-12i)
  EXPECT_EQ(dot(kU, kV).data<C64>()[0], C64(15, -7));
  EXPECT_EQ(inner(kU, kV).data<C64>()[0], C64(15, -7));
  EXPECT_EQ(einsum("i,i->", {kU, kV}).data<C64>()[0], C64(15, -7));
  EXPECT_EQ(tensordot(kU, kV, 1).data<C64>()[0], C64(15, -7));
  const TensorView column(kV.data<C64>(), {2, 1});
  EXPECT_EQ(vecmat(kU, column).data<C64>()[0], C64(-11, 9));
  const TensorView row(kV.data<C64>(), {1, 2});
  EXPECT_EQ(matvec(row, kU).data<C64>()[0], C64(15, -7));
}

TEST(FrontEndTypes, ComplexWithReal) {
  const Tensor real = Tensor::of<float>({2}, {3, -1});
  EXPECT_EQ(vdot(real, kV).data<C64>()[0], C64(2, -2));
  EXPECT_EQ(vdot(kV, real).data<C64>()[0], C64(2, 2));
  EXPECT_EQ(einsum("i,i->", {real, kV}).type(), kC64);
}

TEST(FrontEndTypes, EinsumOfComplexTracesSumsAndChains) {
  const Tensor a = Tensor::of<C64>({2, 2}, {{1, 1}, {2, 0}, {0, 3}, {4, -1}});
  EXPECT_EQ(einsum("ii", {a}).data<C64>()[0], C64(5, 0));
  EXPECT_EQ(einsum("ij->j", {a}).data<C64>()[0], C64(1, 4));
  const Tensor chain = einsum("ij,jk,k->i", {a, a, kU});
  const Tensor step = matmul(matmul(a, a), kU);
  for (int i : {0, 1}) EXPECT_EQ(chain.data<C64>()[i], step.data<C64>()[i]);
  // i and j on both sides: a hermitian form.
  EXPECT_EQ(einsum("i,ij,j->", {kU, a, kV}).type(), kC64);
}

TEST(FrontEndTypes, RealOperandsBesideComplexOnesMultiplyAsReals) {
  const Tensor x = Tensor::of<float>({2}, {3, -1}), y = Tensor::of<float>({2}, {2, 5});
  EXPECT_EQ(einsum("i,i,i->", {x, y, kU}).data<C64>()[0], C64(6, 27));
  EXPECT_EQ(einsum("i,j,k->", {x, y, kU}).data<C64>()[0], C64(14, -14));
  EXPECT_EQ(einsum("i,i,i->", {x, convert(y, kF64), kU}).type(), kC128);
  EXPECT_NE(error_of([&] { einsum("i->i", {x}, {.preferred_element_type = kS8}); })
                .find("einsum: a product of float32 and float32 has no result of type int8"),
            std::string::npos);
}

TEST(FrontEndTypes, ScopesReachComplexProductsInThem) {
  const C64 fine(1 + 0x1p-9f, 1 + 0x1p-10f);
  const Tensor x = Tensor::of<C64>({1}, {fine}), one = Tensor::of<C64>({1}, {{1, 0}});
  EXPECT_EQ(einsum("i,i->", {x, one}).data<C64>()[0], fine);
  const ScopedPrecision scope("bf16");
  EXPECT_EQ(einsum("i,i->", {x, one}).data<C64>()[0], C64(1, 1));
  EXPECT_EQ(vdot(one, x).data<C64>()[0], C64(1, 1));
}

TEST(FrontEndTypes, Integers) {
  const Tensor a = Tensor::of<std::int8_t>({2, 2}, {1, -2, 127, 127});
  const Tensor b = Tensor::of<std::uint8_t>({2}, {255, 1});
  const auto at = [](const Tensor& t, int i) { return t.data<std::int32_t>()[i]; };
  EXPECT_EQ(at(einsum("ij,j->i", {a, b}), 0), 253);
  EXPECT_EQ(at(matvec(a, b), 1), 127 * 256);
  EXPECT_EQ(at(einsum("ij->i", {a}), 1), 254);
  EXPECT_EQ(at(einsum("ij,ij,j->", {a, a, b}), 0), 255 + 4 + 127 * 127 * 256);
  EXPECT_EQ(at(vdot(b, b), 0), 255 * 255 + 1);
  EXPECT_EQ(at(tensordot(a, a, 2), 0), 1 + 4 + 2 * 127 * 127);
  const Tensor floats(kF32, {2});
  EXPECT_NE(error_of([&] { einsum("ij,j->i", {a, floats}); }).find("int8 and float32"), std::string::npos);
  EXPECT_NE(error_of([&] { vdot(b, floats); }).find("uint8 and float32"), std::string::npos);
  EXPECT_NE(error_of([&] { einsum("ij,j->i", {a, b}, {.precision = "tf32"}); }).find("exactly"),
            std::string::npos);
}

TEST(FrontEndTypes, Float8) {
  const Tensor x = convert(Tensor::of<float>({3}, {1.5f, -2, 448}), kF8E4M3FN);
  const Tensor y = convert(Tensor::of<float>({3}, {2, 3, 0.5f}), kF8E5M2);
  EXPECT_EQ(einsum("i,i->", {x, y}).data<float>()[0], 221.0f);
  EXPECT_EQ(einsum("i,i->", {x, y}, {.precision = "fp8"}).data<float>()[0], 221.0f);
  EXPECT_EQ(einsum("i->", {x}).type(), kF32);
}

TEST(FrontEndTypes, OneOperandIsCopiedWithItsTypeAndBits) {
  for (std::size_t t = 0; t < kElementTypeCount; ++t) {
    const auto type = static_cast<ElementType>(t);
    Tensor x(type, {2, 3});
    auto* bytes = static_cast<unsigned char*>(x.data());
    const std::size_t item = size_of(type);
    for (std::size_t i = 0; i < 6 * item; ++i) bytes[i] = static_cast<unsigned char>(37 * i + 129);
    const Tensor turned = einsum("ij->ji", {x});
    ASSERT_EQ(turned.type(), type);
    const auto* got = static_cast<const unsigned char*>(turned.data());
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_EQ(std::memcmp(got + (2 * j + i) * item, bytes + (3 * i + j) * item, item), 0)
            << to_string(type);
      }
    }
  }
}

TEST(FrontEndTypes, ExplainShowsWhatRuns) {
  const Tensor a(kC64, {4, 4}), b(kS8, {4, 4});
  const std::string text = to_string(explain_einsum("ij,jk->ik", {a, a}));
  EXPECT_NE(text.find("complex64"), std::string::npos) << text;
  EXPECT_NE(to_string(explain_einsum("ij,jk->ik", {b, b})).find("INTEGER, chosen by the operand types"),
            std::string::npos);
}

}  // namespace
}  // namespace matprec
