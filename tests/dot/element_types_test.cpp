// Element types beside float32 and its kin: what results have, what runs, what is refused, conversions.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "matprec/matprec.h"
#include "tests/support/error_of.h"

namespace matprec {
namespace {

using testing::error_of;
using enum ElementType;
using C64 = std::complex<float>;

const DotDimensionNumbers kMatrices = {.lhs_contracting = {1}, .rhs_contracting = {0}};

TEST(ElementTypes, ResultTypes) {
  struct Row {
    ElementType lhs, rhs, result;
  };
  for (const Row& row : {Row{kF8E4M3FN, kF8E4M3FN, kF32}, Row{kF8E4M3FN, kF8E5M2FNUZ, kF32},
                         Row{kF8E5M2, kBF16, kF32}, Row{kF16, kBF16, kF32}, Row{kBF16, kBF16, kBF16},
                         Row{kF16, kF64, kF64}, Row{kS8, kU8, kS32}, Row{kS32, kS8, kS32},
                         Row{kC64, kF32, kC64}, Row{kBF16, kC64, kC64}, Row{kC64, kF64, kC128},
                         Row{kC128, kC64, kC128}, Row{kF8E5M2, kC128, kC128}}) {
    EXPECT_EQ(result_type(row.lhs, row.rhs), row.result);
    EXPECT_EQ(result_type(row.rhs, row.lhs), row.result);
    EXPECT_EQ(matmul(Tensor(row.lhs, {2, 3}), Tensor(row.rhs, {3, 2})).type(), row.result);
  }
}

TEST(ElementTypes, WhatRunsByItself) {
  EXPECT_EQ(effective(kF8E4M3FN, kF8E5M2).algorithm, DotAlgorithm::kANY_F8_ANY_F8_F32);
  EXPECT_EQ(effective(kF8E4M3FN, kF16).algorithm, DotAlgorithm::kF32_F32_F32);
  EXPECT_EQ(effective(kC64, kF64).algorithm, DotAlgorithm::kF64_F64_F64);
  EXPECT_EQ(effective(kC128, kC128).algorithm, DotAlgorithm::kF64_F64_F64);
  EXPECT_EQ(effective(kU8, kS8).algorithm, DotAlgorithm::kInteger);
  EXPECT_EQ(effective(kU8, kS8).source, Source::kOperands);
  EXPECT_EQ(to_string(effective(kU8, kS8)), "INTEGER, chosen by the operand types");
}

TEST(ElementTypes, ScopesReachComplex64AndNothingWiderOrInteger) {
  const ScopedPrecision scope("bf16");
  for (const ElementType other : {kF32, kC64, kBF16, kF8E5M2}) {
    EXPECT_EQ(effective(kC64, other).algorithm, DotAlgorithm::kBF16_BF16_F32);
    EXPECT_EQ(effective(kC64, other).source, Source::kScope);
  }
  EXPECT_EQ(effective(kC64, kC128).source, Source::kOperands);
  EXPECT_EQ(effective(kF8E5M2, kF8E5M2).source, Source::kOperands);
  EXPECT_EQ(effective(kS8, kS8).source, Source::kOperands);
}

TEST(ElementTypes, ALevelIsNoHitForIntegersAndFloat8) {
  EXPECT_EQ(resolve(Precision::kFastest, kS8, kS8).source, Source::kOperands);
  EXPECT_EQ(resolve(Precision::kHighest, kF8E5M2, kF8E5M2).algorithm,
            DotAlgorithm::kANY_F8_ANY_F8_F32);
  EXPECT_EQ(resolve("bf16", kF8E5M2, kF8E5M2).source, Source::kArgument);
}

TEST(ElementTypes, Fp8TakesTwoFloat8OperandsWhoeverChoseIt) {
  const Tensor a(kF32, {2, 2}), narrow(kF8E4M3FN, {2, 2});
  EXPECT_EQ(error_of([&] { matmul(a, a, {.precision = "fp8"}); }),
            "ANY_F8_ANY_F8_F32, chosen by the call's argument, takes 8-bit floats only, but the operands "
            "are float32 and float32; convert them, or name an algorithm that rounds its operands");
  EXPECT_NE(error_of([&] { matmul(narrow, a, {.precision = "fp8"}); }).find("float8_e4m3fn and float32"),
            std::string::npos);
  EXPECT_EQ(matmul(narrow, narrow, {.precision = "ANY_F8_ANY_F8_F32_FAST_ACCUM"}).type(), kF32);
  const ScopedPrecision scope("fp8");
  EXPECT_NE(error_of([&] { matmul(a, a); }).find("chosen by the scope at "), std::string::npos);
  EXPECT_EQ(matmul(narrow, narrow).type(), kF32);
}

TEST(ElementTypes, RefusalsNameTheTypes) {
  const Tensor integers(kS8, {2, 2}), floats(kF32, {2, 2}), complex(kC64, {2, 2});
  EXPECT_EQ(error_of([&] { matmul(integers, floats); }),
            "no product of int8 and float32; an integer multiplies integers only: convert one of them");
  EXPECT_EQ(error_of([&] { matmul(integers, integers, {.precision = "bf16"}); }),
            "BF16_BF16_F32 is named for int8 and int8; integers are multiplied exactly: name no "
            "algorithm, or convert them");
  EXPECT_EQ(error_of([&] { matmul(floats, floats, {.preferred_element_type = kS32}); }),
            "matmul: a product of float32 and float32 has no result of type int32; expected a real float "
            "type (without a preferred one it is float32)");
  EXPECT_EQ(error_of([&] { matmul(integers, integers, {.preferred_element_type = kF32}); }),
            "matmul: a product of int8 and int8 has no result of type float32; expected an integer type "
            "(without a preferred one it is int32)");
  EXPECT_EQ(error_of([&] { matmul(complex, floats, {.preferred_element_type = kF32}); }),
            "matmul: a product of complex64 and float32 has no result of type float32; expected a complex "
            "type (without a preferred one it is complex64)");
  EXPECT_EQ(error_of([&] { matmul(integers, integers, {.precision = DotAlgorithm::kInteger}); }),
            "precision: INTEGER is what integer operands run; it cannot be asked for");
}

TEST(ElementTypes, EpiloguesThatDoNotFit) {
  const Tensor integers(kS8, {2, 2}), floats(kF32, {2, 2}), complex(kC64, {2, 2});
  Tensor s32(kS32, {2, 2}), f32(kF32, {2, 2}), c64(kC64, {2, 2});
  const auto into = [](Tensor& out, const Tensor& x, const DotEpilogue& epilogue) {
    return error_of([&] { dot_general_into(out, x, x, kMatrices, {}, epilogue); });
  };
  EXPECT_EQ(into(s32, integers, {.alpha = 2}),
            "dot_general: alpha is 2, but the result is int32, which takes none; leave it 1");
  EXPECT_EQ(into(s32, integers, {.beta = 1}),
            "dot_general: beta is 1, but the result is int32, which takes none; leave it 0");
  EXPECT_EQ(into(s32, integers, {.bias = s32}),
            "dot_general: bias has type int32, but the result is int32, which takes no bias");
  EXPECT_EQ(into(f32, floats, {.alpha = {0, 1}}),
            "dot_general: alpha is 0+1i, but the result is float32, which takes a real one");
  EXPECT_EQ(into(f32, floats, {.beta = 1, .c = complex}),
            "dot_general: c has type complex64, but the result is float32; expected a real float type");
  EXPECT_EQ(into(c64, complex, {.bias = integers}),
            "dot_general: bias has type int8, but the result is complex64; expected a complex type or a "
            "real float type");
  EXPECT_EQ(into(c64, complex, {.alpha = {0, 1}, .beta = 2, .bias = floats}), "(no error)");
}

TEST(ElementTypes, IntegersWrapAround) {
  const Tensor a = Tensor::of<std::int32_t>({1, 2}, {std::numeric_limits<std::int32_t>::max(), 65536});
  const Tensor b = Tensor::of<std::int32_t>({2, 1}, {2, 65536});
  EXPECT_EQ(matmul(a, b).data<std::int32_t>()[0], -2);
  const Tensor bytes = Tensor::of<std::uint8_t>({1, 2}, {255, 1});
  const Tensor signs = Tensor::of<std::int8_t>({2, 1}, {-1, -128});
  EXPECT_EQ(matmul(bytes, signs).data<std::int32_t>()[0], -383);
  EXPECT_EQ(matmul(bytes, signs, {.preferred_element_type = kS8}).data<std::int8_t>()[0], -383 + 256 * 2 - 256);
}

TEST(ElementTypes, ComplexProducts) {
  const Tensor a = Tensor::of<C64>({1, 2}, {{1, 2}, {3, -1}});
  const Tensor b = Tensor::of<C64>({2, 1}, {{0, 1}, {2, 5}});
  EXPECT_EQ(matmul(a, b).data<C64>()[0], C64(9, 14));
  const Tensor real = Tensor::of<float>({2, 1}, {2, -1});
  EXPECT_EQ(matmul(a, real).data<C64>()[0], C64(-1, 5));
  Tensor out = Tensor::of<C64>({1, 1}, {{1, 1}});
  dot_general_into(out, a, b, kMatrices, {}, {.alpha = {0, 1}, .beta = {0, -1}});
  EXPECT_EQ(out.data<C64>()[0], C64(-13, 8));
}

TEST(ElementTypes, ExplainCountsTheRealProducts) {
  EXPECT_EQ(explain({}, kC64, kC64, {4, 4, 4}).fmas, 4);
  EXPECT_EQ(explain("bf16x3", kC64, kF32, {4, 4, 4}).fmas, 4);
  EXPECT_EQ(explain({}, kS8, kS8, {4, 4, 4}).error_factor, 0);
  const std::string text = to_string(explain({}, kS8, kS8, {4, 4, 4}));
  EXPECT_EQ(text.find("INTEGER, chosen by the operand types, on "), 0u) << text;
  EXPECT_NE(text.find(", exact modulo 2^32\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("unless"), std::string::npos) << text;
  EXPECT_NE(explain({}, kC64, kC64, {4, 4, 4}).path.find("4 real products"), std::string::npos);
}

TEST(ElementTypes, ConversionsOfIntegersAndComplexNumbers) {
  const Tensor x = Tensor::of<float>({6}, {-1.9f, 300, -300, std::nanf(""), 3e9f, 2.5f});
  const auto bytes = [](const Tensor& t) {
    return std::vector<std::int8_t>(t.data<std::int8_t>(), t.data<std::int8_t>() + t.size());
  };
  EXPECT_EQ(bytes(convert(x, kS8)), (std::vector<std::int8_t>{-1, 127, -128, 0, 127, 2}));
  const Tensor wide = Tensor::of<std::int32_t>({3}, {300, -129, 16777217});
  EXPECT_EQ(bytes(convert(wide, kS8)), (std::vector<std::int8_t>{44, 127, 1}));
  EXPECT_EQ(bytes(convert(wide, kS8, {.saturate = true})), (std::vector<std::int8_t>{127, -128, 127}));
  EXPECT_EQ(convert(wide, kF32).data<float>()[2], 16777216.0f);
  EXPECT_EQ(convert(wide, kC128).data<std::complex<double>>()[2], std::complex<double>(16777217, 0));
  // One rounding: 2^24 + 2^16 + 1 is above the tie that rounding to float32 first would make of it.
  const Tensor tie = Tensor::of<std::int32_t>({1}, {(1 << 24) + (1 << 16) + 1});
  EXPECT_EQ(convert(tie, kBF16).data<BFloat16>()[0].bits, 0x4B81);
  const Tensor z = Tensor::of<std::complex<double>>({1}, {{1e300, -0.1}});
  EXPECT_EQ(convert(z, kC64).data<C64>()[0], C64(std::numeric_limits<float>::infinity(), -0.1f));
  EXPECT_EQ(error_of([&] { convert(z, kF32); }),
            "convert: complex128 to float32 would drop the imaginary parts; convert to complex64 or "
            "complex128, or take a view of the real parts (strides twice as long)");
  EXPECT_EQ(error_of([&] { round_to(wide, PrecisionType::kBF16); }),
            "round_to: x has type int32; expected a real float type (of a complex tensor, view its parts)");
  EXPECT_NE(error_of([&] { round_to(x, PrecisionType::kF8); }).find("nothing is rounded to float8"),
            std::string::npos);
  EXPECT_NE(error_of([&] { split(z, PrecisionType::kBF16, 2); }).find("complex128"), std::string::npos);
}

TEST(ElementTypes, TheOracleTakesWhatTheTypesCanRun) {
  const Tensor integers(kS8, {2, 2}), floats(kF32, {2, 2});
  Tensor s32(kS32, {2, 2}), f32(kF32, {2, 2});
  const auto refused = [](Tensor& out, const Tensor& x, DotAlgorithm algorithm) {
    return error_of([&] { reference_dot_general_into(out, x, x, kMatrices, algorithm); });
  };
  EXPECT_NE(refused(s32, integers, DotAlgorithm::kF32_F32_F32).find("int8 and int8"), std::string::npos);
  EXPECT_NE(refused(f32, floats, DotAlgorithm::kInteger).find("INTEGER"), std::string::npos);
  EXPECT_NE(refused(f32, floats, DotAlgorithm::kANY_F8_ANY_F8_F32).find("8-bit"), std::string::npos);
  EXPECT_EQ(refused(s32, integers, DotAlgorithm::kInteger), "(no error)");
}

}  // namespace
}  // namespace matprec
