#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "matprec/explain.h"
#include "tests/support/clean_environment.h"
#include "tests/support/error_of.h"

namespace matprec {
namespace {

using testing::error_of;
using enum DotAlgorithm;

Explanation an_explanation(const PrecisionRequest& request, ElementType type = ElementType::kF32) {
  const Resolution resolution = resolve(request, type, type);
  return {.resolution = resolution,
          .lhs_type = type,
          .rhs_type = type,
          .out_type = type,
          .shape = {.m = 2, .n = 4, .k = 3, .batch = 1},
          .target = "AVX3",
          .path = "packed tiles",
          .threads = 2,
          .fmas = info(resolution.algorithm).fmas,
          .error_factor = error_factor(resolution.algorithm, 3),
          .reached = reached_by_defaults(type, type),
          .levels = {kBF16_BF16_F32, kBF16_BF16_F32_X3, kF32_F32_F32}};
}

TEST(ExplainText, SaysWhatRunsWhyWhereAndHowWell) {
  EXPECT_EQ(to_string(an_explanation("tf32")),
            "TF32_TF32_F32, chosen by the call's argument, on AVX3, 1 FMA per element and step, |error| <= "
            "9.9e-04 * (|A||B|)\n"
            "  product: 2 x 3 by 3 x 4, float32 x float32 -> float32\n"
            "  path: packed tiles, 2 threads\n"
            "  levels here: fastest BF16_BF16_F32, high BF16_BF16_F32_X3, highest F32_F32_F32");
}

TEST(ExplainText, StreamsTheSameText) {
  std::ostringstream out;
  out << an_explanation("bf16x3");
  EXPECT_EQ(out.str(), to_string(an_explanation("bf16x3")));
}

TEST(ExplainText, CountsFmasAndBatches) {
  Explanation e = an_explanation("bf16x3");
  e.shape.batch = 10;
  e.threads = 1;
  const std::string text = to_string(e);
  EXPECT_NE(text.find(", 2 FMAs per element and step, "), std::string::npos) << text;
  EXPECT_NE(text.find("product: 10 times 2 x 3 by 3 x 4,"), std::string::npos) << text;
  EXPECT_NE(text.find("path: packed tiles, 1 thread\n"), std::string::npos) << text;
}

TEST(ExplainText, SaysWhenLevelsDoNotReachTheOperands) {
  const std::string sentence =
      "\n  levels and defaults do not reach float64 x float64 products: they run by their operand "
      "types unless the call itself names an algorithm";
  const std::string text = to_string(an_explanation("fastest", ElementType::kF64));
  EXPECT_NE(text.find("F64_F64_F64, chosen by the operand types, on AVX3"), std::string::npos);
  EXPECT_NE(text.find(sentence), std::string::npos) << text;
  EXPECT_EQ(to_string(an_explanation("fastest")).find("do not reach"), std::string::npos);
}

TEST(ExplainText, SaysThatTheMorePreciseOfAPairCounts) {
  const std::string both = to_string(an_explanation({Precision::kFastest, Precision::kHigh}));
  EXPECT_NE(
      both.find("\n  the pair (fastest, high) asks for BF16_BF16_F32 and BF16_BF16_F32_X3: the "
                "more precise of the two counts"),
      std::string::npos)
      << both;
  const std::string one = to_string(an_explanation({Precision::kDefault, Precision::kHigh}));
  EXPECT_NE(one.find("asks for what lies further out and BF16_BF16_F32_X3"), std::string::npos)
      << one;
}

TEST(ExplainText, TheBoundIsNeverShownSmallerThanItIs) {
  for (double bound : {9.84e-4, 1.0e-3, 1.001e-3, 9.99e-4, 3.14159e-7, 0.1, 12.3}) {
    Explanation e = an_explanation("tf32");
    e.error_factor = bound;
    const std::string text = to_string(e);
    const double shown = std::stod(text.substr(text.find("<= ") + 3));
    EXPECT_GE(shown, bound * (1 - 1e-12));
    EXPECT_LE(shown, bound * 1.11);
  }
}

// The formula of docs/numerics.md by hand, for one chunk.
TEST(ErrorFactor, IsTheProductErrorPlusTheSumsOfOneChunk) {
  const double steps = 128 * std::ldexp(1.0, -24);
  const double gamma = steps / (1 - steps);
  EXPECT_DOUBLE_EQ(error_factor(kF32_F32_F32, 1), (1 + std::ldexp(1.0, -15)) * gamma);
  EXPECT_DOUBLE_EQ(error_factor(kF32_F32_F32, 128), error_factor(kF32_F32_F32, 1));
  const double u_alg = std::ldexp(1.0, -7) + std::ldexp(1.0, -16);
  EXPECT_DOUBLE_EQ(error_factor(kBF16_BF16_F32, 128),
                   u_alg + (1 + std::ldexp(1.0, -15)) * (1 + u_alg) * gamma);
}

TEST(ErrorFactor, EachDoublingOfTheChunksAddsOneStep) {
  const auto steps_of = [](std::int64_t k) {  // the formula solved for m
    const double gamma = error_factor(kF32_F32_F32, k) / (1 + std::ldexp(1.0, -15));
    return std::lround(gamma / (1 + gamma) * std::ldexp(1.0, 24));
  };
  EXPECT_EQ(steps_of(128), 128);
  EXPECT_EQ(steps_of(129), 129);
  EXPECT_EQ(steps_of(256), 129);
  EXPECT_EQ(steps_of(257), 130);
  EXPECT_EQ(steps_of(128 * 1024), 138);
  EXPECT_EQ(steps_of(128 * 1024 + 1), 139);
  EXPECT_EQ(steps_of(std::numeric_limits<std::int64_t>::max()), 128 + 56);
}

TEST(ErrorFactor, MoreFmasMeanMoreSteps) {
  const double three = 3 * 128 * std::ldexp(1.0, -24);
  const double u_alg = std::ldexp(1.0, -24) + std::ldexp(1.0, -34);
  EXPECT_DOUBLE_EQ(error_factor(kBF16_BF16_F32_X6, 100),
                   u_alg + (1 + std::ldexp(1.0, -15)) * (1 + u_alg) * three / (1 - three));
}

TEST(ErrorFactor, Float64SumsInFloat64) {
  const double steps = 128 * std::ldexp(1.0, -53);
  EXPECT_DOUBLE_EQ(error_factor(kF64_F64_F64, 128),
                   (1 + std::ldexp(1.0, -15)) * steps / (1 - steps));
}

TEST(ErrorFactor, NarrowSumsAreFarWorse) {
  EXPECT_GT(error_factor(kF16_F16_F16, 128), 128 * std::ldexp(1.0, -11));
  EXPECT_GT(error_factor(kBF16_BF16_BF16, 128), 128 * std::ldexp(1.0, -8));
  EXPECT_TRUE(
      std::isfinite(error_factor(kBF16_BF16_BF16, std::numeric_limits<std::int64_t>::max())));
}

TEST(ErrorFactor, AnEmptySumIsExact) {
  for (const AlgorithmInfo& row : kAlgorithms) EXPECT_EQ(error_factor(row.algorithm, 0), 0);
}

TEST(ErrorFactor, BadArgumentsAreErrors) {
  EXPECT_EQ(error_of([] { (void)error_factor(kF32_F32_F32, -1); }),
            "error_factor: k is -1; expected 0 or more");
  EXPECT_EQ(error_of([] { (void)error_factor(static_cast<DotAlgorithm>(99), 1); }),
            "error_factor: DotAlgorithm(99) is no enumerator; expected DotAlgorithm(0) to "
            "DotAlgorithm(11)");
}

}  // namespace
}  // namespace matprec
