// The scalar oracle's rules, each on the smallest data that shows it.
#include "tests/support/bits.h"
#include "tests/support/float_state.h"
#include "tests/support/oracle.h"
#include "tests/support/random_matrix.h"
#include "tests/support/rounding_rows.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "matprec/dot_general.h"

namespace matprec::testing {
namespace {

using enum DotAlgorithm;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();

// sum a[k]*b[k] written into `Out`.
template <class Out, class In>
Out dot(DotAlgorithm algorithm, const std::vector<In>& a, const std::vector<In>& b,
        const DotEpilogue& epilogue = {}, Out old = Out{}) {
  Out out = old;
  const Dims size = {static_cast<std::int64_t>(a.size())};
  reference_dot_general_into(
      MutableTensorView(&out, Dims{}, Dims{}), TensorView(a.data(), size, {1}),
      TensorView(b.data(), size, {1}),
      {.lhs_contracting = {0}, .rhs_contracting = {0}, .lhs_batch = {}, .rhs_batch = {}}, algorithm,
      epilogue);
  return out;
}
float dot32(DotAlgorithm algorithm, const std::vector<float>& a, const std::vector<float>& b) {
  return dot<float, float>(algorithm, a, b);
}

constexpr DotAlgorithm kFloat32Sums[] = {kBF16_BF16_F32,    kBF16_BF16_F32_X3, kBF16_BF16_F32_X6,
                                         kBF16_BF16_F32_X9, kTF32_TF32_F32,    kTF32_TF32_F32_X3,
                                         kF16_F16_F32,      kF32_F32_F32};

TEST(Oracle, FingerprintTellsTheAlgorithmsApart) {
  const float x = 1 + 0x1p-9f + 0x1p-17f + 0x1p-23f;
  EXPECT_EQ(dot32(kBF16_BF16_F32, {1}, {x}), 1.0f);
  EXPECT_EQ(dot32(kTF32_TF32_F32, {1}, {x}), 1.001953125f);
  EXPECT_EQ(dot32(kBF16_BF16_F32_X3, {1}, {x}), 1.0019683837890625f);
  for (const DotAlgorithm exact : {kBF16_BF16_F32_X6, kBF16_BF16_F32_X9, kF32_F32_F32}) {
    EXPECT_EQ(dot32(exact, {1}, {x}), x) << to_string(exact);
  }
}

TEST(Oracle, NinePassesAreFloat32) {
  const Matrix a = normal_matrix(7, 300, 1), b = normal_matrix(300, 9, 2);
  EXPECT_TRUE(same_bits<float>(oracle_product(kBF16_BF16_F32_X9, a, b).values,
                               oracle_product(kF32_F32_F32, a, b).values));
}

TEST(Oracle, OperandsMaySwap) {
  const Matrix a = normal_matrix(5, 300, 3), b = normal_matrix(300, 6, 4);
  for (const AlgorithmInfo& row : rounding_rows()) {
    const Matrix swapped = oracle_product(row.algorithm, transposed(b), transposed(a));
    EXPECT_TRUE(
        same_bits<float>(transposed(swapped).values, oracle_product(row.algorithm, a, b).values))
        << row.name;
  }
}

TEST(Oracle, NoStepsGivePlusZero) {
  for (const AlgorithmInfo& row : rounding_rows()) {
    EXPECT_EQ(bits(dot<float, float>(row.algorithm, {}, {}, {}, 7.0f)), 0u) << row.name;
  }
}

TEST(Oracle, AnExactZeroSumIsPlusZero) {
  for (const AlgorithmInfo& row : rounding_rows()) {
    EXPECT_EQ(bits(dot32(row.algorithm, {-1}, {0})), 0u) << row.name;
    EXPECT_EQ(bits(dot32(row.algorithm, {-0.0f}, {1})), 0u) << row.name;
  }
}

TEST(Oracle, MinusZeroComesFromUnderflow) {
  EXPECT_EQ(bits(dot32(kF32_F32_F32, {-0x1p-100f}, {0x1p-100f})), 0x80000000u);
}

TEST(Oracle, SubnormalsAreKept) {
  EXPECT_EQ(bits(dot32(kF32_F32_F32, {0x1p-126f}, {0.5f})), 0x00400000u);
  EXPECT_EQ(bits(dot32(kF32_F32_F32, {0x1p-149f}, {1.0f})), 0x00000001u);
}

TEST(Oracle, ANanIsWrittenInItsCanonicalForm) {
  for (const AlgorithmInfo& row : rounding_rows()) {
    for (const std::uint32_t nan : {0x7F800001u, 0xFF800001u, 0x7FFFFFFFu, 0xFFC00000u}) {
      EXPECT_EQ(bits(dot32(row.algorithm, {1, from_bits(nan)}, {1, 0})), 0x7FC00000u) << row.name;
    }
    const std::vector<float> nan = {std::nanf("")}, one = {1};
    EXPECT_EQ(bits(dot<double>(row.algorithm, nan, one)), 0x7FF8000000000000u) << row.name;
    EXPECT_EQ(dot<BFloat16>(row.algorithm, nan, one).bits, 0x7FC0) << row.name;
    EXPECT_EQ(dot<Float16>(row.algorithm, nan, one).bits, 0x7E00) << row.name;
  }
}

TEST(Oracle, InfinityFollowsFloat32) {
  for (const DotAlgorithm a : kFloat32Sums) {
    EXPECT_EQ(dot32(a, {kInf}, {1.1f}), kInf) << to_string(a);
    EXPECT_EQ(dot32(a, {1.5f, -kInf}, {1, 1}), -kInf) << to_string(a);
    EXPECT_TRUE(std::isnan(dot32(a, {kInf}, {0}))) << to_string(a);
    EXPECT_TRUE(std::isnan(dot32(a, {kInf, kInf}, {1, -1}))) << to_string(a);
  }
}

TEST(Oracle, TheLargestFloatOverflowsInOnePartAndSaturatesInSeveral) {
  EXPECT_EQ(dot32(kBF16_BF16_F32, {kMax}, {1}), kInf);
  EXPECT_EQ(dot32(kTF32_TF32_F32, {kMax}, {1}), kInf);
  EXPECT_EQ(dot32(kF16_F16_F32, {65520}, {1}), kInf);
  EXPECT_EQ(dot32(kBF16_BF16_F32_X3, {kMax}, {1}), 0x1.FFFEp127f);
  EXPECT_EQ(dot32(kTF32_TF32_F32_X3, {kMax}, {1}), 0x1.FFFFF8p127f);
  EXPECT_EQ(dot32(kBF16_BF16_F32_X6, {kMax}, {1}), kMax);
}

TEST(Oracle, ADoubleIsRoundedOnceInOnePart) {
  const std::vector<double> x = {1 + 0x1p-8 + 0x1p-30}, one = {1};
  EXPECT_EQ((dot<float, double>(kBF16_BF16_F32, x, one)), 1 + 0x1p-7f);
  // Several parts: to float32 first, which puts x on the tie.
  EXPECT_EQ((dot<float, double>(kBF16_BF16_F32_X3, x, one)), 1 + 0x1p-8f);
}

TEST(Oracle, SixteenBitSumsAreRoundedAfterEveryStep) {
  const std::vector<float> ones(257, 1.0f);
  EXPECT_EQ(dot32(kBF16_BF16_BF16, ones, ones), 256.0f);
  EXPECT_EQ(dot32(kBF16_BF16_F32, ones, ones), 257.0f);
  const std::vector<float> many(4096, 1.0f);
  EXPECT_EQ(dot32(kBF16_BF16_BF16, many, many), 4096.0f);
}

TEST(Oracle, ChunksOf128AreJoinedByATree) {
  // A chunk that starts with 2^24 loses each later 1; the next chunk keeps its 128 of them.
  std::vector<float> a(256, 1.0f), b(256, 1.0f);
  a[0] = 0x1p24f;
  EXPECT_EQ(dot32(kF32_F32_F32, a, b), 0x1p24f + 128);
}

TEST(Oracle, EachEpilogueStepIsOneRoundingInOrder) {
  const float c = -1, bias = 0x1p-30f;
  DotEpilogue epilogue{.alpha = 3, .beta = 0.5};
  epilogue.c = TensorView(&c, Dims{}, Dims{});
  epilogue.bias = TensorView(&bias, Dims{}, Dims{});
  const float r = 3 * (1 + 0x1p-23f);
  EXPECT_EQ((dot<float, float>(kF32_F32_F32, {1 + 0x1p-23f}, {1}, epilogue)),
            std::fma(0.5f, -1.0f, r) + bias);
}

TEST(Oracle, BetaZeroDoesNotReadC) {
  EXPECT_EQ((dot<float, float>(kF32_F32_F32, {2}, {3}, {}, std::nanf(""))), 6.0f);
}

TEST(Oracle, AlphaZeroDoesNotReadTheOperands) {
  DotEpilogue epilogue{.alpha = 0, .beta = 2};
  EXPECT_EQ((dot<float, float>(kF32_F32_F32, {std::nanf("")}, {1}, epilogue, 1.0f)), 2.0f);
  const MutableTensorView out(static_cast<float*>(nullptr), {0, 3}, {3, 1});
  const TensorView nothing(static_cast<const float*>(nullptr), {0, 4}, {4, 1});
  const TensorView rhs(static_cast<const float*>(nullptr), {4, 3}, {3, 1});
  reference_dot_general_into(out, nothing, rhs, matrix_product(), kF32_F32_F32, {.alpha = 0});
}

TEST(Oracle, AlphaZeroBetaOneWritesNothing) {
  const float signalling = from_bits(0x7F800001);
  DotEpilogue epilogue{.alpha = 0, .beta = 1};
  EXPECT_EQ(bits(dot<float, float>(kF32_F32_F32, {1}, {1}, epilogue, signalling)), 0x7F800001u);
}

TEST(Oracle, AFloat64OutputGetsTheEpilogueInFloat64) {
  DotEpilogue epilogue{.alpha = 1 + 0x1p-40, .beta = 0};
  EXPECT_EQ((dot<double, float>(kF32_F32_F32, {1}, {1}, epilogue)), 1 + 0x1p-40);
  EXPECT_EQ((dot<float, float>(kF32_F32_F32, {1}, {1}, epilogue)), 1.0f);
}

TEST(Oracle, ANarrowOutputIsRoundedOnceAfterTheEpilogue) {
  const float c = -1;
  DotEpilogue epilogue{.alpha = 1, .beta = 1};
  epilogue.c = TensorView(&c, Dims{}, Dims{});
  EXPECT_EQ((dot<BFloat16, float>(kF32_F32_F32, {1}, {1.00390625f}, epilogue)).bits, 0x3B80);
}

TEST(Oracle, BatchRowsAndColumnsFollowTheStrides) {
  // lhs (b=2, k=3, i=2) by strides of its own, rhs (k=3, b=2).
  std::vector<float> lhs(12), rhs = {1, 2, 3, 4, 5, 6};
  for (std::size_t i = 0; i < 12; ++i) lhs[i] = static_cast<float>(i);
  std::vector<float> out(4, -1);
  reference_dot_general_into(
      MutableTensorView(out.data() + 3, {2, 2}, {-2, -1}),
      TensorView(lhs.data(), {2, 3, 2}, {1, 4, 2}), TensorView(rhs.data(), {3, 2}, {2, 1}),
      {.lhs_contracting = {1}, .rhs_contracting = {0}, .lhs_batch = {0}, .rhs_batch = {1}},
      kF32_F32_F32);
  // out[b][i] = sum_k lhs[b + 4k + 2i] * rhs[2k + b], stored backwards.
  EXPECT_EQ(out, (std::vector<float>{100, 76, 70, 52}));
}

TEST(Oracle, HostileFloatEnvironmentsChangeNothingAndComeBack) {
  const Matrix a = wide_matrix(4, 200, 75, 5), b = wide_matrix(200, 5, 75, 6);
  for (const AlgorithmInfo& row : rounding_rows()) {
    const Matrix expected = oracle_product(row.algorithm, a, b);
    const HostileFloatState hostile;
    const FloatState before = FloatState::now();
    const Matrix got = oracle_product(row.algorithm, a, b);
    EXPECT_EQ(FloatState::now(), before) << row.name;
    EXPECT_TRUE(same_bits<float>(got.values, expected.values)) << row.name;
  }
}

}  // namespace
}  // namespace matprec::testing
