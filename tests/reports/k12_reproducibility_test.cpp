// Kind K12: results that depend on what else runs: other rows, threads, callers, repetitions.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "matprec/dot_general.h"
#include "matprec/runtime.h"
#include "tests/support/clean_environment.h"
#include "tests/support/products.h"
#include "tests/support/rounding_rows.h"

namespace matprec::testing {
namespace {

class Reproducibility : public ::testing::Test {
 protected:
  void TearDown() override { set_num_threads(0); }
};

// pytorch#45422, pytorch#51276, torch-spyre#3624, tensorflow#11610 (IL-67)
TEST_F(Reproducibility, ARowDoesNotDependOnTheBatchSize) {
  const Matrix x = normal_matrix(100 * 30, 8, 1), a = normal_matrix(8, 20, 2);
  const auto batches = [&](std::int64_t first, std::int64_t count, DotAlgorithm algorithm) {
    return dot_general(TensorView(x.values.data() + first * 30 * 8, {count, 30, 8}), a.view(),
                       {.lhs_contracting = {2}, .rhs_contracting = {0}}, {.precision = algorithm});
  };
  for (const AlgorithmInfo& row : rounding_rows()) {
    for (std::int64_t first = 0; first < 100; first += 50) {
      const Tensor many = batches(first, 50, row.algorithm);
      for (std::int64_t b = 0; b < 50; b += 2) {
        const Tensor few = batches(first + b, 2, row.algorithm);
        ASSERT_TRUE(same_bits<float>(std::span(many.data<float>() + b * 600, 1200),
                                     std::span(few.data<float>(), 1200)))
            << row.name << ", batch " << first + b;
      }
    }
  }
}
TEST_F(Reproducibility, ARowDoesNotDependOnTheNumberOfRows) {
  const Matrix a = normal_matrix(70, 1000, 3), b = normal_matrix(1000, 9, 4);
  for (const AlgorithmInfo& row : rounding_rows()) {
    const Matrix all = product(a, b, row.algorithm);
    for (std::int64_t m = 1; m <= 70; ++m) {
      ASSERT_TRUE(same_bits<float>(product(rows_of(a, 0, m), b, row.algorithm).values,
                                   rows_of(all, 0, m).values))
          << row.name << ", M = " << m;
    }
  }
}

// oneDNN#789, mxnet#7770, anaconda-issues#1278, psi4#1906 (IL-68)
TEST_F(Reproducibility, TheThreadCountChangesNoBit) {
  const Matrix a = normal_matrix(200, 777, 5), b = normal_matrix(777, 200, 6);
  for (const DotAlgorithm algorithm : kFloat32SumAlgorithms) {
    set_num_threads(1);
    const Matrix alone = product(a, b, algorithm);
    for (const int threads : {2, 3, 5, 8}) {
      set_num_threads(threads);
      EXPECT_TRUE(same_bits<float>(product(a, b, algorithm).values, alone.values))
          << to_string(algorithm) << ", threads " << threads;
    }
  }
}
TEST_F(Reproducibility, FiftyRunsGiveTheSameBits) {
  const Matrix a = normal_matrix(200, 777, 5), b = normal_matrix(777, 200, 6);
  set_num_threads(3);
  const Matrix first = product(a, b, "bf16x3");
  for (int run = 1; run < 50; ++run) {
    ASSERT_TRUE(same_bits<float>(product(a, b, "bf16x3").values, first.values)) << run;
  }
}

// OpenBLAS#5825, OpenBLAS#1844, OpenBLAS#1755 (IL-70)
TEST_F(Reproducibility, ConcurrentCallersDoNotDisturbEachOther) {
  constexpr int kCallers = 8;
  set_num_threads(2);
  int wrong[kCallers] = {};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&wrong, caller] {
      Random random(static_cast<std::uint64_t>(caller));
      for (int call = 0; call < 1000; ++call) {
        const auto mode = static_cast<std::size_t>(caller % 2 == 0 ? call % 8 : caller);
        const Matrix c = product(filled(1 + random.below(64), 128, 1),
                                 filled(128, 1 + random.below(64), 1), kFloat32SumAlgorithms[mode]);
        for (const float x : c.values) wrong[caller] += x == 128 ? 0 : 1;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace matprec::testing
