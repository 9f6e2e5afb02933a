// matprec_cblas_sgemm: CBLAS's meaning of every argument, the bits of dot_general, and its refusals.
#include "matprec/c_api.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "matprec/dot_general.h"
#include "matprec/policy.h"
#include "tests/support/float_state.h"
#include "tests/support/oracle.h"
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

struct Shape {
  int m, n, k;
};
// A row or a column, as short as fits vectors or not, of one chunk or of several.
std::vector<Shape> vector_shapes() {
  std::vector<Shape> shapes;
  for (const int k : {1, 5, 128, 129, 300, 513, 1030}) {
    for (const int n : {1, 7, 9, 16, 17, 40, 300}) {
      shapes.push_back({1, n, k});
      shapes.push_back({n, 1, k});
    }
  }
  shapes.push_back({1, 20000, 3});
  shapes.push_back({9000, 1, 30});
  return shapes;
}

// `values` in lines `gap` elements longer; what lies between is NaN.
std::vector<float> with_gaps(const testing::Matrix& m, int gap) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < m.rows; ++i) {
    for (std::int64_t j = 0; j < m.columns; ++j) out.push_back(m.at(i, j));
    out.insert(out.end(), static_cast<std::size_t>(gap), std::numeric_limits<float>::quiet_NaN());
  }
  return out;
}

TEST(CblasSgemm, AVectorInEveryLayoutAndTransposeGivesTheBitsOfTheOracle) {
  for (const Shape& shape : vector_shapes()) {
    const int m = shape.m, n = shape.n, k = shape.k;
    const testing::Matrix a = testing::normal_matrix(m, k, 1), b = testing::normal_matrix(k, n, 2);
    const testing::Matrix expected = testing::oracle_product(DotAlgorithm::kF32_F32_F32, a, b);
    for (int way = 0; way < 16; ++way) {
      const int layout = (way & 1) != 0 ? kColumn : kRow, gap = (way & 8) != 0 ? 3 : 0;
      const int ta = (way & 2) != 0 ? kYes : kNo, tb = (way & 4) != 0 ? kYes : kNo;
      const testing::Matrix as = (layout == kRow) == (ta == kNo) ? a : testing::transposed(a);
      const testing::Matrix bs = (layout == kRow) == (tb == kNo) ? b : testing::transposed(b);
      const testing::Matrix cs = layout == kRow ? expected : testing::transposed(expected);
      std::vector<float> c(with_gaps(cs, gap).size(), 7.0f);
      matprec_cblas_sgemm(layout, ta, tb, m, n, k, 1, with_gaps(as, gap).data(), static_cast<int>(as.columns) + gap,
                          with_gaps(bs, gap).data(), static_cast<int>(bs.columns) + gap, 0, c.data(),
                          static_cast<int>(cs.columns) + gap);
      for (std::int64_t i = 0; i < cs.rows; ++i) {
        for (std::int64_t j = 0; j < cs.columns + gap; ++j) {
          const float got = c[static_cast<std::size_t>(i * (cs.columns + gap) + j)];
          ASSERT_EQ(got, j < cs.columns ? cs.at(i, j) : 7.0f)
              << m << "x" << n << "x" << k << ", layout " << layout << ", transposes " << ta << " " << tb << ", gap "
              << gap;
        }
      }
    }
  }
}

TEST(DotGeneralInto, AVectorInEveryPlaceGivesTheBitsOfTheOracle) {
  for (const Shape& shape : vector_shapes()) {
    const testing::Matrix a = testing::normal_matrix(shape.m, shape.k, 1);
    const testing::Matrix b = testing::normal_matrix(shape.k, shape.n, 2);
    const testing::Matrix at = testing::transposed(a), bt = testing::transposed(b);
    const testing::Matrix expected = testing::oracle_product(DotAlgorithm::kF32_F32_F32, a, b);
    // A view of it with both dimensions, or without the one of a single element.
    const auto views = [](const testing::Matrix& matrix, std::int64_t outer) {
      std::vector<TensorView> list = {matrix.view()};
      if (matrix.rows == 1 || matrix.columns == 1) {
        if (outer == 1) list.emplace_back(matrix.values.data(), ElementType::kF32, Dims{matrix.rows * matrix.columns});
      }
      return list;
    };
    for (int way = 0; way < 4; ++way) {
      const testing::Matrix &as = (way & 1) != 0 ? at : a, &bs = (way & 2) != 0 ? bt : b;
      for (const TensorView& x : views(as, shape.m)) {
        for (const TensorView& y : views(bs, shape.n)) {
          Dims out_shape;
          if (x.rank() == 2) out_shape.push_back(shape.m);
          if (y.rank() == 2) out_shape.push_back(shape.n);
          std::vector<float> out(expected.values.size(), 7.0f);
          dot_general_into(MutableTensorView(out.data(), ElementType::kF32, out_shape), x, y,
                           {.lhs_contracting = {x.rank() == 2 && (way & 1) == 0 ? 1 : 0},
                            .rhs_contracting = {y.rank() == 2 && (way & 2) != 0 ? 1 : 0}});
          ASSERT_EQ(out, expected.values) << shape.m << "x" << shape.n << "x" << shape.k << ", way " << way
                                          << ", ranks " << x.rank() << " " << y.rank();
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
