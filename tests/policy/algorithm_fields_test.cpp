#include <gtest/gtest.h>

#include "matprec/dot_algorithm.h"
#include "matprec/precision.h"
#include "tests/support/clean_environment.h"
#include "tests/support/error_of.h"

namespace matprec {
namespace {

using testing::error_of;

DotAlgorithmFields bf16_fields(std::int64_t lhs, std::int64_t rhs, std::int64_t operations) {
  return {.lhs_precision_type = PrecisionType::kBF16,
          .rhs_precision_type = PrecisionType::kBF16,
          .accumulation_type = PrecisionType::kF32,
          .lhs_component_count = lhs,
          .rhs_component_count = rhs,
          .num_primitive_operations = operations};
}

TEST(AlgorithmFields, EveryRowRoundTrips) {
  for (const AlgorithmInfo& row : kAlgorithms) {
    EXPECT_EQ(from_fields(to_fields(row.algorithm)), row.algorithm) << row.name;
  }
}

TEST(AlgorithmFields, JaxFormHasOneComponent) {
  EXPECT_EQ(to_fields(DotAlgorithm::kBF16_BF16_F32_X6), bf16_fields(1, 1, 6));
}

TEST(AlgorithmFields, BothPublishedFormsMeanTheRow) {
  EXPECT_EQ(from_fields(bf16_fields(1, 1, 3)), DotAlgorithm::kBF16_BF16_F32_X3);
  EXPECT_EQ(from_fields(bf16_fields(2, 2, 3)), DotAlgorithm::kBF16_BF16_F32_X3);
  EXPECT_EQ(from_fields(bf16_fields(1, 1, 6)), DotAlgorithm::kBF16_BF16_F32_X6);
  EXPECT_EQ(from_fields(bf16_fields(3, 3, 6)), DotAlgorithm::kBF16_BF16_F32_X6);
  EXPECT_EQ(from_fields(bf16_fields(1, 1, 9)), DotAlgorithm::kBF16_BF16_F32_X9);
  EXPECT_EQ(from_fields(bf16_fields(3, 3, 9)), DotAlgorithm::kBF16_BF16_F32_X9);
  DotAlgorithmFields tf32 = bf16_fields(2, 2, 3);
  tf32.lhs_precision_type = tf32.rhs_precision_type = PrecisionType::kTF32;
  EXPECT_EQ(from_fields(tf32), DotAlgorithm::kTF32_TF32_F32_X3);
}

TEST(AlgorithmFields, AnAccumulationInTheOperandTypeIsItsOwnRow) {
  DotAlgorithmFields fields = bf16_fields(1, 1, 1);
  fields.accumulation_type = PrecisionType::kBF16;
  EXPECT_EQ(from_fields(fields), DotAlgorithm::kBF16_BF16_BF16);
}

TEST(AlgorithmFields, NothingBesideTheTwoFormsIsAccepted) {
  for (std::int64_t lhs = 0; lhs <= 4; ++lhs) {
    for (std::int64_t rhs = 0; rhs <= 4; ++rhs) {
      for (std::int64_t operations = -1; operations <= 10; ++operations) {
        const bool jax = lhs == 1 && rhs == 1 &&
                         (operations == 1 || operations == 3 || operations == 6 || operations == 9);
        const bool text = (lhs == 2 && rhs == 2 && operations == 3) ||
                          (lhs == 3 && rhs == 3 && (operations == 6 || operations == 9));
        const bool accepted =
            error_of([&] { from_fields(bf16_fields(lhs, rhs, operations)); }) == "(no error)";
        EXPECT_EQ(accepted, jax || text) << lhs << ' ' << rhs << ' ' << operations;
      }
    }
  }
}

TEST(AlgorithmFields, ImpreciseAccumulationIsRefused) {
  DotAlgorithmFields fields = to_fields(DotAlgorithm::kF32_F32_F32);
  fields.allow_imprecise_accumulation = true;
  EXPECT_EQ(
      error_of([&] { from_fields(fields); }),
      "DotAlgorithmFields: no algorithm has {lhs_precision_type=float32, "
      "rhs_precision_type=float32, accumulation_type=float32, lhs_component_count=1, "
      "rhs_component_count=1, num_primitive_operations=1, allow_imprecise_accumulation=true}; "
      "nearest: F32_F32_F32 {lhs_precision_type=float32, rhs_precision_type=float32, "
      "accumulation_type=float32, lhs_component_count=1, rhs_component_count=1, "
      "num_primitive_operations=1, allow_imprecise_accumulation=false}");
}

TEST(AlgorithmFields, TheErrorShowsTheNearestRowInTheNearestForm) {
  EXPECT_EQ(error_of([] { PrecisionRequest{bf16_fields(2, 2, 4)}; }),
            "DotAlgorithmFields: no algorithm has " + to_string(bf16_fields(2, 2, 4)) +
                "; nearest: BF16_BF16_F32_X3 " + to_string(bf16_fields(2, 2, 3)));
}

TEST(AlgorithmFields, ExtremeCountsAreJustWrong) {
  DotAlgorithmFields fields = bf16_fields(INT64_MIN, INT64_MAX, INT64_MIN);
  fields.lhs_precision_type = static_cast<PrecisionType>(77);
  const std::string text = error_of([&] { from_fields(fields); });
  EXPECT_NE(text.find("lhs_precision_type=PrecisionType(77)"), std::string::npos) << text;
  EXPECT_NE(text.find("; nearest: BF16_BF16_F32 "), std::string::npos) << text;
}

TEST(AlgorithmFields, ANumberThatIsNoEnumeratorIsAnError) {
  EXPECT_EQ(error_of([] { to_fields(static_cast<DotAlgorithm>(13)); }),
            "to_fields: DotAlgorithm(13) is no enumerator; expected DotAlgorithm(0) to "
            "DotAlgorithm(11)");
}

}  // namespace
}  // namespace matprec
