#include <gtest/gtest.h>

#include <vector>

#include "matprec/policy.h"
#include "tests/support/clean_environment.h"
#include "tests/support/error_of.h"

namespace matprec {
namespace {

using testing::error_of;
using enum DotAlgorithm;
using enum ElementType;

class ResolveTest : public ::testing::Test {
 protected:
  ~ResolveTest() override {
    set_default_precision(Precision::kDefault);
    set_platform(Platform::kNative);
  }
};

void expect_resolution(const Resolution& r, DotAlgorithm algorithm, Source source) {
  EXPECT_EQ(to_string(r.algorithm), to_string(algorithm));
  EXPECT_EQ(to_string(r.source), to_string(source));
}

TEST_F(ResolveTest, Float32MeansFloat32UntilSomebodyAsks) {
  const Resolution r = effective();
  expect_resolution(r, kF32_F32_F32, Source::kBuiltIn);
  EXPECT_TRUE(r.request.is_default());
  EXPECT_EQ(r.location.file, nullptr);
}

TEST_F(ResolveTest, ArgumentBeatsScopeBeatsProcess) {
  set_default_precision("tf32");
  expect_resolution(effective(), kTF32_TF32_F32, Source::kProcess);
  const ScopedPrecision guard("bf16");
  expect_resolution(effective(), kBF16_BF16_F32, Source::kScope);
  expect_resolution(resolve("bf16x6", kF32, kF32), kBF16_BF16_F32_X6, Source::kArgument);
}

TEST_F(ResolveTest, DefaultInTheArgumentAsksFurtherOut) {
  const ScopedPrecision guard("bf16");
  expect_resolution(resolve("default", kF32, kF32), kBF16_BF16_F32, Source::kScope);
}

TEST_F(ResolveTest, TheRequestOfTheDecidingSourceIsKept) {
  set_default_precision(Precision::kHigh);
  const Resolution r = effective();
  EXPECT_EQ(r.algorithm, kBF16_BF16_F32_X3);
  EXPECT_EQ(r.request, PrecisionRequest(Precision::kHigh));
}

TEST_F(ResolveTest, OneFloat32OperandAndNoneWiderIsReached) {
  const ScopedPrecision guard("tf32");
  for (const ElementType other : {kF32, kBF16, kF16}) {
    expect_resolution(effective(kF32, other), kTF32_TF32_F32, Source::kScope);
    expect_resolution(effective(other, kF32), kTF32_TF32_F32, Source::kScope);
  }
}

TEST_F(ResolveTest, OthersRunByTheirOperands) {
  const ScopedPrecision guard("tf32");
  set_default_precision("bf16");
  for (const ElementType other : {kF64, kF32, kBF16, kF16}) {
    expect_resolution(effective(kF64, other), kF64_F64_F64, Source::kOperands);
    expect_resolution(effective(other, kF64), kF64_F64_F64, Source::kOperands);
  }
  expect_resolution(effective(kBF16, kBF16), kBF16_BF16_F32, Source::kOperands);
  expect_resolution(effective(kF16, kF16), kF16_F16_F32, Source::kOperands);
  expect_resolution(effective(kF16, kBF16), kF32_F32_F32, Source::kOperands);
  expect_resolution(effective(kBF16, kF16), kF32_F32_F32, Source::kOperands);
}

TEST_F(ResolveTest, AnAlgorithmInTheArgumentIsAHitOnUnreachedOperands) {
  expect_resolution(resolve("bf16", kF64, kF64), kBF16_BF16_F32, Source::kArgument);
  expect_resolution(resolve("fp32", kBF16, kBF16), kF32_F32_F32, Source::kArgument);
}

TEST_F(ResolveTest, ALevelInTheArgumentIsNoHitOnUnreachedOperands) {
  expect_resolution(resolve("fastest", kF64, kF64), kF64_F64_F64, Source::kOperands);
  expect_resolution(resolve({Precision::kHigh, Precision::kHighest}, kBF16, kBF16), kBF16_BF16_F32,
                    Source::kOperands);
}

TEST_F(ResolveTest, APairIsTheMorePreciseOfTheTwo) {
  const PrecisionRequest pair(Precision::kHigh, Precision::kHighest);
  const PrecisionRequest swapped(Precision::kHighest, Precision::kHigh);
  expect_resolution(resolve(pair, kF32, kF32), kF32_F32_F32, Source::kArgument);
  expect_resolution(resolve(swapped, kF32, kF32), kF32_F32_F32, Source::kArgument);
  set_platform(Platform::kTpu);
  expect_resolution(resolve(pair, kF32, kF32), kBF16_BF16_F32_X6, Source::kArgument);
  set_platform(Platform::kGpu);
  expect_resolution(resolve({Precision::kFastest, Precision::kHigh}, kF32, kF32), kTF32_TF32_F32,
                    Source::kArgument);
  EXPECT_EQ(resolve(pair, kF32, kF32).request, pair);
}

TEST_F(ResolveTest, ADefaultSideOfAPairIsWhatLiesFurtherOut) {
  const PrecisionRequest left(Precision::kDefault, Precision::kFastest);
  const PrecisionRequest right(Precision::kFastest, Precision::kDefault);
  expect_resolution(resolve(left, kF32, kF32), kF32_F32_F32, Source::kArgument);
  expect_resolution(resolve(right, kF32, kF32), kF32_F32_F32, Source::kArgument);
  const ScopedPrecision guard("bf16_acc");
  expect_resolution(resolve(left, kF32, kF32), kBF16_BF16_F32, Source::kArgument);
  expect_resolution(resolve(right, kF32, kF32), kBF16_BF16_F32, Source::kArgument);
  const ScopedPrecision inner("tf32");
  expect_resolution(resolve(left, kF32, kF32), kTF32_TF32_F32, Source::kArgument);
  expect_resolution(resolve(right, kF32, kF32), kTF32_TF32_F32, Source::kArgument);
}

TEST_F(ResolveTest, APairIsForArgumentsOnly) {
  const PrecisionRequest pair(Precision::kHigh, Precision::kHighest);
  EXPECT_EQ(error_of([&] { set_default_precision(pair); }),
            "set_default_precision: the pair (high, highest) belongs to one call's operands; name "
            "one level or one algorithm");
  EXPECT_EQ(error_of([&] { ScopedPrecision guard(pair); }),
            "ScopedPrecision: the pair (high, highest) belongs to one call's operands; name one "
            "level or one algorithm");
  EXPECT_EQ(effective().source, Source::kBuiltIn);
  EXPECT_EQ(scope_depth(), 0);
}

TEST_F(ResolveTest, DefaultTakesTheProcessDefaultBack) {
  set_default_precision("tf32");
  EXPECT_EQ(default_precision(), PrecisionRequest(kTF32_TF32_F32));
  set_default_precision("default");
  EXPECT_TRUE(default_precision().is_default());
  expect_resolution(effective(), kF32_F32_F32, Source::kBuiltIn);
}

TEST_F(ResolveTest, EveryRequestReadsBackAsSet) {
  for (const std::string_view name : precision_names()) {
    set_default_precision(name);
    EXPECT_EQ(default_precision(), parse_precision(name)) << name;
  }
}

TEST_F(ResolveTest, TheProcessDefaultKnowsWhereItWasSet) {
  set_default_precision("tf32");
  const int line = __LINE__ - 1;
  EXPECT_STREQ(effective().location.file, __FILE__);
  EXPECT_EQ(effective().location.line, line);
  EXPECT_EQ(to_string(effective()), "TF32_TF32_F32, chosen by set_default_precision() at " +
                                        std::string(__FILE__) + ":" + std::to_string(line));
}

TEST_F(ResolveTest, TheProcessDefaultOutlivesTheTextOfItsPlace) {
  std::string file = "plugin.cpp";
  set_default_precision("tf32", {file.c_str(), 3});
  file.assign("xxxxxxxxxx");
  EXPECT_STREQ(effective().location.file, "plugin.cpp");
}

TEST_F(ResolveTest, TextsNameWhoChose) {
  EXPECT_EQ(to_string(effective()), "F32_F32_F32, built in, as nobody chose");
  EXPECT_EQ(to_string(resolve("tf32", kF32, kF32)), "TF32_TF32_F32, chosen by the call's argument");
  EXPECT_EQ(to_string(resolve("fastest", kF32, kF32)),
            "BF16_BF16_F32, chosen by the call's argument (level fastest)");
  EXPECT_EQ(to_string(resolve({Precision::kFastest, Precision::kHigh}, kF32, kF32)),
            "BF16_BF16_F32_X3, chosen by the call's argument (pair (fastest, high))");
  EXPECT_EQ(to_string(effective(kF64, kF64)), "F64_F64_F64, chosen by the operand types");
  const ScopedPrecision guard("bf16", {"a.cpp", 5});
  EXPECT_EQ(to_string(effective()), "BF16_BF16_F32, chosen by the scope at a.cpp:5");
  set_default_precision("bf16", SourceLocation{});
  const ScopedPrecision outside("default");
  EXPECT_EQ(to_string(effective()), "BF16_BF16_F32, chosen by set_default_precision()");
}

TEST_F(ResolveTest, SourcesHaveNames) {
  const std::vector<std::string_view> names = {"forced",  "argument",    "operands", "scope",
                                               "process", "environment", "built-in"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(to_string(static_cast<Source>(i)), names[i]);
  }
  EXPECT_EQ(error_of([] { (void)to_string(static_cast<Source>(7)); }),
            "to_string: Source(7) is no enumerator; expected one of forced, argument, operands, "
            "scope, process, environment, built-in");
}

}  // namespace
}  // namespace matprec
