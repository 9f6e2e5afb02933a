#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "matprec/policy.h"
#include "matprec/precision.h"
#include "tests/support/clean_environment.h"
#include "tests/support/error_of.h"

namespace matprec {
namespace {

using testing::error_of;

constexpr char kKnown[] =
    "default, fastest, high, highest, BF16_BF16_F32, bf16, bfloat16, BF16_BF16_F32_X3, bf16x3, "
    "bfloat16_3x, BF16_BF16_F32_X6, bf16x6, bfloat16_6x, BF16_BF16_F32_X9, bf16x9, bfloat16_9x, "
    "TF32_TF32_F32, tf32, tensorfloat32, TF32_TF32_F32_X3, tf32x3, tensorfloat32_3x, F16_F16_F32, "
    "fp16, float16, ANY_F8_ANY_F8_F32, fp8, ANY_F8_ANY_F8_F32_FAST_ACCUM, ANY_F8_ANY_F8_ANY, "
    "ANY_F8_ANY_F8_ANY_FAST_ACCUM, F32_F32_F32, fp32, float32, ieee, F64_F64_F64, fp64, float64, F16_F16_F16, "
    "fp16_acc, BF16_BF16_BF16, bf16_acc";

std::string with_case(std::string name, int (*change)(int)) {
  for (char& c : name) c = static_cast<char>(change(static_cast<unsigned char>(c)));
  return name;
}

TEST(PrecisionNames, AreThePublishedList) {
  std::string all;
  for (const std::string_view name : precision_names()) {
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  EXPECT_EQ(all, kKnown);
}

// jax#39869, jax#18934, jax#22557 (IL-03): a name that names one algorithm selected another on
// another device.
TEST(PrecisionNames, ANameOfAnAlgorithmSelectsItOnEveryPlatform) {
  for (const Platform p : {Platform::kNative, Platform::kTpu, Platform::kGpu, Platform::kCpu}) {
    set_platform(p);
    for (const AlgorithmInfo& row : kAlgorithms) {
      const ElementType type =
          rounds_operands(row.algorithm) ? ElementType::kF32 : ElementType::kF8E5M2;
      EXPECT_EQ(resolve(row.name, type, type).algorithm, row.algorithm);
      EXPECT_EQ(resolve(row.short_name, type, type).algorithm, row.algorithm);
      for (const std::string_view alias : row.aliases) {
        if (alias.empty()) continue;
        EXPECT_EQ(resolve(alias, type, type).algorithm, row.algorithm);
      }
    }
  }
  set_platform(Platform::kNative);
}

// The same reports: one text back for each thing asked for.
TEST(PrecisionNames, RoundTripThroughTheCanonicalText) {
  for (const std::string_view name : precision_names()) {
    const PrecisionRequest request = parse_precision(name);
    EXPECT_EQ(parse_precision(to_string(request)), request) << name;
    EXPECT_EQ(to_string(parse_precision(to_string(request))), to_string(request)) << name;
  }
}

TEST(PrecisionNames, NoTwoAlgorithmsShareAText) {
  std::set<std::string> texts;
  for (const AlgorithmInfo& row : kAlgorithms)
    texts.insert(to_string(PrecisionRequest(row.algorithm)));
  EXPECT_EQ(texts.size(), kAlgorithms.size());
}

TEST(PrecisionNames, CaseDoesNotMatter) {
  for (const std::string_view name : precision_names()) {
    const PrecisionRequest request = parse_precision(name);
    EXPECT_EQ(parse_precision(with_case(std::string(name), &std::toupper)), request) << name;
    EXPECT_EQ(parse_precision(with_case(std::string(name), &std::tolower)), request) << name;
  }
}

TEST(PrecisionNames, ThePublishedSpellingsMeanTheirRows) {
  EXPECT_EQ(parse_precision("bfloat16_3x").algorithm(), DotAlgorithm::kBF16_BF16_F32_X3);
  EXPECT_EQ(parse_precision("tensorfloat32").algorithm(), DotAlgorithm::kTF32_TF32_F32);
  EXPECT_EQ(parse_precision("ieee").algorithm(), DotAlgorithm::kF32_F32_F32);
  EXPECT_EQ(parse_precision("highest").lhs_level(), Precision::kHighest);
}

TEST(PrecisionNames, AnUnknownNameIsAnErrorThatShowsTheNearest) {
  EXPECT_EQ(
      error_of([] { parse_precision("bf16x4", "--precision"); }),
      std::string("--precision: unknown value \"bf16x4\"; known: ") + kKnown + "; nearest: bf16x3");
}

// jax#22116, jax#24510 (IL-21): nothing is trimmed, nothing passes quietly.
TEST(PrecisionNames, BlanksAreNotTrimmed) {
  EXPECT_EQ(
      error_of([] { parse_precision(" bf16"); }),
      std::string("precision: unknown value \" bf16\"; known: ") + kKnown + "; nearest: bf16");
  EXPECT_NE(error_of([] { parse_precision("bf16 "); }), "(no error)");
}

TEST(PrecisionNames, TheEmptyNameIsAnError) {
  EXPECT_EQ(error_of([] { parse_precision(""); }),
            std::string("precision: unknown value \"\"; known: ") + kKnown + "; nearest: default");
}

TEST(PrecisionNames, ANullPointerIsTheEmptyName) {
  const char* const null = nullptr;
  EXPECT_EQ(error_of([&] { PrecisionRequest{null}; }),
            std::string("precision: unknown value \"\"; known: ") + kKnown + "; nearest: default");
}

TEST(PrecisionNames, ANulInsideTheNameIsNoEndOfIt) {
  EXPECT_NE(error_of([] { parse_precision(std::string_view("bf16\0x", 6)); }), "(no error)");
}

// jax#22116, jax#24510 (IL-21): parser, scope, process default and argument accept the same and
// refuse the same, with the same list, each under its own name.
TEST(PrecisionNames, EveryEntranceAcceptsAndRefusesTheSame) {
  for (const std::string bad : {"foo", "", " bf16", "bf16x4", "(high, highest)", "3", "tf-32"}) {
    const auto expected = [&bad](const char* entrance) {
      return error_of([&] { parse_precision(bad, entrance); });
    };
    EXPECT_NE(expected("x").find(kKnown), std::string::npos) << expected("x");
    EXPECT_EQ(error_of([&] { ScopedPrecision guard(bad); }), expected("ScopedPrecision"));
    EXPECT_EQ(error_of([&] { ScopedRequirement guard(bad); }), expected("ScopedRequirement"));
    EXPECT_EQ(error_of([&] { set_default_precision(bad); }), expected("set_default_precision"));
    EXPECT_EQ(error_of([&] { resolve(bad, ElementType::kF32, ElementType::kF32); }),
              expected("precision"));
  }
  for (const std::string_view good : precision_names()) {
    EXPECT_EQ(error_of([&] { ScopedPrecision guard(good); }), "(no error)");
    EXPECT_EQ(error_of([&] { set_default_precision(good); }), "(no error)");
    EXPECT_EQ(error_of([&] { resolve(good, ElementType::kF8E5M2, ElementType::kF8E5M2); }),
              "(no error)");
  }
  set_default_precision(Precision::kDefault);
}

TEST(PrecisionRequest, APairShowsBothSides) {
  EXPECT_EQ(to_string(PrecisionRequest(Precision::kHigh, Precision::kHighest)), "(high, highest)");
}

TEST(PrecisionRequest, TwoEqualLevelsAreNoPair) {
  const PrecisionRequest request(Precision::kHigh, Precision::kHigh);
  EXPECT_FALSE(request.is_pair());
  EXPECT_EQ(to_string(request), "high");
}

TEST(PrecisionRequest, ANumberThatIsNoEnumeratorIsAnError) {
  const PrecisionRequest algorithm(static_cast<DotAlgorithm>(200));
  EXPECT_EQ(error_of([&] { (void)to_string(algorithm); }),
            "to_string: DotAlgorithm(200) is no enumerator; expected DotAlgorithm(0) to "
            "DotAlgorithm(11)");
  EXPECT_EQ(error_of([&] { resolve(algorithm, ElementType::kF32, ElementType::kF32); }),
            "precision: DotAlgorithm(200) is no enumerator; expected DotAlgorithm(0) to "
            "DotAlgorithm(11)");
  EXPECT_EQ(error_of([&] { ScopedPrecision guard(algorithm); }),
            "ScopedPrecision: DotAlgorithm(200) is no enumerator; expected DotAlgorithm(0) to "
            "DotAlgorithm(11)");
  EXPECT_EQ(error_of([&] { set_default_precision(static_cast<Precision>(9)); }),
            "set_default_precision: Precision(9) is no enumerator; expected Precision(0) to "
            "Precision(3)");
}

TEST(PrecisionNames, ARefusalNamesItsEntrance) {
  const auto entrance = [](const std::string& text) { return text.substr(0, text.find(':')); };
  EXPECT_EQ(entrance(error_of([] { ScopedPrecision guard("bf16x4"); })), "ScopedPrecision");
  EXPECT_EQ(entrance(error_of([] { ScopedRequirement guard(std::string("fp31")); })),
            "ScopedRequirement");
  EXPECT_EQ(entrance(error_of([] { set_default_precision(std::string_view("")); })),
            "set_default_precision");
  EXPECT_EQ(entrance(error_of([] { with_precision("tf23", [] { return 0; }); })),
            "ScopedPrecision");
  EXPECT_EQ(entrance(error_of([] { static_cast<void>(PrecisionRequest("tf23")); })), "precision");
  EXPECT_EQ(entrance(error_of([] { ScopedPrecision guard(static_cast<const char*>(nullptr)); })),
            "ScopedPrecision");
}

TEST(TransposePrecision, IsOneRequestForBothOrOneForEach) {
  const TransposePrecision both = "tf32";
  EXPECT_EQ(both.lhs, PrecisionRequest("tf32"));
  EXPECT_EQ(both.rhs, PrecisionRequest("tf32"));
  const TransposePrecision each = {"bf16", Precision::kHigh};
  EXPECT_EQ(each.lhs, PrecisionRequest("bf16"));
  EXPECT_EQ(each.rhs, PrecisionRequest(Precision::kHigh));
}

}  // namespace
}  // namespace matprec
