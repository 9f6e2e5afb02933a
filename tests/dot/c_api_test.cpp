// matprec_cblas_sgemm: CBLAS's meaning of every argument, the bits of dot_general, and its refusals.
#include "matprec/c_api.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "matprec/dot_general.h"
#include "matprec/policy.h"
#include "tests/support/float_state.h"
#include "tests/support/random_matrix.h"

namespace matprec {
namespace {

constexpr int kRow = 101, kColumn = 102, kNo = 111, kYes = 112;

TEST(CblasSgemm, EveryLayoutAndTransposeGivesTheBitsOfDotGeneral) {
  const int m = 19, n = 35, k = 133;
  const testing::Matrix a = testing::normal_matrix(m, k, 1), b = testing::normal_matrix(k, n, 2);
  const testing::Matrix at = testing::transposed(a), bt = testing::transposed(b);
  const Tensor expected = matmul(a.view(), b.view());
  for (int layout : {kRow, kColumn}) {
    for (int ta : {kNo, kYes}) {
      for (int tb : {kNo, kYes}) {
        // In column-major layout the stored rows are the columns of the operand.
        const bool a_as_is = (layout == kRow) == (ta == kNo);
        const bool b_as_is = (layout == kRow) == (tb == kNo);
        std::vector<float> c(static_cast<std::size_t>(m * n), -1.0f);
        matprec_cblas_sgemm(layout, ta, tb, m, n, k, 1, a_as_is ? a.values.data() : at.values.data(),
                            a_as_is ? k : m, b_as_is ? b.values.data() : bt.values.data(),
                            b_as_is ? n : k, 0, c.data(), layout == kRow ? n : m);
        for (int i = 0; i < m; ++i) {
          for (int j = 0; j < n; ++j) {
            const float got = c[static_cast<std::size_t>(layout == kRow ? i * n + j : j * m + i)];
            ASSERT_EQ(got, expected.data<float>()[i * n + j])
                << "layout " << layout << " transposes " << ta << " " << tb;
          }
        }
      }
    }
  }
}

TEST(CblasSgemm, ObeysTheScope) {
  const float x = 1.00390625f, one = 1;  // rounds to 1 in bfloat16
  float c = 0;
  const ScopedPrecision guard("bf16");
  matprec_cblas_sgemm(kRow, kNo, kNo, 1, 1, 1, 1, &one, 1, &x, 1, 0, &c, 1);
  EXPECT_EQ(c, 1.0f);
}

TEST(CblasSgemm, AlphaBetaAndGapsBetweenRows) {
  std::vector<float> a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, c = {1, 1, 9, 1, 1, 9};
  matprec_cblas_sgemm(kRow, kNo, kNo, 2, 2, 2, 2, a.data(), 2, b.data(), 2, 10, c.data(), 3);
  EXPECT_EQ(c, (std::vector<float>{48, 54, 9, 96, 110, 9}));
}

// alpha 2^-140: times 2^100 a normal number, unless the caller's flushing of subnormals made it 0.
TEST(CblasSgemm, AlphaIsWhatWasPassedWhateverTheCallersFloatEnvironment) {
  const float alpha = 0x1p-140f, a = 0x1p100f, b = 1;
  for (const float beta : {0.0f, 1.0f}) {
    float c = 0;
    {
      const testing::HostileFloatState hostile;
      matprec_cblas_sgemm(kRow, kNo, kNo, 1, 1, 1, alpha, &a, 1, &b, 1, beta, &c, 1);
    }
    EXPECT_EQ(c, 0x1p-40f) << "beta " << beta;
  }
}

// parameter number -> a call in which just that one is wrong
struct Refusal {
  int layout = kRow, ta = kNo, tb = kNo, m = 2, n = 2, k = 2, lda = 2, ldb = 2, ldc = 2;
  const char* text;
};

class CblasSgemmRefuses : public ::testing::TestWithParam<Refusal> {};

TEST_P(CblasSgemmRefuses, BadArgumentsWithOneLineAndCUntouched) {
  const Refusal& r = GetParam();
  std::vector<float> a(8, 1.0f), c(8, 7.0f);
  ::testing::internal::CaptureStderr();
  matprec_cblas_sgemm(r.layout, r.ta, r.tb, r.m, r.n, r.k, 1, a.data(), r.lda, a.data(), r.ldb, 0,
                      c.data(), r.ldc);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "matprec_cblas_sgemm: parameter " + std::string(r.text) + "; the call did nothing\n");
  EXPECT_EQ(c, std::vector<float>(8, 7.0f));
}

INSTANTIATE_TEST_SUITE_P(
    All, CblasSgemmRefuses,
    ::testing::Values(Refusal{.layout = 100, .text = "1 (layout) has the illegal value 100"},
                      Refusal{.ta = 5, .text = "2 (trans_a) has the illegal value 5"},
                      Refusal{.tb = 114, .text = "3 (trans_b) has the illegal value 114"},
                      Refusal{.m = -1, .text = "4 (m) has the illegal value -1"},
                      Refusal{.n = -1, .text = "5 (n) has the illegal value -1"},
                      Refusal{.k = -2, .text = "6 (k) has the illegal value -2"},
                      Refusal{.lda = 1, .text = "9 (lda) has the illegal value 1"},
                      Refusal{.ldb = 0, .text = "11 (ldb) has the illegal value 0"},
                      Refusal{.ldc = 1, .text = "14 (ldc) has the illegal value 1"}));

TEST(CblasSgemm, NothingToDoReadsNoPointer) {
  matprec_cblas_sgemm(kRow, kNo, kNo, 0, 2, 2, 1, nullptr, 2, nullptr, 2, 0, nullptr, 2);
  float c = 5;
  matprec_cblas_sgemm(kRow, kNo, kNo, 1, 1, 1, 0, nullptr, 1, nullptr, 1, 1, &c, 1);
  EXPECT_EQ(c, 5.0f);
}

}  // namespace
}  // namespace matprec
