// Each rule lets the right value pass and a wrong one fail.
#include "src/cli/conformance_rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "matprec/tensor.h"

namespace matprec::cli {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor floats(std::initializer_list<float> values) {
  return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}
Tensor doubles(std::initializer_list<double> values) {
  return Tensor::of<double>({static_cast<std::int64_t>(values.size())}, values);
}

std::string problem(const Rule& rule, const Tensor& got, const Tensor& expected,
                    const RuleData& data = {}) {
  return violation(rule, "float32", got, expected, data).value_or("");
}
bool passes(const Rule& rule, const Tensor& got, const Tensor& expected,
            const RuleData& data = {}) {
  return problem(rule, got, expected, data).empty();
}

const Rule kExactly{.type = RuleType::kExact};

TEST(ExactRule, ComparesValues) {
  EXPECT_TRUE(passes(kExactly, floats({1, 2, kInf}), floats({1, 2, kInf})));
  EXPECT_EQ(
      problem(kExactly, floats({1, 2, 3}), floats({1, 2.5f, 4})),
      "2 of 3 elements wrong; first at (1,): got 2.0 (0x40000000), expected 2.5 (0x40200000)");
}

TEST(ExactRule, LooksAtTheSignOfZeroIfAsked) {
  const Rule signs{.type = RuleType::kExact, .zero_sign = true};
  EXPECT_TRUE(passes(kExactly, floats({-0.0f}), floats({0.0f})));
  EXPECT_FALSE(passes(signs, floats({-0.0f}), floats({0.0f})));
}

TEST(ExactRule, LooksAtTheBitsOfNansIfAsked) {
  const Rule bits{.type = RuleType::kExact, .nan_bits = true};
  const Tensor negative = floats({-kNan});
  EXPECT_TRUE(passes(kExactly, negative, floats({kNan})));
  EXPECT_TRUE(passes(bits, floats({kNan}), floats({kNan})));
  EXPECT_FALSE(passes(bits, negative, floats({kNan})));
}

TEST(MaxUlpRule, CountsStepsOfTheType) {
  const Rule two{.type = RuleType::kMaxUlp, .ulp = 2};
  EXPECT_TRUE(passes(two, floats({1 + 0x1p-22f}), floats({1})));
  EXPECT_FALSE(passes(two, floats({1 + 0x1.8p-22f}), floats({1})));
  // Two steps on either side of zero.
  EXPECT_TRUE(passes(two, floats({0x1p-149f}), floats({-0x1p-149f})));
  EXPECT_FALSE(passes(two, floats({0x1p-148f}), floats({-0x1p-149f})));
}

TEST(RtolAtolRule, AddsBothAllowances) {
  const Rule rule{.type = RuleType::kRtolAtol, .rtol = 0.25, .atol = 0.5};
  EXPECT_TRUE(passes(rule, floats({5.5f}), floats({4})));
  EXPECT_FALSE(passes(rule, floats({5.75f}), floats({4})));
}

TEST(ErrorBoundRule, ComparesWithANumber) {
  const Rule rule{.type = RuleType::kErrorBound, .bound = 0.25};
  EXPECT_TRUE(passes(rule, floats({1.25f}), floats({1})));
  EXPECT_FALSE(passes(rule, floats({1.5f}), floats({1})));
}

TEST(ErrorBoundRule, ComparesWithAnArray) {
  const Rule rule{.type = RuleType::kErrorBound, .bound_file = "bound.npy"};
  const Tensor bound = doubles({0.5, 0.125});
  EXPECT_TRUE(passes(rule, floats({1.5f, 1}), floats({1, 1}), {.bound = &bound}));
  EXPECT_EQ(
      problem(rule, floats({1, 1.5f}), floats({1, 1}), {.bound = &bound}),
      "1 of 2 elements wrong; first at (1,): got 1.5 (0x3fc00000), expected 1.0 (0x3f800000), "
      "bound 1.250e-01");
}

TEST(ErrorBoundRule, ComparesWithExpectedValuesThatAreMoreExact) {
  const Rule rule{.type = RuleType::kErrorBound, .bound = 0x1p-25};
  EXPECT_TRUE(passes(rule, floats({1}), doubles({1 + 0x1p-25})));
  EXPECT_FALSE(passes(rule, floats({1}), doubles({1 + 0x1p-24})));
}

TEST(FrobeniusBandRule, HasTwoEnds) {
  const Rule rule{.type = RuleType::kFrobeniusBand, .low = 1e-3, .high = 1e-2};
  EXPECT_TRUE(passes(rule, floats({1.005f, 1}), floats({1, 1})));
  EXPECT_EQ(problem(rule, floats({1.5f, 1}), floats({1, 1})),
            "relative Frobenius error 3.536e-01 is above 1.000e-02");
  // An answer that is too good was made in another way than was asked for.
  EXPECT_EQ(problem(rule, floats({1, 1}), floats({1, 1})),
            "relative Frobenius error 0 is too good: below 1.000e-03");
}

TEST(EveryRule, MatchesSpecialValuesOnlyWithThemselves) {
  const Rule rules[] = {kExactly,
                        {.type = RuleType::kMaxUlp, .ulp = 1e18},
                        {.type = RuleType::kRtolAtol, .rtol = 1, .atol = kInf},
                        {.type = RuleType::kErrorBound, .bound = kInf},
                        {.type = RuleType::kFrobeniusBand, .low = 0, .high = kInf}};
  for (const Rule& rule : rules) {
    EXPECT_TRUE(passes(rule, floats({kNan, kInf, -kInf}), floats({kNan, kInf, -kInf})));
    for (const auto& [got, expected] : {std::pair{1.0f, kNan},
                                        {kNan, 1.0f},
                                        {kInf, -kInf},
                                        {kInf, 1.0f},
                                        {1.0f, kInf},
                                        {kNan, kInf}}) {
      EXPECT_FALSE(passes(rule, floats({got}), floats({expected}))) << got << ' ' << expected;
    }
  }
}

TEST(EveryRule, ComparesOnlyWhatTheMaskShows) {
  const std::vector<bool> mask = {true, false};
  EXPECT_TRUE(passes(kExactly, floats({1, 5}), floats({1, 2}), {.mask = &mask}));
  EXPECT_FALSE(passes(kExactly, floats({5, 2}), floats({1, 2}), {.mask = &mask}));
}

TEST(EveryRule, WantsTheShapeAndTheType) {
  EXPECT_EQ(problem(kExactly, floats({1}), floats({1, 1})), "shape is (1,), expected (2,)");
  EXPECT_EQ(problem(kExactly, doubles({1}), floats({1})), "type is float64, expected float32");
}

TEST(InfoRule, NeverFails) {
  EXPECT_TRUE(passes({.type = RuleType::kInfo}, floats({1}), floats({2})));
}

}  // namespace
}  // namespace matprec::cli
