// Products of test matrices: by the scalar oracle, and by sums in float64.
#ifndef MATPREC_TESTS_SUPPORT_ORACLE_H_
#define MATPREC_TESTS_SUPPORT_ORACLE_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "matprec/dot_general.h"
#include "tests/support/random_matrix.h"

namespace matprec::testing {

inline DotDimensionNumbers matrix_product() {
  return {.lhs_contracting = {1}, .rhs_contracting = {0}, .lhs_batch = {}, .rhs_batch = {}};
}

// A * B in float32 by the scalar oracle.
inline Matrix oracle_product(DotAlgorithm algorithm, const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  reference_dot_general_into(c.view(), a.view(), b.view(), matrix_product(), algorithm);
  return c;
}

// A * B and |A| * |B| summed in float64: products of floats are exact there, and the sums err by at
// most K * 2^-53 of |A||B|, which no float32 result can notice.
struct Float64Product {
  std::vector<double> values, magnitudes;
};
inline Float64Product float64_product(const Matrix& a, const Matrix& b) {
  Float64Product p;
  p.values.assign(static_cast<std::size_t>(a.rows * b.columns), 0.0);
  p.magnitudes = p.values;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t k = 0; k < a.columns; ++k) {
      const double x = a.at(i, k);
      for (std::int64_t j = 0; j < b.columns; ++j) {
        const auto at = static_cast<std::size_t>(i * b.columns + j);
        const double product = x * b.at(k, j);
        p.values[at] += product;
        p.magnitudes[at] += std::abs(product);
      }
    }
  }
  return p;
}

// ||C - R||_F / ||R||_F.
inline double relative_frobenius_error(const Matrix& c, const std::vector<double>& reference) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double d = c.values[i] - reference[i];
    difference += d * d;
    norm += reference[i] * reference[i];
  }
  return std::sqrt(difference / norm);
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_ORACLE_H_
