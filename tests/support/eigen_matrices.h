// Eigen matrices in tests: seeded values, the expected product of plain arrays, comparison by bits.
#ifndef MATPREC_TESTS_SUPPORT_EIGEN_MATRICES_H_
#define MATPREC_TESTS_SUPPORT_EIGEN_MATRICES_H_

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "matprec/dot_general.h"
#include "tests/support/bits.h"
#include "tests/support/oracle.h"
#include "tests/support/random_matrix.h"

namespace matprec::testing {

using RowMajorMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::MatrixXf normal(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Matrix m = normal_matrix(rows, columns, seed);
  return Eigen::Map<RowMajorMatrix>(m.values.data(), rows, columns);
}

// alpha * lhs * rhs + beta * c by dot_general_into on gapless row-major arrays that hold the
// values.
inline RowMajorMatrix plain_product(const PrecisionRequest& precision, const RowMajorMatrix& lhs,
                                    const RowMajorMatrix& rhs, double alpha = 1, double beta = 0,
                                    const RowMajorMatrix& c = {}) {
  RowMajorMatrix out = RowMajorMatrix::Zero(lhs.rows(), rhs.cols());
  if (beta != 0) out = c;
  dot_general_into(MutableTensorView(out.data(), {out.rows(), out.cols()}),
                   TensorView(lhs.data(), {lhs.rows(), lhs.cols()}),
                   TensorView(rhs.data(), {rhs.rows(), rhs.cols()}), matrix_product(),
                   {.precision = precision}, {.alpha = alpha, .beta = beta});
  return out;
}

// Success if both hold the same shape and the same bits.
inline ::testing::AssertionResult equal(const RowMajorMatrix& got, const RowMajorMatrix& expected) {
  if (got.rows() != expected.rows() || got.cols() != expected.cols()) {
    return ::testing::AssertionFailure()
           << "shape (" << got.rows() << ", " << got.cols() << "), expected (" << expected.rows()
           << ", " << expected.cols() << ")";
  }
  const auto values = [](const RowMajorMatrix& m) {
    return std::span<const float>(m.data(), static_cast<std::size_t>(m.size()));
  };
  return same_bits(values(got), values(expected));
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_EIGEN_MATRICES_H_
