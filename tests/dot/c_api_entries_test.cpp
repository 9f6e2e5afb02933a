// The other C entries, and that small products obey scopes and traces as large ones do.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "matprec/c_api.h"
#include "matprec/convert.h"
#include "matprec/dot_general.h"
#include "matprec/error.h"
#include "matprec/explain.h"
#include "matprec/policy.h"
#include "tests/support/random_matrix.h"

namespace matprec {
namespace {

constexpr int kRow = 101, kColumn = 102, kNo = 111, kYes = 112;

struct Size {
  int m, n, k;
};
constexpr Size kSizes[] = {{4, 4, 4}, {5, 9, 11}, {1, 300, 300}, {300, 1, 300}, {64, 64, 64}, {150, 140, 130}};

std::vector<double> doubles(const testing::Matrix& a) { return {a.values.begin(), a.values.end()}; }

TEST(CEntries, DgemmGivesTheBitsOfDotGeneralInEveryLayoutAndTranspose) {
  for (const auto& [m, n, k] : kSizes) {
    const testing::Matrix a = testing::normal_matrix(m, k, 1), b = testing::normal_matrix(k, n, 2);
    const std::vector<double> da = doubles(a), db = doubles(b);
    const std::vector<double> dat = doubles(testing::transposed(a)), dbt = doubles(testing::transposed(b));
    const Tensor expected = matmul(TensorView(da.data(), {m, k}), TensorView(db.data(), {k, n}));
    for (int layout : {kRow, kColumn}) {
      for (int ta : {kNo, kYes}) {
        for (int tb : {kNo, kYes}) {
          const bool a_as_is = (layout == kRow) == (ta == kNo), b_as_is = (layout == kRow) == (tb == kNo);
          std::vector<double> c(static_cast<std::size_t>(m * n), -1.0);
          matprec_cblas_dgemm(layout, ta, tb, m, n, k, 1, a_as_is ? da.data() : dat.data(), a_as_is ? k : m,
                              b_as_is ? db.data() : dbt.data(), b_as_is ? n : k, 0, c.data(),
                              layout == kRow ? n : m);
          for (int i = 0; i < m; ++i) {
            for (int j = 0; j < n; ++j) {
              ASSERT_EQ(c[static_cast<std::size_t>(layout == kRow ? i * n + j : j * m + i)],
                        expected.data<double>()[i * n + j]);
            }
          }
        }
      }
    }
  }
}

TEST(CEntries, Bfloat16OperandsGiveTheBitsOfDotGeneral) {
  for (const auto& [m, n, k] : kSizes) {
    const testing::Matrix a = testing::normal_matrix(m, k, 1), b = testing::normal_matrix(k, n, 2);
    const Tensor ha = convert(a.view(), ElementType::kBF16), hb = convert(b.view(), ElementType::kBF16);
    DotOptions options;
    options.preferred_element_type = ElementType::kF32;
    const Tensor expected = matmul(ha, hb, options);
    std::vector<float> c(static_cast<std::size_t>(m * n), -1.0f);
    matprec_cblas_gemm_bf16bf16f32(kRow, kNo, kNo, m, n, k, 1, static_cast<const unsigned short*>(ha.data()), k,
                                   static_cast<const unsigned short*>(hb.data()), n, 0, c.data(), n);
    EXPECT_EQ(std::memcmp(c.data(), expected.data(), c.size() * sizeof(float)), 0) << m << " " << n << " " << k;
  }
}

TEST(CEntries, BatchesGiveTheBitsOfSingleProducts) {
  for (const auto& [m, n, k] : kSizes) {
    constexpr int kCount = 5;
    const testing::Matrix a = testing::normal_matrix(kCount * m, k, 1), b = testing::normal_matrix(kCount * k, n, 2);
    for (const float beta : {0.0f, 0.5f}) {
      const std::size_t size = static_cast<std::size_t>(kCount * m * n);
      std::vector<float> expected(size, 2.0f), strided = expected, each = expected;
      std::vector<const float*> as, bs;
      std::vector<float*> cs;
      for (int i = 0; i < kCount; ++i) {
        matprec_cblas_sgemm(kRow, kNo, kNo, m, n, k, 0.75f, a.values.data() + i * m * k, k,
                            b.values.data() + i * k * n, n, beta, expected.data() + i * m * n, n);
        as.push_back(a.values.data() + i * m * k);
        bs.push_back(b.values.data() + i * k * n);
        cs.push_back(each.data() + i * m * n);
      }
      matprec_cblas_sgemm_batch_strided(kRow, kNo, kNo, m, n, k, 0.75f, a.values.data(), k, m * k, b.values.data(),
                                        n, k * n, beta, strided.data(), n, m * n, kCount);
      EXPECT_EQ(strided, expected);
      const int no = kNo;
      const float alpha = 0.75f;
      const int count = kCount;
      matprec_cblas_sgemm_batch(kRow, &no, &no, &m, &n, &k, &alpha, as.data(), &k, bs.data(), &n, &beta, cs.data(),
                                &n, 1, &count);
      EXPECT_EQ(each, expected);
    }
  }
}

TEST(CEntries, BatchesMayShareOperandsAndInterleaveResults) {
  const std::vector<float> a = {1, 2, 3, 4}, b = {1, 0, 0, 1, 2, 0, 0, 2};
  std::vector<float> c(8, 9);
  // Two results side by side in rows of four.
  matprec_cblas_sgemm_batch_strided(kRow, kNo, kNo, 2, 2, 2, 1, a.data(), 2, 0, b.data(), 2, 4, 0, c.data(), 4, 2, 2);
  EXPECT_EQ(c, (std::vector<float>{1, 2, 2, 4, 3, 4, 6, 8}));
}

TEST(CEntries, RefuseWithOneLineAndWriteNothing) {
  std::vector<float> a(8, 1.0f), c(8, 7.0f);
  const std::vector<float> before = c;
  const auto refusal = [](const auto& call) {
    ::testing::internal::CaptureStderr();
    call();
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(refusal([&] {
              matprec_cblas_sgemm_batch_strided(kRow, kNo, kNo, 2, 2, 2, 1, a.data(), 2, 0, a.data(), 2, 0, 0,
                                                c.data(), 2, 3, 2);
            }),
            "matprec_cblas_sgemm_batch_strided: parameter 17 (stridec) has the value 3, by which results share "
            "elements; the call did nothing\n");
  EXPECT_EQ(refusal([&] {
              matprec_cblas_sgemm_batch_strided(kRow, kNo, kNo, 2, 2, 2, 1, a.data(), 2, 0, a.data(), 2, 0, 0,
                                                c.data(), 1, 4, 2);
            }),
            "matprec_cblas_sgemm_batch_strided: parameter 16 (ldc) has the illegal value 1; the call did nothing\n");
  EXPECT_EQ(refusal([&] {
              matprec_cblas_sgemm_batch_strided(kRow, kNo, kNo, 2, 2, 2, 1, a.data(), 2, 0, a.data(), 2, 0, 0,
                                                c.data(), 2, 4, -1);
            }),
            "matprec_cblas_sgemm_batch_strided: parameter 18 (batch_size) has the illegal value -1; the call did "
            "nothing\n");
  EXPECT_EQ(refusal([&] {
              matprec_cblas_sgemm(kRow, kNo, kNo, 2, 2, 2, 1, a.data(), 2, nullptr, 2, 0, c.data(), 2);
            }),
            "matprec_cblas_sgemm: parameter 10 (b) is a null pointer; the call did nothing\n");
  // The second group is wrong: the first is not computed either.
  const int no[] = {kNo, kNo}, two[] = {2, 2}, ld[] = {2, 1}, one[] = {1, 1};
  const float alpha[] = {1, 1}, beta[] = {0, 0};
  const float* as[] = {a.data(), a.data()};
  float* cs[] = {c.data(), c.data() + 4};
  EXPECT_EQ(refusal([&] {
              matprec_cblas_sgemm_batch(kRow, no, no, two, two, two, alpha, as, ld, as, two, beta, cs, two, 2, one);
            }),
            "matprec_cblas_sgemm_batch: parameter 9 (lda) has the illegal value 1; the call did nothing\n");
  EXPECT_EQ(c, before);
}

// A product of a few elements goes the shortest way; it must not pass by anybody who chose or listens.
TEST(SmallProducts, ObeyScopesDefaultsAndTraces) {
  const float x = 1.00390625f, one = 1;  // rounds to 1 in bfloat16
  const auto by_c = [&] {
    float c = 0;
    matprec_cblas_sgemm(kRow, kNo, kNo, 1, 1, 1, 1, &one, 1, &x, 1, 0, &c, 1);
    return c;
  };
  const auto by_view = [&] {
    float c = 0;
    dot_general_into(MutableTensorView(&c, {1, 1}), TensorView(&one, {1, 1}), TensorView(&x, {1, 1}),
                     {{1}, {0}, {}, {}});
    return c;
  };
  EXPECT_EQ(by_c(), x);
  EXPECT_EQ(by_view(), x);
  {
    const ScopedPrecision scope("bf16");
    EXPECT_EQ(by_c(), 1.0f);
    EXPECT_EQ(by_view(), 1.0f);
  }
  EXPECT_EQ(by_c(), x);
  EXPECT_EQ(by_view(), x);
  set_default_precision("bf16");
  EXPECT_EQ(by_c(), 1.0f);
  EXPECT_EQ(by_view(), 1.0f);
  set_default_precision(PrecisionRequest());
  EXPECT_EQ(by_c(), x);

  std::vector<std::string> seen;
  set_trace_callback([&](const TraceEvent& event) { seen.emplace_back(event.op); });
  by_c();
  by_view();
  set_trace_callback(nullptr);
  by_c();
  EXPECT_EQ(seen, (std::vector<std::string>{"matprec_cblas_sgemm", "dot_general"}));
}

TEST(SmallProducts, RefuseWhatLargeOnesRefuse) {
  std::vector<float> a(16, 1.0f), c(16, 7.0f);
  const TensorView view(a.data(), {4, 4});
  const DotDimensionNumbers numbers = {{1}, {0}, {}, {}};
  dot_general_into(MutableTensorView(c.data(), {4, 4}), view, view, numbers);  // the environment is known now
  std::vector<float> shared(32, 1.0f);
  const TensorView operand(shared.data(), {4, 4});
  EXPECT_THROW(dot_general_into(MutableTensorView(shared.data() + 15, {4, 4}), operand, view, numbers), Error);
  EXPECT_THROW(dot_general_into(MutableTensorView(c.data(), {4, 4}, {3, 1}), view, view, numbers), Error);
  EXPECT_THROW(dot_general_into(MutableTensorView(c.data(), {4, 3}), view, view, numbers), Error);
  const ScopedRequirement requirement("fp64");
  EXPECT_THROW(dot_general_into(MutableTensorView(c.data(), {4, 4}), view, view, numbers), Error);
}

}  // namespace
}  // namespace matprec
