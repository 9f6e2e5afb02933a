#include <gtest/gtest.h>

#include "matprec/policy.h"
#include "tests/support/clean_environment.h"
#include "tests/support/error_of.h"

namespace matprec {
namespace {

using testing::error_of;

class PlatformTest : public ::testing::Test {
 protected:
  ~PlatformTest() override { set_platform(Platform::kNative); }
};

void expect_row(Platform p, DotAlgorithm fastest, DotAlgorithm high, DotAlgorithm highest) {
  EXPECT_EQ(algorithm_of(Precision::kFastest, p), fastest);
  EXPECT_EQ(algorithm_of(Precision::kHigh, p), high);
  EXPECT_EQ(algorithm_of(Precision::kHighest, p), highest);
}

TEST_F(PlatformTest, RowsAreTheSpecifiedOnes) {
  using enum DotAlgorithm;
  expect_row(Platform::kNative, kBF16_BF16_F32, kBF16_BF16_F32_X3, kF32_F32_F32);
  expect_row(Platform::kTpu, kBF16_BF16_F32, kBF16_BF16_F32_X3, kBF16_BF16_F32_X6);
  expect_row(Platform::kGpu, kTF32_TF32_F32, kTF32_TF32_F32, kF32_F32_F32);
  expect_row(Platform::kCpu, kF32_F32_F32, kF32_F32_F32, kF32_F32_F32);
}

TEST_F(PlatformTest, NativeIsBuiltIn) { EXPECT_EQ(platform(), Platform::kNative); }

TEST_F(PlatformTest, SettingChangesWhatOpenScopesMean) {
  const ScopedPrecision guard(Precision::kHigh);
  EXPECT_EQ(effective().algorithm, DotAlgorithm::kBF16_BF16_F32_X3);
  set_platform(Platform::kGpu);
  EXPECT_EQ(platform(), Platform::kGpu);
  EXPECT_EQ(effective().algorithm, DotAlgorithm::kTF32_TF32_F32);
}

TEST_F(PlatformTest, NamesRoundTripInAnyCase) {
  for (const Platform p : {Platform::kNative, Platform::kTpu, Platform::kGpu, Platform::kCpu}) {
    EXPECT_EQ(parse_platform(to_string(p)), p);
  }
  EXPECT_EQ(parse_platform("TPU"), Platform::kTpu);
}

TEST_F(PlatformTest, AnUnknownNameIsAnErrorThatShowsTheNearest) {
  EXPECT_EQ(error_of([] { parse_platform("gqu"); }),
            "platform: unknown value \"gqu\"; known: native, tpu, gpu, cpu; nearest: gpu");
  EXPECT_NE(error_of([] { parse_platform(""); }), "(no error)");
}

TEST_F(PlatformTest, DefaultIsNoLevel) {
  EXPECT_EQ(error_of([] { algorithm_of(Precision::kDefault, Platform::kNative); }),
            "algorithm_of: Precision(0) is no level; expected fastest, high or highest");
}

TEST_F(PlatformTest, ANumberThatIsNoEnumeratorIsAnError) {
  EXPECT_EQ(error_of([] { set_platform(static_cast<Platform>(4)); }),
            "set_platform: Platform(4) is no enumerator; expected one of native, tpu, gpu, cpu");
  EXPECT_NE(error_of([] { algorithm_of(static_cast<Precision>(4), Platform::kCpu); }),
            "(no error)");
  EXPECT_EQ(platform(), Platform::kNative);
}

}  // namespace
}  // namespace matprec
