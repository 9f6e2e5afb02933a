// Who wins, with variables set: every case in a child of its own.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "matprec/policy.h"
#include "tests/support/child_process.h"

namespace matprec {
namespace {

using testing::in_child;
using testing::Variables;
using enum ElementType;

std::string seen(const PrecisionRequest& argument = {}, ElementType lhs = kF32,
                 ElementType rhs = kF32) {
  const Resolution r = resolve(argument, lhs, rhs);
  return std::string(to_string(r.algorithm)) + " by " + std::string(to_string(r.source));
}

std::string with(const Variables& variables, const std::function<std::string()>& body) {
  return in_child(variables, body).out;
}

// mlx-vlm#1846, MONAI#6754, pytorch#77114 (IL-20): one line a level of the order.
TEST(Precedence, EachLevelBeatsTheNext) {
  const Variables environment = {{"MATPREC_DEFAULT_PRECISION", "bf16x3"}};
  const Variables forced = {{"MATPREC_DEFAULT_PRECISION", "bf16x3"},
                            {"MATPREC_FORCE_PRECISION", "bf16x6"}};
  const auto process = [] {
    set_default_precision("tf32");
    return seen();
  };
  const auto scope = [] {
    set_default_precision("tf32");
    const ScopedPrecision guard("bf16");
    return seen();
  };
  const auto argument = [] {
    set_default_precision("tf32");
    const ScopedPrecision guard("bf16");
    return seen("fp16");
  };
  EXPECT_EQ(with({}, [] { return seen(); }), "F32_F32_F32 by built-in");
  EXPECT_EQ(with(environment, [] { return seen(); }), "BF16_BF16_F32_X3 by environment");
  EXPECT_EQ(with(environment, process), "TF32_TF32_F32 by process");
  EXPECT_EQ(with(environment, scope), "BF16_BF16_F32 by scope");
  EXPECT_EQ(with(environment, argument), "F16_F16_F32 by argument");
  EXPECT_EQ(with(forced, argument), "BF16_BF16_F32_X6 by forced");
}

// The same reports: a variable set after the first use has no effect.
TEST(Precedence, AVariableSetAfterTheFirstUseHasNoEffect) {
  EXPECT_EQ(with({},
                 [] {
                   std::string text = seen();
                   setenv("MATPREC_DEFAULT_PRECISION", "bf16", 1);
                   setenv("MATPREC_FORCE_PRECISION", "bf16", 1);
                   setenv("MATPREC_REQUIRE", "nonsense", 1);
                   return text + ", " + seen();
                 }),
            "F32_F32_F32 by built-in, F32_F32_F32 by built-in");
}

TEST(Precedence, AVariableSetBeforeTheFirstUseCounts) {
  EXPECT_EQ(with({},
                 [] {
                   setenv("MATPREC_DEFAULT_PRECISION", "bf16", 1);
                   return seen();
                 }),
            "BF16_BF16_F32 by environment");
}

TEST(Precedence, EveryNameIsAcceptedByTheVariables) {
  for (const std::string_view name : precision_names()) {
    const std::string algorithm_or_level = to_string(parse_precision(name));
    const bool is_default = parse_precision(name).is_default();
    // Operands that every algorithm reaches: float32, or for the row of 8-bit floats what it says.
    const bool rounds = parse_precision(name).names_algorithm()
                            ? rounds_operands(parse_precision(name).algorithm())
                            : true;
    const auto request = [] { return to_string(effective().request); };
    if (!rounds) {
      EXPECT_NE(with({{"MATPREC_DEFAULT_PRECISION", std::string(name)}}, request)
                    .find("chosen by MATPREC_DEFAULT_PRECISION, takes 8-bit floats only"),
                std::string::npos);
      continue;
    }
    EXPECT_EQ(with({{"MATPREC_DEFAULT_PRECISION", std::string(name)}}, request),
              algorithm_or_level);
    EXPECT_EQ(with({{"MATPREC_FORCE_PRECISION", std::string(name)}}, request), algorithm_or_level);
    EXPECT_EQ(with({{"MATPREC_REQUIRE", std::string(name)}}, request).starts_with("Error"),
              is_default);
  }
}

TEST(Precedence, DefaultInAVariableIsAsIfUnset) {
  EXPECT_EQ(with({{"MATPREC_DEFAULT_PRECISION", "DEFAULT"}, {"MATPREC_FORCE_PRECISION", "default"}},
                 [] { return seen("tf32") + ", " + seen(); }),
            "TF32_TF32_F32 by argument, F32_F32_F32 by built-in");
}

TEST(Precedence, EmptyIsUnset) {
  EXPECT_EQ(with({{"MATPREC_DEFAULT_PRECISION", ""},
                  {"MATPREC_FORCE_PRECISION", ""},
                  {"MATPREC_PLATFORM", ""},
                  {"MATPREC_TARGET", ""},
                  {"MATPREC_NUM_THREADS", ""},
                  {"MATPREC_VERBOSE", ""},
                  {"MATPREC_NOTICE", ""},
                  {"MATPREC_REQUIRE", ""}},
                 [] { return seen(); }),
            "F32_F32_F32 by built-in");
}

TEST(Precedence, ForcedActsOnReachedProductsOnly) {
  EXPECT_EQ(with({{"MATPREC_FORCE_PRECISION", "tf32"}},
                 [] {
                   return seen({}, kF32, kBF16) + ", " + seen({}, kF64, kF64) + ", " +
                          seen("bf16", kF64, kF64) + ", " + seen("fp32", kBF16, kBF16);
                 }),
            "TF32_TF32_F32 by forced, F64_F64_F64 by operands, BF16_BF16_F32 by argument, "
            "F32_F32_F32 by argument");
}

TEST(Precedence, LevelsInVariablesFollowThePlatformInForce) {
  EXPECT_EQ(with({{"MATPREC_DEFAULT_PRECISION", "high"}, {"MATPREC_PLATFORM", "GPU"}},
                 [] {
                   std::string text = seen();
                   set_platform(Platform::kTpu);  // the program's word beats the variable's
                   return text + ", " + seen();
                 }),
            "TF32_TF32_F32 by environment, BF16_BF16_F32_X3 by environment");
}

TEST(Precedence, ADefaultScopeLeavesTheEnvironmentToDecide) {
  EXPECT_EQ(with({{"MATPREC_DEFAULT_PRECISION", "tf32"}},
                 [] {
                   const ScopedPrecision outer("bf16");
                   const ScopedPrecision inner("default");
                   return seen();
                 }),
            "TF32_TF32_F32 by environment");
}

TEST(Precedence, TakingTheProcessDefaultBackShowsTheEnvironment) {
  EXPECT_EQ(with({{"MATPREC_DEFAULT_PRECISION", "tf32"}},
                 [] {
                   set_default_precision("fp32");
                   std::string text = seen();
                   set_default_precision("default");
                   return text + ", " + seen();
                 }),
            "F32_F32_F32 by process, TF32_TF32_F32 by environment");
}

TEST(Precedence, TextsNameTheVariable) {
  EXPECT_EQ(with({{"MATPREC_DEFAULT_PRECISION", "tf32"}}, [] { return to_string(effective()); }),
            "TF32_TF32_F32, chosen by MATPREC_DEFAULT_PRECISION");
  EXPECT_EQ(with({{"MATPREC_FORCE_PRECISION", "high"}}, [] { return to_string(effective()); }),
            "BF16_BF16_F32_X3, chosen by MATPREC_FORCE_PRECISION (level high)");
}

}  // namespace
}  // namespace matprec
