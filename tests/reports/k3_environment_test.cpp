// Kinds K1 and K3 by the environment: every product runs in a child process of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

#include "matprec/policy.h"
#include "tests/support/child_process.h"
#include "tests/support/products.h"

namespace matprec::testing {
namespace {

using enum DotAlgorithm;

std::string yes_or_no(bool yes) { return yes ? "yes" : "no"; }
std::string hex(const Matrix& m) {
  std::ostringstream text;
  for (const float x : m.values) text << std::hex << bits(x) << ' ';
  return text.str();
}
std::string digits_of(DotAlgorithm algorithm, const PrecisionRequest& request = {}) {
  return yes_or_no(static_cast<bool>(shows_digits_of(algorithm, request)));
}
std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// jax#14157, jax#14022 (IL-02): three routes, same bits.
TEST(EnvironmentRoute, GivesTheBitsOfScopeAndArgument) {
  const Matrix a(2, 2, {1.1111111f, 2.2222222f, 3.3333333f, 4.4444444f});
  for (const char* name : {"tf32", "bf16", "bf16x3", "bf16x9", "fp32"}) {
    const ChildResult by_environment = in_child({{"MATPREC_DEFAULT_PRECISION", name}},
                                                [&] { return hex(product(a, transposed(a))); });
    const ChildResult by_argument =
        in_child({}, [&] { return hex(product(a, transposed(a), name)); });
    const ChildResult by_scope = in_child({}, [&] {
      const ScopedPrecision guard(name);
      return hex(product(a, transposed(a)));
    });
    EXPECT_EQ(by_environment.out, by_argument.out) << name;
    EXPECT_EQ(by_environment.out, by_scope.out) << name;
    EXPECT_EQ(by_environment.err, "") << name;
  }
}

// nanochat#538, pytorch#100145 (IL-06)
TEST(EnvironmentRoute, ShowsInTheFingerprint) {
  for (const DotAlgorithm algorithm : {kBF16_BF16_F32, kTF32_TF32_F32, kBF16_BF16_F32_X3,
                                       kBF16_BF16_F32_X6, kBF16_BF16_F32_X9, kF32_F32_F32}) {
    const std::string name(to_string(algorithm));
    EXPECT_EQ(in_child({{"MATPREC_DEFAULT_PRECISION", name}},
                       [&] {
                         return yes_or_no(effective().algorithm == algorithm &&
                                          fingerprint() == fingerprint_of(algorithm));
                       })
                  .out,
              "yes")
        << name;
  }
}

// mlx-vlm#1846, MONAI#6754, pytorch#77114 (IL-20)
TEST(EnvironmentRoute, ProcessDefaultScopeAndArgumentBeatIt) {
  const Variables set = {{"MATPREC_DEFAULT_PRECISION", "bf16x3"}};
  EXPECT_EQ(in_child(set, [] { return digits_of(kBF16_BF16_F32_X3); }).out, "yes");
  EXPECT_EQ(in_child(set,
                     [] {
                       set_default_precision("bf16");
                       return digits_of(kBF16_BF16_F32);
                     })
                .out,
            "yes");
  EXPECT_EQ(in_child(set,
                     [] {
                       const ScopedPrecision guard("tf32");
                       return digits_of(kTF32_TF32_F32);
                     })
                .out,
            "yes");
  EXPECT_EQ(in_child(set, [] { return digits_of(kF32_F32_F32, "fp32"); }).out, "yes");
}
TEST(EnvironmentRoute, TheForcedOneBeatsEverything) {
  EXPECT_EQ(in_child({{"MATPREC_FORCE_PRECISION", "tf32"}, {"MATPREC_DEFAULT_PRECISION", "bf16x3"}},
                     [] {
                       set_default_precision("bf16");
                       const ScopedPrecision guard("bf16x9");
                       return digits_of(kTF32_TF32_F32, "fp32");
                     })
                .out,
            "yes");
}
TEST(EnvironmentRoute, AChangeAfterTheFirstUseIsNotSeen) {
  EXPECT_EQ(in_child({},
                     [] {
                       (void)effective();
                       setenv("MATPREC_DEFAULT_PRECISION", "bf16", 1);
                       return digits_of(kF32_F32_F32);
                     })
                .out,
            "yes");
}

// jax#22116, jax#24510 (IL-21)
TEST(EnvironmentRoute, RefusesWhatTheOtherEntrancesRefuse) {
  for (const char* bad : {"foo", " bf16"}) {
    const ChildResult result =
        in_child({{"MATPREC_DEFAULT_PRECISION", bad}}, [] { return digits_of(kF32_F32_F32); });
    EXPECT_EQ(result.out.substr(0, 7), "Error: ") << bad;
    EXPECT_NE(result.out.find("MATPREC_DEFAULT_PRECISION"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("tf32"), std::string::npos) << "lists the accepted names";
  }
  EXPECT_EQ(
      in_child({{"MATPREC_DEFAULT_PRECISION", ""}}, [] { return digits_of(kF32_F32_F32); }).out,
      "yes");
  EXPECT_EQ(
      in_child({{"MATPREC_DEFAULT_PRECISION", "BF16"}}, [] { return digits_of(kBF16_BF16_F32); })
          .out,
      "yes");
}

// mlx#3860, mlx#3883 (IL-05)
TEST(EnvironmentRoute, AReducedProcessDefaultIsNoticedExactlyOnce) {
  const ChildResult result = in_child({}, [] {
    set_default_precision("tf32");
    (void)fingerprint();
    (void)fingerprint();
    return std::string();
  });
  EXPECT_EQ(lines(result.err), 1u) << result.err;
}
TEST(EnvironmentRoute, AnExplicitChoiceIsNotNoticed) {
  EXPECT_EQ(in_child({},
                     [] {
                       (void)fingerprint("tf32");
                       const ScopedPrecision guard("bf16");
                       (void)fingerprint();
                       return std::string();
                     })
                .err,
            "");
  EXPECT_EQ(in_child({{"MATPREC_DEFAULT_PRECISION", "tf32"}},
                     [] {
                       (void)fingerprint();
                       return std::string();
                     })
                .err,
            "");
}

}  // namespace
}  // namespace matprec::testing
