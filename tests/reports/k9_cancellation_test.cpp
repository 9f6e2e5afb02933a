// Kind K9: differences of large numbers that reduced products spoil: distances, kernels, rotations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/clean_environment.h"
#include "tests/support/products.h"

namespace matprec::testing {
namespace {

using enum DotAlgorithm;
constexpr DotAlgorithm kLikeFloat32[] = {kF32_F32_F32, kBF16_BF16_F32_X6, kBF16_BF16_F32_X9};

// |x|^2 + |y|^2 - 2xy of all pairs of rows, norms in float32.
Matrix squared_distances(const Matrix& x, DotAlgorithm algorithm) {
  Matrix d = product(x, transposed(x), algorithm);
  std::vector<float> norms;
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const Matrix row = rows_of(x, i, 1);
    norms.push_back(product(row, transposed(row), kF32_F32_F32).values[0]);
  }
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t j = 0; j < x.rows; ++j) {
      const float both = norms[static_cast<std::size_t>(i)] + norms[static_cast<std::size_t>(j)];
      d.at(i, j) = both - 2 * d.at(i, j);
    }
  }
  return d;
}

// pytorch#42479 (IL-47)
TEST(Cancellation, TheDistanceOfTwoLargeNumbers) {
  const Matrix x(2, 1, {5000, 6500});
  for (const DotAlgorithm algorithm :
       {kF32_F32_F32, kTF32_TF32_F32, kBF16_BF16_F32_X6, kBF16_BF16_F32_X9}) {
    EXPECT_EQ(squared_distances(x, algorithm).at(0, 1), 2250000) << to_string(algorithm);
  }
  EXPECT_EQ(squared_distances(x, kBF16_BF16_F32_X3).at(0, 1), 2250064);
  EXPECT_EQ(squared_distances(x, kBF16_BF16_F32).at(0, 1), 2393936);
}

double largest_distance_error(const Matrix& x, DotAlgorithm algorithm) {
  const Matrix got = squared_distances(x, algorithm);
  double largest = 0;
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t j = 0; j < x.rows; ++j) {
      double exact = 0;
      for (std::int64_t k = 0; k < x.columns; ++k) {
        const double d = static_cast<double>(x.at(i, k)) - x.at(j, k);
        exact += d * d;
      }
      largest = std::max(largest, std::abs(got.at(i, j) - exact));
    }
  }
  return largest;
}
// The report's data are random, so that its figures are met to half an order of magnitude.
::testing::AssertionResult about(double got, double quoted) {
  if (got > quoted / 3.2 && got < quoted * 3.2) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "got " << got << ", quoted " << quoted;
}

// pytorch#57690, RoMaV2#35 (IL-49)
TEST(Cancellation, ATableOfDistancesFarFromTheOrigin) {
  Matrix x = normal_matrix(64, 3, 0);
  for (float& value : x.values) value += 1000;
  EXPECT_TRUE(about(largest_distance_error(x, kBF16_BF16_F32), 1.5e4));
  EXPECT_TRUE(about(largest_distance_error(x, kTF32_TF32_F32), 2.4e3));
  EXPECT_TRUE(about(largest_distance_error(x, kBF16_BF16_F32_X3), 42));
  for (const DotAlgorithm a : kLikeFloat32) EXPECT_TRUE(about(largest_distance_error(x, a), .9));
}
TEST(Cancellation, DistancesFarFromTheOriginFallBelowZero) {
  Matrix x = normal_matrix(64, 3, 0);
  for (float& value : x.values) value += 1000;
  const auto smallest = [&](DotAlgorithm algorithm) {
    const Matrix d = squared_distances(x, algorithm);
    return *std::min_element(d.values.begin(), d.values.end());
  };
  EXPECT_NEAR(smallest(kBF16_BF16_F32), -12988, 1);
  EXPECT_NEAR(smallest(kTF32_TF32_F32), -1943, 1);
  EXPECT_NEAR(smallest(kF32_F32_F32), -.5, .01);
}
TEST(Cancellation, ATableOfDistancesAfterSubtractingTheMean) {
  Matrix x = normal_matrix(64, 3, 0);
  for (std::int64_t k = 0; k < 3; ++k) {
    double mean = 0;
    for (std::int64_t i = 0; i < 64; ++i) mean += x.at(i, k) / 64.0;
    for (std::int64_t i = 0; i < 64; ++i) x.at(i, k) = static_cast<float>(x.at(i, k) - mean);
  }
  EXPECT_TRUE(about(largest_distance_error(x, kBF16_BF16_F32), 5.7e-2));
  EXPECT_TRUE(about(largest_distance_error(x, kTF32_TF32_F32), 5.5e-3));
  EXPECT_TRUE(about(largest_distance_error(x, kBF16_BF16_F32_X3), 7.8e-5));
  for (const DotAlgorithm a : kLikeFloat32) EXPECT_TRUE(about(largest_distance_error(x, a), 2e-6));
}

using Symmetric = std::vector<std::vector<double>>;

// exp(-d^2/2) + 0.001 I in float64, of the points 100 + 0.3 i.
Symmetric kernel_matrix(DotAlgorithm algorithm) {
  Matrix x(11, 1);
  for (std::int64_t i = 0; i < 11; ++i)
    x.at(i, 0) = static_cast<float>(100 + .3 * static_cast<double>(i));
  const Matrix d = squared_distances(x, algorithm);
  Symmetric kernel(11, std::vector<double>(11));
  for (std::size_t i = 0; i < 11; ++i) {
    for (std::size_t j = 0; j < 11; ++j) {
      kernel[i][j] = std::exp(-d.values[i * 11 + j] / 2.0) + (i == j ? 1e-3 : 0);
    }
  }
  return kernel;
}

// Cyclic Jacobi rotations (Golub and Van Loan, 8.5).
double smallest_eigenvalue(Symmetric a) {
  const std::size_t n = a.size();
  for (int sweep = 0; sweep < 30; ++sweep) {
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p][q] == 0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = std::copysign(1, theta) / (std::abs(theta) + std::hypot(1, theta));
        const double c = 1 / std::hypot(1, t), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double kp = a[k][p], kq = a[k][q];
          a[k][p] = c * kp - s * kq;
          a[k][q] = s * kp + c * kq;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - s * qk;
          a[q][k] = s * pk + c * qk;
        }
      }
    }
  }
  double smallest = a[0][0];
  for (std::size_t i = 1; i < n; ++i) smallest = std::min(smallest, a[i][i]);
  return smallest;
}

bool cholesky_succeeds(Symmetric a) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    for (std::size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    if (!(a[j][j] > 0)) return false;
    a[j][j] = std::sqrt(a[j][j]);
    for (std::size_t i = j + 1; i < a.size(); ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  return true;
}

// botorch#944, GPflow#900 (IL-50)
TEST(Cancellation, TheSmallestEigenvalueOfAKernelMatrix) {
  const auto of = [](DotAlgorithm a) { return smallest_eigenvalue(kernel_matrix(a)); };
  EXPECT_NEAR(of(kF32_F32_F32), 3.6e-4, 0.05e-4);
  EXPECT_NEAR(of(kBF16_BF16_F32_X9), 3.6e-4, 0.05e-4);
  EXPECT_NEAR(of(kBF16_BF16_F32_X6), 4e-4, 0.5e-4);
  EXPECT_NEAR(of(kTF32_TF32_F32), -7.5e-5, 0.05e-5);
  EXPECT_NEAR(of(kBF16_BF16_F32_X3), -.12, 0.005);
}
TEST(Cancellation, CholeskyOfAKernelMatrixSucceedsInFloat32AndItsEquals) {
  for (const DotAlgorithm good : kLikeFloat32) {
    EXPECT_TRUE(cholesky_succeeds(kernel_matrix(good))) << to_string(good);
  }
  for (const DotAlgorithm bad : {kTF32_TF32_F32, kBF16_BF16_F32_X3}) {
    EXPECT_FALSE(cholesky_succeeds(kernel_matrix(bad))) << to_string(bad);
  }
}
// Under bf16 squared distances fall to -80, and what should be a 1 on the diagonal is e^40. LAPACK
// finds a smallest eigenvalue of -10 there, which is its rounding error (2^-53 of 5e17 is 56); the
// exact one is positive, so that neither its sign nor Cholesky's success says anything. The entries
// do.
TEST(Cancellation, AKernelMatrixUnderOneBFloat16PassIsNoKernelMatrix) {
  const auto largest = [](DotAlgorithm algorithm) {
    double entry = 0;
    for (const std::vector<double>& row : kernel_matrix(algorithm)) {
      entry = std::max(entry, *std::max_element(row.begin(), row.end()));
    }
    return entry;
  };
  EXPECT_NEAR(largest(kF32_F32_F32), 1.001, 1e-3);
  EXPECT_GT(largest(kBF16_BF16_F32), 1e17);
}

// jax#13224 (IL-51)
TEST(Cancellation, TheResidualOfASolvedSystemOfIntegers) {
  const double x[3][3] = {{280, 361, 145}, {361, 657, 247}, {145, 247, 99}};
  Matrix a(3, 3), v(3, 3);
  double determinant = 0;
  const auto cofactor = [&](int i, int j) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    return x[i1][j1] * x[i2][j2] - x[i1][j2] * x[i2][j1];
  };
  for (int j = 0; j < 3; ++j) determinant += x[0][j] * cofactor(0, j);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      a.at(i, j) = static_cast<float>(x[i][j]);
      v.at(i, j) = static_cast<float>(cofactor(j, i) / determinant);
    }
  }
  const auto residual = [&](DotAlgorithm algorithm) {
    const Matrix r = product(a, v, algorithm);
    double largest = 0;
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) {
        largest = std::max(largest, std::abs(r.at(i, j) - (i == j ? 1.0 : 0.0)));
      }
    }
    return largest;
  };
  EXPECT_NEAR(residual(kBF16_BF16_F32), 7.8e-2, 0.05e-2);
  EXPECT_NEAR(residual(kTF32_TF32_F32), 4.4e-3, 0.05e-3);
  EXPECT_NEAR(residual(kBF16_BF16_F32_X3), 1.1e-4, 0.05e-4);
  EXPECT_NEAR(residual(kF32_F32_F32), 1.3e-6, 0.05e-6);
  EXPECT_NEAR(residual(kBF16_BF16_F32_X9), 1.3e-6, 0.05e-6);
  EXPECT_LE(residual(kBF16_BF16_F32_X6), 4e-6);
}

// pytorch#79270, pytorch#61890, pytorch#58434 (IL-52)
TEST(Cancellation, ARigidTransformThereAndBack) {
  Matrix points = normal_matrix(1024, 4, 0);
  for (std::int64_t i = 0; i < 1024; ++i) {
    for (std::int64_t k = 0; k < 3; ++k) points.at(i, k) *= 500;
    points.at(i, 3) = 1;
  }
  Matrix there = identity(4), back = identity(4);
  there.at(3, 2) = 1000;
  back.at(3, 2) = -1000;
  const auto mean_square = [&](DotAlgorithm algorithm) {
    const Matrix returned = product(product(points, there, algorithm), back, algorithm);
    double sum = 0;
    for (std::int64_t i = 0; i < 1024; ++i) {
      for (std::int64_t k = 0; k < 3; ++k) {
        const double d = static_cast<double>(returned.at(i, k)) - points.at(i, k);
        sum += d * d;
      }
    }
    return sum / 1024;  // a squared distance a point
  };
  for (const DotAlgorithm a : kLikeFloat32) EXPECT_TRUE(about(mean_square(a), 1e-9));
  EXPECT_TRUE(about(mean_square(kBF16_BF16_F32_X3), 9.5e-6));
  EXPECT_TRUE(about(mean_square(kTF32_TF32_F32), 7.5e-2));
  EXPECT_TRUE(about(mean_square(kBF16_BF16_F32), 4.5));
}

}  // namespace
}  // namespace matprec::testing
