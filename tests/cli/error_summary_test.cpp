#include "src/cli/error_summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "matprec/tensor.h"
#include "src/cli/comparison.h"
#include "src/cli/element_value.h"
#include "src/cli/result_hash.h"

namespace matprec::cli {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

ErrorSummary summary(std::initializer_list<float> c, std::initializer_list<double> r,
                     std::initializer_list<double> magnitude) {
  const Dims shape = {static_cast<std::int64_t>(c.size())};
  return summarize_error(Tensor::of<float>(shape, c), Tensor::of<double>(shape, r),
                         Tensor::of<double>(shape, magnitude));
}

TEST(ErrorSummary, DividesFrobeniusNorms) {
  const ErrorSummary s = summary({3, 5}, {3, 4}, {10, 10});  // error (0, 1), reference (3, 4)
  EXPECT_DOUBLE_EQ(s.relative_error, 0.2);
  EXPECT_DOUBLE_EQ(s.digits.value(), -std::log10(0.2));
}

TEST(ErrorSummary, FindsTheWorstEntryByMagnitude) {
  // The larger error belongs to the larger magnitude; the second entry is worse.
  const ErrorSummary s = summary({104, 2}, {100, 1}, {1000, 8});
  EXPECT_EQ(s.worst->index, Dims({1}));
  EXPECT_DOUBLE_EQ(s.worst->error, 1.0 / 8);
  EXPECT_DOUBLE_EQ(s.worst->condition, 8);
}

TEST(ErrorSummary, KeepsTheSignOfBias) {
  EXPECT_DOUBLE_EQ(summary({1, -2}, {2, -1}, {2, 2}).bias, -2.0 / 3);
}

TEST(ErrorSummary, CallsNoDifferenceNoError) {
  const ErrorSummary s = summary({0, 0}, {0, 0}, {0, 5});
  EXPECT_EQ(s.relative_error, 0);
  EXPECT_FALSE(s.digits.has_value());
  EXPECT_EQ(s.bias, 0);
}

TEST(ErrorSummary, CallsAnyDifferenceFromZeroInfinite) {
  const ErrorSummary s = summary({1}, {0}, {0});
  EXPECT_EQ(s.relative_error, kInf);
  EXPECT_FALSE(s.digits.has_value());
  EXPECT_EQ(s.worst->error, kInf);
}

TEST(ErrorSummary, LeavesOutWhatIsNotFiniteInTheReference) {
  const ErrorSummary s = summary({kInf, NAN, 1}, {kInf, NAN, 1}, {kInf, NAN, 1});
  EXPECT_EQ(s.not_finite, 2);
  EXPECT_EQ(s.lost, 0);
  EXPECT_EQ(s.relative_error, 0);
}

TEST(ErrorSummary, KnowsNoErrorWhereNothingIsFinite) {
  const ErrorSummary s = summary({NAN, kInf}, {NAN, kInf}, {NAN, kInf});
  EXPECT_TRUE(std::isnan(s.relative_error));
  EXPECT_FALSE(s.digits.has_value());
  EXPECT_TRUE(std::isnan(s.bias));
  EXPECT_TRUE(std::isnan(summary({kInf}, {1}, {1}).bias));
  EXPECT_EQ(summary({1}, {NAN}, {NAN}).relative_error, kInf);
}

TEST(ErrorSummary, CountsEntriesThatOnlyOneSideHasFinite) {
  const ErrorSummary s = summary({1, kInf, NAN}, {1, 2, kInf}, {1, 2, kInf});
  EXPECT_EQ(s.lost, 2);
  EXPECT_EQ(s.overflowed, 1);  // the reference of the other one is infinite itself
  EXPECT_EQ(s.first_lost, Dims({1}));
  EXPECT_EQ(s.relative_error, kInf);
}

TEST(ErrorSummary, SaysNothingOfEmptyResults) {
  const ErrorSummary s = summary({}, {}, {});
  EXPECT_EQ(s.entries, 0);
  EXPECT_FALSE(s.worst.has_value());
  EXPECT_EQ(s.relative_error, 0);
}

TEST(ResultHash, IsFnv1aOfShapeAndBytes) {
  // FNV-1a computed here byte by byte: rank 1, size 1, then 1.0f.
  std::uint64_t hash = 0xcbf29ce484222325u;
  const unsigned char bytes[] = {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f};
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  EXPECT_EQ(result_hash(Tensor::of<float>({1}, {1.0f})), hash);
}

TEST(ResultHash, SeesShapeAndEveryBit) {
  const std::uint64_t hash = result_hash(Tensor::of<float>({2, 3}, {0, 1, 2, 3, 4, 5}));
  EXPECT_NE(result_hash(Tensor::of<float>({3, 2}, {0, 1, 2, 3, 4, 5})), hash);
  EXPECT_NE(result_hash(Tensor::of<float>({2, 3}, {-0.0f, 1, 2, 3, 4, 5})), hash);
}

TEST(Cheaper, CountsFmasThenRank) {
  const auto row = [](DotAlgorithm a) { return info(a); };
  EXPECT_TRUE(cheaper(row(DotAlgorithm::kF32_F32_F32), row(DotAlgorithm::kBF16_BF16_F32_X3)));
  EXPECT_TRUE(cheaper(row(DotAlgorithm::kBF16_BF16_F32), row(DotAlgorithm::kTF32_TF32_F32)));
  EXPECT_TRUE(cheaper(row(DotAlgorithm::kF32_F32_F32), row(DotAlgorithm::kBF16_BF16_F32_X9)));
}

TEST(ElementValue, DecodesEveryFloat16) {
  for (std::uint64_t bits = 0; bits < 0x8000; ++bits) {
    const int exponent = static_cast<int>(bits >> 10);
    const double fraction = static_cast<double>(bits & 1023) / 1024;
    const double value = decode(ElementType::kF16, bits);
    if (exponent == 31) {
      EXPECT_TRUE(fraction == 0 ? std::isinf(value) : std::isnan(value));
      continue;
    }
    const double expected =
        exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
    ASSERT_EQ(value, expected) << bits;
    ASSERT_EQ(decode(ElementType::kF16, bits | 0x8000), -expected) << bits;
  }
}

}  // namespace
}  // namespace matprec::cli
