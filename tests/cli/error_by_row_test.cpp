#include "src/cli/error_by_row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace matprec::cli {
namespace {

TEST(ErrorByRow, DividesTheNormsOfEachRow) {
  const Tensor result = Tensor::of<float>({2, 2}, {3, 5, 1, 1});
  const Tensor reference = Tensor::of<double>({2, 2}, {3, 4, 1, 1});
  EXPECT_EQ(error_by_row(result, reference), (std::vector<double>{0.2, 0}));
}

TEST(ErrorByRow, TakesAllLeadingDimensionsAsRows) {
  EXPECT_EQ(row_points({2, 3, 5}).rows, 6);
  EXPECT_EQ(row_points({7}).rows, 7);
  EXPECT_EQ(row_points({}).rows, 1);
  EXPECT_EQ(row_points({3, 0}).rows, 0);
}

TEST(ErrorByRow, TakesNeighboursTogetherBeyond256) {
  EXPECT_EQ(row_points({256, 2}).rows_per_point, 1);
  EXPECT_EQ(row_points({257, 2}).rows_per_point, 2);
  Tensor result(ElementType::kF32, {257, 1}), reference(ElementType::kF64, {257, 1});
  for (int i = 0; i < 257; ++i) {
    reference.data<double>()[i] = 1;
    result.data<float>()[i] = i == 1 ? 3.0f : 1.0f;
  }
  const std::vector<double> errors = error_by_row(result, reference);
  ASSERT_EQ(errors.size(), 129u);
  EXPECT_DOUBLE_EQ(errors[0], 2 / std::sqrt(2.0));
  EXPECT_EQ(errors[1], 0);
  EXPECT_EQ(errors[128], 0);  // the last row alone
}

TEST(ErrorByRow, SaysWhereARowOverflows) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<double> errors =
      error_by_row(Tensor::of<float>({2, 1}, {inf, 1}), Tensor::of<double>({2, 1}, {2, 1}));
  EXPECT_TRUE(std::isinf(errors[0]));
  EXPECT_EQ(errors[1], 0);
}

}  // namespace
}  // namespace matprec::cli
