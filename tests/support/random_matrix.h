// Matrices of seeded random numbers, the same on every machine and with every standard library.
#ifndef MATPREC_TESTS_SUPPORT_RANDOM_MATRIX_H_
#define MATPREC_TESTS_SUPPORT_RANDOM_MATRIX_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "matprec/tensor.h"

namespace matprec::testing {

// A float32 matrix in row-major order.
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<float> values;

  Matrix(std::int64_t r, std::int64_t c)
      : rows(r), columns(c), values(static_cast<std::size_t>(r * c)) {}
  Matrix(std::int64_t r, std::int64_t c, std::vector<float> v)
      : rows(r), columns(c), values(std::move(v)) {}

  float& at(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i * columns + j)];
  }
  float at(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * columns + j)];
  }
  TensorView view() const { return {values.data(), {rows, columns}, {columns, 1}}; }
  MutableTensorView view() { return {values.data(), {rows, columns}, {columns, 1}}; }
};

inline Matrix transposed(const Matrix& m) {
  Matrix t(m.columns, m.rows);
  for (std::int64_t i = 0; i < m.rows; ++i) {
    for (std::int64_t j = 0; j < m.columns; ++j) t.at(j, i) = m.at(i, j);
  }
  return t;
}

// SplitMix64 (Steele, Lea and Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // Uniform in 0..n-1.
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n));
  }
  // Standard normal (Box and Muller 1958).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

inline Matrix normal_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Matrix m(rows, columns);
  Random random(seed);
  for (float& x : m.values) x = static_cast<float>(random.normal());
  return m;
}

inline Matrix uniform_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Matrix m(rows, columns);
  Random random(seed);
  for (float& x : m.values) x = static_cast<float>(random.uniform());
  return m;
}

// Magnitudes spread evenly over 2^-exponent .. 2^exponent, both signs.
inline Matrix wide_matrix(std::int64_t rows, std::int64_t columns, int exponent,
                          std::uint64_t seed) {
  Matrix m(rows, columns);
  Random random(seed);
  for (float& x : m.values) {
    const double size = std::exp2((2 * random.uniform() - 1) * exponent);
    x = static_cast<float>(random.below(2) == 0 ? size : -size);
  }
  return m;
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_RANDOM_MATRIX_H_
