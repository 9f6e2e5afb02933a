#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>
#include <thread>
#include <type_traits>

#include "matprec/policy.h"
#include "tests/support/clean_environment.h"
#include "tests/support/error_of.h"

namespace matprec {
namespace {

using testing::error_of;
using enum DotAlgorithm;

// uarray#206 (IL-16): a guard that can be copied or moved restores twice, or never.
template <class Guard>
constexpr bool is_pinned =
    !std::is_copy_constructible_v<Guard> && !std::is_move_constructible_v<Guard> &&
    !std::is_copy_assignable_v<Guard> && !std::is_move_assignable_v<Guard>;
static_assert(is_pinned<ScopedPrecision>);
static_assert(is_pinned<ScopedPolicy>);
static_assert(is_pinned<ScopedRequirement>);

class ScopeTest : public ::testing::Test {
 protected:
  ~ScopeTest() override {
    EXPECT_EQ(scope_depth(), 0);
    set_default_precision(Precision::kDefault);
    EXPECT_EQ(effective().source, Source::kBuiltIn);
  }
};

TEST_F(ScopeTest, InnermostScopeWins) {
  const ScopedPrecision outer("bf16");
  {
    const ScopedPrecision inner("tf32");
    EXPECT_EQ(effective().algorithm, kTF32_TF32_F32);
    EXPECT_EQ(scope_depth(), 2);
  }
  EXPECT_EQ(effective().algorithm, kBF16_BF16_F32);
  EXPECT_EQ(scope_depth(), 1);
}

TEST_F(ScopeTest, TheScopeKnowsWhereItWasOpened) {
  const ScopedPrecision guard("bf16");
  EXPECT_STREQ(effective().location.file, __FILE__);
  EXPECT_EQ(effective().location.line, __LINE__ - 2);
}

TEST_F(ScopeTest, DefaultMeansAsOutsideAnyScope) {
  const ScopedPrecision outer("bf16");
  const ScopedPrecision inner("default");
  EXPECT_EQ(effective().source, Source::kBuiltIn);
  EXPECT_EQ(scope_depth(), 2);
  set_default_precision("tf32");
  EXPECT_EQ(effective().algorithm, kTF32_TF32_F32);
  EXPECT_EQ(effective().source, Source::kProcess);
}

// jax#21650, jax#9304 (IL-14): a process default changed inside a scope counts for others and for
// later.
TEST_F(ScopeTest, TheScopeWinsOverAProcessDefaultChangedInsideIt) {
  {
    const ScopedPrecision guard("bf16");
    set_default_precision("fp32");
    EXPECT_EQ(effective().algorithm, kBF16_BF16_F32);
    std::thread([] {
      EXPECT_EQ(effective().algorithm, kF32_F32_F32);
      EXPECT_EQ(effective().source, Source::kProcess);
    }).join();
  }
  EXPECT_EQ(effective().algorithm, kF32_F32_F32);
  EXPECT_EQ(effective().source, Source::kProcess);
}

// dace#2018, jax#3271 (IL-15): leaving by an exception leaves nothing behind.
TEST_F(ScopeTest, AnExceptionEndsTheScope) {
  try {
    const ScopedPrecision guard("bf16");
    throw std::runtime_error("inside");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(effective().source, Source::kBuiltIn);
  EXPECT_EQ(scope_depth(), 0);
}

// The same reports, from a nested scope.
TEST_F(ScopeTest, AnExceptionEndsNestedScopes) {
  const ScopedPrecision outer("tf32");
  try {
    const ScopedPrecision middle("bf16");
    const ScopedPrecision inner("bf16x3");
    throw std::runtime_error("inside");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(effective().algorithm, kTF32_TF32_F32);
  EXPECT_EQ(scope_depth(), 1);
}

// The same reports, from the guard's own argument and from its constructor.
TEST_F(ScopeTest, AGuardThatFailsToOpenLeavesNothing) {
  const auto throwing = []() -> PrecisionRequest { throw std::runtime_error("argument"); };
  EXPECT_THROW(ScopedPrecision guard(throwing()), std::runtime_error);
  EXPECT_NE(error_of([] { ScopedPrecision guard("bf16x4"); }), "(no error)");
  EXPECT_NE(error_of([] {
              ScopedPrecision guard({Precision::kHigh, Precision::kHighest});
            }),
            "(no error)");
  EXPECT_EQ(scope_depth(), 0);
  EXPECT_EQ(effective().source, Source::kBuiltIn);
}

// uarray#206 (IL-16): guards in optionals, destroyed in every order.
TEST_F(ScopeTest, GuardsMayGoInAnyOrder) {
  constexpr std::array<DotAlgorithm, 4> kAsked = {kBF16_BF16_F32, kTF32_TF32_F32, kF16_F16_F32,
                                                  kBF16_BF16_F32_X3};
  std::array<std::size_t, 4> order = {0, 1, 2, 3};
  do {
    std::array<std::optional<ScopedPrecision>, 4> guards;
    for (std::size_t i = 0; i < 4; ++i) guards[i].emplace(kAsked[i]);
    for (std::size_t gone = 0; gone < 4; ++gone) {
      guards[order[gone]].reset();
      EXPECT_EQ(scope_depth(), 3 - static_cast<int>(gone));
      for (std::size_t i = 4; i-- > 0;) {  // the innermost that lives decides
        if (!guards[i]) continue;
        EXPECT_EQ(effective().algorithm, kAsked[i]);
        break;
      }
    }
    EXPECT_EQ(effective().source, Source::kBuiltIn);
  } while (std::next_permutation(order.begin(), order.end()));
}

// uarray#206 (IL-16): one object entered twice.
TEST_F(ScopeTest, AnOptionalMayBeEmplacedTwice) {
  std::optional<ScopedPrecision> a;
  a.emplace("bf16");
  std::optional<ScopedPrecision> b;
  b.emplace("tf32");
  a.emplace("fp16");  // the newest is the innermost
  EXPECT_EQ(effective().algorithm, kF16_F16_F32);
  EXPECT_EQ(scope_depth(), 2);
  a.reset();
  EXPECT_EQ(effective().algorithm, kTF32_TF32_F32);
  EXPECT_EQ(scope_depth(), 1);
  b.reset();
  EXPECT_EQ(scope_depth(), 0);
}

// A million guards that always overlap, as of two alternating generators, take no memory with them.
TEST_F(ScopeTest, OverlappingGuardsDoNotPileUp) {
  std::optional<ScopedPrecision> a;
  std::optional<ScopedPrecision> b;
  for (int i = 0; i < 100000; ++i) {
    a.reset();
    a.emplace("bf16");
    b.reset();
    b.emplace("tf32");
  }
  EXPECT_EQ(scope_depth(), 2);
  a.reset();
  EXPECT_EQ(effective().algorithm, kTF32_TF32_F32);
}

TEST_F(ScopeTest, WithPrecisionReturnsWhatTheCallableReturns) {
  int value = 7;
  int& same = with_precision("tf32", [&]() -> int& {
    EXPECT_EQ(effective().algorithm, kTF32_TF32_F32);
    EXPECT_EQ(effective().location.line, __LINE__ - 2);
    return value;
  });
  EXPECT_EQ(&same, &value);
  EXPECT_EQ(scope_depth(), 0);
}

TEST_F(ScopeTest, WithPrecisionEndsItsScopeOnAnException) {
  EXPECT_THROW(with_precision("tf32", [] { throw std::runtime_error("inside"); }),
               std::runtime_error);
}

// Every name but those of the row that takes 8-bit floats only.
std::vector<std::string_view> names_for_float32() {
  std::vector<std::string_view> names;
  for (const std::string_view name : precision_names()) {
    const PrecisionRequest request = parse_precision(name);
    if (!request.names_algorithm() || rounds_operands(request.algorithm())) names.push_back(name);
  }
  return names;
}

// pytorch#179445, pytorch#189955, pytorch#166387 (IL-23): every setting read after every other one
// gives the effective value, and clearing the inner one shows the outer again.
TEST_F(ScopeTest, LayeredSettingsCascadeInEveryCombination) {
  for (const std::string_view process : names_for_float32()) {
    set_default_precision(process);
    const Resolution outside = effective();
    EXPECT_EQ(default_precision(), parse_precision(process));
    for (const std::string_view scope : names_for_float32()) {
      {
        const ScopedPrecision guard(scope);
        const Resolution inside = effective();
        const bool asks = !parse_precision(scope).is_default();
        EXPECT_EQ(inside.algorithm,
                  asks ? resolve(scope, ElementType::kF32, ElementType::kF32).algorithm
                       : outside.algorithm)
            << process << ' ' << scope;
        EXPECT_EQ(inside.source, asks ? Source::kScope : outside.source) << process << ' ' << scope;
        EXPECT_EQ(default_precision(), parse_precision(process));
      }
      EXPECT_EQ(effective().algorithm, outside.algorithm);
      EXPECT_EQ(effective().source, outside.source);
    }
  }
}

TEST_F(ScopeTest, ASnapshotKeepsWhatTheScopesSaid) {
  PolicySnapshot snapshot;
  {
    const ScopedPrecision outer("bf16");
    const ScopedPrecision inner("tf32", {"a.cpp", 9});
    snapshot = capture_policy();
  }
  EXPECT_EQ(effective().source, Source::kBuiltIn);
  const ScopedPolicy guard(snapshot);
  EXPECT_EQ(effective().algorithm, kTF32_TF32_F32);
  EXPECT_EQ(effective().source, Source::kScope);
  EXPECT_EQ(effective().location.line, 9);
  EXPECT_EQ(scope_depth(), 2);
}

TEST_F(ScopeTest, ASnapshotWithoutScopesHidesThoseOfTheThread) {
  const PolicySnapshot none = capture_policy();
  const ScopedPrecision outer("bf16");
  {
    const ScopedPolicy guard(none);
    EXPECT_EQ(effective().source, Source::kBuiltIn);
    EXPECT_EQ(scope_depth(), 0);
    const ScopedPrecision inner("tf32");
    EXPECT_EQ(effective().algorithm, kTF32_TF32_F32);
    EXPECT_EQ(scope_depth(), 1);
  }
  {
    const ScopedPolicy guard{PolicySnapshot()};
    EXPECT_EQ(effective().source, Source::kBuiltIn);
  }
  EXPECT_EQ(effective().algorithm, kBF16_BF16_F32);
  EXPECT_EQ(scope_depth(), 1);
}

TEST_F(ScopeTest, ASnapshotOfASnapshotIsTheSame) {
  std::optional<ScopedPrecision> scope(std::in_place, "tf32");
  const PolicySnapshot first = capture_policy();
  scope.reset();
  std::optional<ScopedPolicy> guard(std::in_place, first);
  const PolicySnapshot second = capture_policy();
  guard.reset();
  const ScopedPolicy again(second);
  EXPECT_EQ(effective().algorithm, kTF32_TF32_F32);
  EXPECT_EQ(scope_depth(), 1);
}

TEST_F(ScopeTest, ASnapshotDoesNotFixTheProcessDefault) {
  const ScopedPolicy guard(capture_policy());
  set_default_precision("tf32");
  EXPECT_EQ(effective().source, Source::kProcess);
}

}  // namespace
}  // namespace matprec
