#include "src/cli/normal_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/cli/result_hash.h"

namespace matprec::cli {
namespace {

// Kolmogorov and Smirnov's distance to the normal distribution; of 200000 normal numbers it is
// above 1.95 / sqrt(n) once in a thousand seeds.
TEST(NormalMatrix, IsNormal) {
  constexpr std::int64_t kCount = 200000;
  const Tensor matrix = normal_matrix(kCount / 100, 100, 1);
  std::vector<float> values(matrix.data<float>(), matrix.data<float>() + kCount);
  std::ranges::sort(values);
  double distance = 0;
  for (std::int64_t i = 0; i < kCount; ++i) {
    const double expected =
        0.5 * std::erfc(-static_cast<double>(values[static_cast<std::size_t>(i)]) / std::sqrt(2.0));
    distance = std::max(distance, std::fabs(expected - (static_cast<double>(i) + 0.5) / kCount));
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(static_cast<double>(kCount)));
  EXPECT_GT(values.back(), 4);  // tails as well: beyond 4 there are six in 200000
  EXPECT_LT(values.front(), -4);
}

// No function of the C library takes part, so these are the bits on every machine.
TEST(NormalMatrix, HasTheSameBitsEverywhere) {
  EXPECT_EQ(result_hash(normal_matrix(64, 256, 1)), 0xd9c50396a10db11cu);
  EXPECT_NE(result_hash(normal_matrix(64, 256, 2)), result_hash(normal_matrix(64, 256, 1)));
}

}  // namespace
}  // namespace matprec::cli
