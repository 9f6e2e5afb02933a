// Eigen products of complex and integer matrices: the bits of dot_general, conjugates, factors,
// updates.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "matprec/eigen.h"
#include "matprec/matprec.h"
#include "tests/support/clean_environment.h"
#include "tests/support/eigen_matrices.h"

namespace {

namespace mp = matprec;
using matprec::testing::normal;
using Complex = std::complex<float>;
using Eigen::MatrixXcf;
template <class T>
using MatrixOf = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using RowsOf = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// lhs * rhs by dot_general of gapless row-major arrays.
template <class Out, class Lhs, class Rhs>
RowsOf<Out> plain(const mp::PrecisionRequest& precision, const RowsOf<Lhs>& lhs,
                  const RowsOf<Rhs>& rhs) {
  const mp::Tensor c =
      mp::dot_general(mp::TensorView(lhs.data(), {lhs.rows(), lhs.cols()}),
                      mp::TensorView(rhs.data(), {rhs.rows(), rhs.cols()}),
                      {.lhs_contracting = {1}, .rhs_contracting = {0}}, {.precision = precision});
  return Eigen::Map<const RowsOf<Out>>(c.data<Out>(), lhs.rows(), rhs.cols());
}
template <class T>
RowsOf<T> rows(const MatrixOf<T>& m) {
  return m;
}
// lhs * rhs by plain loops, which compile faster than Eigen's product of yet another type.
template <class T>
MatrixOf<T> sums(const MatrixOf<T>& lhs, const MatrixOf<T>& rhs) {
  MatrixOf<T> result(lhs.rows(), rhs.cols());
  for (Eigen::Index i = 0; i < lhs.rows(); ++i) {
    for (Eigen::Index j = 0; j < rhs.cols(); ++j) {
      T sum = T(0);
      for (Eigen::Index k = 0; k < lhs.cols(); ++k) sum += lhs(i, k) * rhs(k, j);
      result(i, j) = sum;
    }
  }
  return result;
}

MatrixXcf complex_normal(Eigen::Index r, Eigen::Index c, std::uint64_t seed) {
  MatrixXcf m(r, c);
  m.real() = normal(r, c, seed);
  m.imag() = normal(r, c, seed + 1000);
  return m;
}

TEST(EigenComplex, GivesTheBitsOfPlainArrays) {
  const MatrixXcf a = complex_normal(17, 140, 1), b = complex_normal(140, 9, 2);
  for (const char* algorithm : {"bf16", "tf32", "bf16x3", "fp32"}) {
    const RowsOf<Complex> expected = plain<Complex>(algorithm, rows<Complex>(a), rows<Complex>(b));
    EXPECT_EQ(mp::matmul(a, b, {.precision = algorithm}), expected) << algorithm;
    const MatrixXcf c = mp::with(algorithm, a * b);
    EXPECT_EQ(c, expected) << algorithm;
  }
}

TEST(EigenComplex, ConjugatesAndAdjoints) {
  const MatrixXcf a = complex_normal(140, 17, 3), b = complex_normal(140, 9, 4);
  const RowsOf<Complex> expected =
      plain<Complex>("tf32", rows<Complex>(a.adjoint()), rows<Complex>(b));
  EXPECT_EQ(mp::matmul(a.adjoint(), b, {.precision = "tf32"}), expected);
  const MatrixXcf c = mp::with("tf32", a.adjoint() * b);
  EXPECT_EQ(c, expected);
  const MatrixXcf d = mp::with("tf32", a.conjugate().transpose() * b);
  EXPECT_EQ(d, expected);
  const MatrixXcf e = mp::with("tf32", a.transpose() * b.conjugate());
  EXPECT_EQ(e, expected.conjugate());
  EXPECT_NE(MatrixXcf(mp::with("tf32", a.transpose() * b)), expected);
}

TEST(EigenComplex, FactorsAndUpdates) {
  const MatrixXcf a = complex_normal(8, 60, 5), b = complex_normal(60, 7, 6),
                  c0 = complex_normal(8, 7, 7);
  const Complex factor(0.3f, -1.7f);
  const MatrixXcf product = mp::matmul(a, b);
  const auto expect_near = [&](const MatrixXcf& got, const MatrixXcf& expected) {
    EXPECT_LT((got - expected).norm(), 1e-5f * expected.norm());
  };
  MatrixXcf c = c0;
  c += mp::with("fp32", factor * a * b);
  expect_near(c, c0 + factor * product);
  c = c0;
  c -= mp::with("fp32", a * b);
  expect_near(c, c0 - product);
  c = mp::with("fp32", 2.0f * a * -b);
  expect_near(c, -2 * product);
}

TEST(EigenComplex, RealByComplex) {
  const Eigen::MatrixXf a = normal(5, 30, 8);
  const MatrixXcf b = complex_normal(30, 6, 9);
  const RowsOf<Complex> expected = plain<Complex>("tf32", RowsOf<float>(a), rows<Complex>(b));
  EXPECT_EQ(mp::matmul(a, b, {.precision = "tf32"}), expected);
  const MatrixXcf c = mp::with("tf32", a * b);
  EXPECT_EQ(c, expected);
  MatrixXcf real(5, 5);
  real = mp::with("tf32", a * a.transpose()).cast<Complex>();
  EXPECT_EQ(real.imag().norm(), 0);
}

TEST(EigenComplex, DoubleRunsInDouble) {
  const Eigen::MatrixXcd a = complex_normal(5, 30, 10).cast<std::complex<double>>();
  const Eigen::MatrixXcd c = mp::matmul(a, a.adjoint());
  EXPECT_LT((c - sums<std::complex<double>>(a, a.adjoint())).norm(), 1e-13 * c.norm());
}

template <class Lhs, class Rhs>
void expect_integer_product() {
  MatrixOf<Lhs> a(9, 300);
  MatrixOf<Rhs> b(300, 7);
  for (Eigen::Index i = 0; i < a.size(); ++i) a(i) = static_cast<Lhs>(i * 37 % 251);
  for (Eigen::Index i = 0; i < b.size(); ++i) b(i) = static_cast<Rhs>(i * 91 % 253);
  const Eigen::MatrixXi expected = sums<int>(a.template cast<int>(), b.template cast<int>());
  const Eigen::MatrixXi got = mp::matmul(a, b);
  EXPECT_EQ(got, expected);
  const Eigen::MatrixXi transposed = mp::matmul(b.transpose(), a.transpose());
  EXPECT_EQ(transposed, expected.transpose());
}

TEST(EigenIntegers, GiveInt32) {
  expect_integer_product<std::int8_t, std::int8_t>();
  expect_integer_product<std::uint8_t, std::uint8_t>();
  expect_integer_product<std::uint8_t, std::int8_t>();
  expect_integer_product<std::int32_t, std::int32_t>();
  static_assert(
      std::is_same_v<decltype(mp::matmul(MatrixOf<std::int8_t>(), MatrixOf<std::int8_t>()))::Scalar,
                     std::int32_t>);
}

TEST(EigenIntegers, UpdateAndFactorAsEigenDoes) {
  const Eigen::MatrixXi a = Eigen::MatrixXi::Constant(4, 30, 3),
                        b = Eigen::MatrixXi::Constant(30, 5, -7);
  Eigen::MatrixXi c = Eigen::MatrixXi::Constant(4, 5, 11);
  c += mp::with({}, 2 * a * b);
  EXPECT_EQ(c, Eigen::MatrixXi::Constant(4, 5, 11 - 1260));
  c -= mp::with({}, a * -b);
  EXPECT_EQ(c, Eigen::MatrixXi::Constant(4, 5, 11 - 1260 - 630));
  c.topRows(2) = mp::with({}, c.topRows(2) * Eigen::MatrixXi::Identity(5, 5));
  EXPECT_EQ(c, Eigen::MatrixXi::Constant(4, 5, 11 - 1260 - 630));
}

template <class Lhs, class Rhs>
void expect_default_type() {
  EXPECT_EQ(mp::element_type_of<decltype(mp::detail::result_scalar<Lhs, Rhs>())>,
            mp::result_type(mp::element_type_of<Lhs>, mp::element_type_of<Rhs>))
      << mp::to_string(mp::element_type_of<Lhs>) << ' ' << mp::to_string(mp::element_type_of<Rhs>);
}
template <class Lhs>
void expect_default_types_with_complex() {
  expect_default_type<Lhs, Complex>();
  expect_default_type<Lhs, std::complex<double>>();
  expect_default_type<Complex, Lhs>();
}
template <class Lhs>
void expect_default_types_with_integers() {
  expect_default_type<Lhs, std::int8_t>();
  expect_default_type<Lhs, std::uint8_t>();
  expect_default_type<Lhs, std::int32_t>();
}
TEST(EigenTypes, HaveTheResultTypesOfTheLibrary) {
  expect_default_types_with_complex<double>();
  expect_default_types_with_complex<float>();
  expect_default_types_with_complex<Eigen::bfloat16>();
  expect_default_types_with_complex<Eigen::half>();
  expect_default_types_with_complex<Complex>();
  expect_default_types_with_integers<std::int8_t>();
  expect_default_types_with_integers<std::uint8_t>();
  expect_default_types_with_integers<std::int32_t>();
  expect_default_type<mp::Float8E4M3FN, mp::Float8E5M2>();
  expect_default_type<mp::Float8E5M2, mp::Float8E5M2>();
}

// Complex arithmetic on the factors would make Inf * 1 a NaN.
TEST(EigenFactors, InfiniteRealOnesStayReal) {
  const Eigen::MatrixXf a = Eigen::MatrixXf::Ones(2, 3), b = Eigen::MatrixXf::Ones(3, 2);
  const float inf = std::numeric_limits<float>::infinity();
  const Eigen::MatrixXf c = mp::with("fp32", inf * a * b);
  EXPECT_EQ(c(1, 1), inf);
  EXPECT_EQ(mp::matmul(-inf * a, 2 * b)(0, 1), -inf);
  EXPECT_TRUE(std::isnan(mp::matmul(std::nanf("") * a, b)(0, 0)));
}

}  // namespace
