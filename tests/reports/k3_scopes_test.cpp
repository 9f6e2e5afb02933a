// Kind K3: settings that leak, hide or disturb each other, seen in the digits of products.
#include <gtest/gtest.h>

#include <barrier>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "matprec/error.h"
#include "matprec/policy.h"
#include "tests/support/clean_environment.h"
#include "tests/support/products.h"

namespace matprec::testing {
namespace {

using enum DotAlgorithm;

class Scopes : public ::testing::Test {
 protected:
  void TearDown() override { set_default_precision({}); }
};

// jax#21650, jax#9304 (IL-14)
TEST_F(Scopes, AProcessDefaultSetInsideAScopeActsOutsideIt) {
  {
    const ScopedPrecision guard("bf16");
    set_default_precision("tf32");
    EXPECT_TRUE(shows_digits_of(kBF16_BF16_F32));
    std::thread([] { EXPECT_TRUE(shows_digits_of(kTF32_TF32_F32)); }).join();
  }
  EXPECT_TRUE(shows_digits_of(kTF32_TF32_F32));
}

// dace#2018, jax#3271 (IL-15)
TEST_F(Scopes, AnExceptionLeavesNoPrecisionBehind) {
  try {
    const ScopedPrecision outer("bf16");
    const ScopedPrecision inner("tf32");
    throw std::runtime_error("from inside");
  } catch (const std::runtime_error&) {
  }
  EXPECT_TRUE(shows_digits_of(kF32_F32_F32));
}

// uarray#206 (IL-16)
TEST_F(Scopes, GuardsDestroyedOutOfOrderLeaveNoPrecisionBehind) {
  std::optional<ScopedPrecision> first, second;
  first.emplace("bf16");
  second.emplace("tf32");
  first.reset();
  EXPECT_TRUE(shows_digits_of(kTF32_TF32_F32));
  first.emplace("bf16x3");
  EXPECT_TRUE(shows_digits_of(kBF16_BF16_F32_X3));
  second.reset();
  EXPECT_TRUE(shows_digits_of(kBF16_BF16_F32_X3));
  first.reset();
  EXPECT_TRUE(shows_digits_of(kF32_F32_F32));
}

// pytorch#165741, cellpy#850 (IL-18)
TEST_F(Scopes, TwoThreadsKeepTheirOwnPrecision) {
  std::barrier together(2);
  int wrong[2] = {0, 0};
  const auto run = [&](int thread, const char* precision, DotAlgorithm algorithm) {
    const ScopedPrecision guard(precision);
    for (int i = 0; i < 2000; ++i) {
      together.arrive_and_wait();
      if (!shows_digits_of(algorithm)) ++wrong[thread];
    }
  };
  std::thread other(run, 0, "bf16", kBF16_BF16_F32);
  run(1, "fp32", kF32_F32_F32);
  other.join();
  EXPECT_EQ(wrong[0], 0);
  EXPECT_EQ(wrong[1], 0);
}
TEST_F(Scopes, AFreshThreadSeesTheProcessDefaultNotItsParentsScope) {
  const ScopedPrecision guard("bf16");
  std::thread([] { EXPECT_TRUE(shows_digits_of(kF32_F32_F32)); }).join();
}

// mlx-vlm#1846, MONAI#6754, pytorch#77114 (IL-20), the part without the environment
TEST_F(Scopes, ArgumentBeatsScopeBeatsProcessDefault) {
  set_default_precision("bf16");
  EXPECT_TRUE(shows_digits_of(kBF16_BF16_F32));
  const ScopedPrecision guard("tf32");
  EXPECT_TRUE(shows_digits_of(kTF32_TF32_F32));
  EXPECT_TRUE(shows_digits_of(kBF16_BF16_F32_X3, "bf16x3"));
}

// jax#22116, jax#24510 (IL-21)
TEST_F(Scopes, EveryEntranceAcceptsAndRefusesTheSameNames) {
  for (const char* bad : {"foo", "", " bf16"}) {
    EXPECT_THROW(product(report_x(), report_y(), bad), Error) << bad;
    EXPECT_THROW(const ScopedPrecision guard(bad), Error) << bad;
    EXPECT_THROW(set_default_precision(bad), Error) << bad;
  }
  EXPECT_TRUE(shows_digits_of(kF32_F32_F32));
  EXPECT_TRUE(shows_digits_of(kBF16_BF16_F32, "BF16"));
}

// pytorch#179445, pytorch#189955, pytorch#166387 (IL-23)
TEST_F(Scopes, EveryGetterTellsTheTruthAfterEverySetter) {
  const auto consistent = [] { return fingerprint() == fingerprint_of(effective().algorithm); };
  set_default_precision("bf16");
  EXPECT_TRUE(consistent());
  EXPECT_EQ(effective().source, Source::kProcess);
  {
    const ScopedPrecision guard("bf16x3");
    EXPECT_TRUE(consistent());
    EXPECT_EQ(default_precision(), PrecisionRequest("bf16"));
    EXPECT_EQ(scope_depth(), 1);
    {
      const ScopedPrecision cleared(Precision::kDefault);
      EXPECT_TRUE(consistent());
      EXPECT_EQ(effective().algorithm, kBF16_BF16_F32);
    }
    EXPECT_EQ(effective().algorithm, kBF16_BF16_F32_X3);
  }
  EXPECT_EQ(effective().algorithm, kBF16_BF16_F32);
  set_default_precision({});
  EXPECT_TRUE(consistent());
  EXPECT_EQ(effective().source, Source::kBuiltIn);
}

}  // namespace
}  // namespace matprec::testing
