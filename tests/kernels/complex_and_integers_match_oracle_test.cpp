// Complex and integer products on every SIMD target, bit for bit against the scalar oracle.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "matprec/convert.h"
#include "matprec/dot_general.h"
#include "matprec/runtime.h"
#include "tests/support/every_target.h"
#include "tests/support/float_state.h"
#include "tests/support/random_matrix.h"
#include "tests/support/rounding_rows.h"

namespace matprec::testing {
namespace {

using enum ElementType;
using Factor = std::complex<double>;

struct Case {
  std::int64_t m, n, k, batch = 1;
  ElementType lhs = kC64, rhs = kC64, out = kC64;
  Factor alpha = 1, beta = 0;
  std::optional<ElementType> c = std::nullopt, bias = std::nullopt;
  bool transposed = false, special = false;
};

Tensor data_of(ElementType type, const Dims& shape, std::uint64_t seed, bool special) {
  Random random(seed);
  if (is_integer(type)) {
    Tensor x(type, shape);
    auto* bytes = static_cast<std::uint8_t*>(x.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()) * size_of(type); ++i) {
      bytes[i] = static_cast<std::uint8_t>(random.below(256));
    }
    return x;
  }
  constexpr std::uint32_t kSpecial[] = {0x7F800001, 0xFF800000, 0x7F7FFFFF, 0x80000000, 0x00000001};
  Tensor parts(kF32, {element_count(shape) * 2});
  for (std::int64_t i = 0; i < parts.size(); ++i) {
    float x = static_cast<float>(random.normal());
    if (special && random.below(30) == 0) std::memcpy(&x, &kSpecial[random.below(5)], 4);
    parts.data<float>()[i] = x;
  }
  return is_complex(type) ? convert(TensorView(parts.data(), kC64, shape), type)
                          : convert(TensorView(parts.data(), kF32, shape), type);
}

class OtherTypes : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!target_is_usable(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
    set_target(GetParam());
  }
  void TearDown() override {
    set_target("");
    set_num_threads(0);
  }

  // Blocks and threads are above the targets: one target does.
  static bool on_default_target() {
    set_target("");
    return GetParam() == current_target();
  }

  static void check(const Case& c, DotAlgorithm algorithm, const std::vector<int>& threads = {0}) {
    const Dims lhs_shape = c.transposed ? Dims{c.batch, c.k, c.m} : Dims{c.batch, c.m, c.k};
    const Tensor lhs = data_of(c.lhs, lhs_shape, 1, c.special);
    const Tensor rhs = data_of(c.rhs, {c.k, c.batch, c.n}, 2, c.special);
    const DotDimensionNumbers numbers = {
        .lhs_contracting = {c.transposed ? 1 : 2}, .rhs_contracting = {0}, .lhs_batch = {0}, .rhs_batch = {1}};
    DotEpilogue epilogue{.alpha = c.alpha, .beta = c.beta};
    std::optional<Tensor> added, bias;
    if (c.c) epilogue.c = added.emplace(data_of(*c.c, {c.batch, c.m, c.n}, 3, c.special));
    if (c.bias) epilogue.bias = bias.emplace(data_of(*c.bias, {c.n}, 4, false));
    const Tensor before = data_of(c.out, {c.batch, c.m, c.n}, 5, c.special);
    Tensor expected = before;
    reference_dot_general_into(expected, lhs, rhs, numbers, algorithm, epilogue);
    DotOptions options;
    if (algorithm != DotAlgorithm::kInteger) options.precision = algorithm;
    for (const int count : threads) {
      set_num_threads(count);
      Tensor got = before;
      dot_general_into(got, lhs, rhs, numbers, options, epilogue);
      EXPECT_EQ(std::memcmp(got.data(), expected.data(),
                            static_cast<std::size_t>(got.size()) * size_of(got.type())),
                0)
          << to_string(algorithm) << " " << to_string(c.lhs) << " x " << to_string(c.rhs) << " -> "
          << to_string(c.out) << " m=" << c.m << " n=" << c.n << " k=" << c.k << " alpha=" << c.alpha
          << " beta=" << c.beta << " threads=" << count;
    }
  }
};

TEST_P(OtherTypes, ComplexUnderEveryAlgorithm) {
  for (const AlgorithmInfo& row : rounding_rows()) {
    for (const std::int64_t k : {0, 1, 300}) {
      check({2, 9, k}, row.algorithm);
      check({.m = 2, .n = 18, .k = k, .transposed = true, .special = true}, row.algorithm);
    }
    check({.m = 5, .n = 7, .k = 130, .rhs = kF32}, row.algorithm);
    check({.m = 5, .n = 7, .k = 130, .lhs = kBF16}, row.algorithm);
    check({.m = 5, .n = 7, .k = 130, .lhs = kC128, .rhs = kF16, .out = kC128}, row.algorithm);
    check({.m = 5, .n = 7, .k = 130, .lhs = kC128, .rhs = kC64}, row.algorithm);
  }
}

TEST_P(OtherTypes, ComplexEpilogues) {
  for (const DotAlgorithm algorithm : {DotAlgorithm::kF32_F32_F32, DotAlgorithm::kBF16_BF16_F32_X3}) {
    for (const ElementType out : {kC64, kC128}) {
      for (const Factor alpha : {Factor(1), Factor(0), Factor(-0.3), Factor(0, 1), Factor(1, 1e-60)}) {
        for (const Factor beta : {Factor(0), Factor(1), Factor(0.7, -1.3)}) {
          Case c{.m = 2, .n = 19, .k = 5, .out = out, .alpha = alpha, .beta = beta};
          check(c, algorithm);
          c.bias = kF32;
          check(c, algorithm);
          c.bias = kC128, c.c = kC128;
          check(c, algorithm);
          c.c = kBF16, c.special = true;
          check(c, algorithm);
        }
      }
    }
  }
}

// More outputs than one block holds, in every direction.
TEST_P(OtherTypes, ComplexInSeveralBlocks) {
  if (!on_default_target()) GTEST_SKIP() << "run on " << current_target() << " only";
  check({260, 259, 3}, DotAlgorithm::kF32_F32_F32);
  check({1, 66000, 2}, DotAlgorithm::kF32_F32_F32);
  check({66000, 1, 2}, DotAlgorithm::kF32_F32_F32);
  check({.m = 5, .n = 9, .k = 3, .batch = 1500}, DotAlgorithm::kF32_F32_F32);
}

TEST_P(OtherTypes, IntegersOfEveryWidth) {
  for (const ElementType lhs : {kS8, kU8, kS32}) {
    for (const ElementType rhs : {kS8, kU8, kS32}) {
      for (const ElementType out : {kS8, kU8, kS32}) {
        for (const std::int64_t k : {0, 1, 129, 1100}) {
          check({.m = 5, .n = 19, .k = k, .batch = 2, .lhs = lhs, .rhs = rhs, .out = out,
                 .transposed = k == 129},
                DotAlgorithm::kInteger);
        }
      }
    }
  }
  check({.m = 50, .n = 70, .k = 3, .lhs = kS8, .rhs = kS8, .out = kS32}, DotAlgorithm::kInteger);
}

TEST_P(OtherTypes, AnyNumberOfThreads) {
  if (!on_default_target()) GTEST_SKIP() << "run on " << current_target() << " only";
  const std::vector<int> counts = {1, 2, 3, 5, 8};
  check({50, 60, 260}, DotAlgorithm::kTF32_TF32_F32, counts);
  check({.m = 90, .n = 100, .k = 260, .lhs = kS8, .rhs = kU8, .out = kS32}, DotAlgorithm::kInteger,
        counts);
}

TEST_P(OtherTypes, HostileFloatEnvironment) {
  const HostileFloatState hostile;
  const FloatState before = FloatState::now();
  check({.m = 4, .n = 9, .k = 130, .alpha = {0x1p-130, 0.3}, .beta = {0.1, -0x1p-140}, .special = true},
        DotAlgorithm::kF32_F32_F32);
  EXPECT_TRUE(before == FloatState::now());
}

INSTANTIATE_TEST_SUITE_P(All, OtherTypes, ::testing::ValuesIn(every_target()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace matprec::testing
