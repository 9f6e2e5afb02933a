// matmul() and with() of Eigen expressions: the bits of dot_general, destinations, aliasing,
// errors.
#include "matprec/eigen.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "matprec/matprec.h"
#include "tests/support/clean_environment.h"
#include "tests/support/eigen_matrices.h"
#include "tests/support/error_of.h"

namespace {

namespace mp = matprec;
using Eigen::MatrixXf;
using Eigen::VectorXf;
using matprec::testing::equal;
using matprec::testing::error_of;
using matprec::testing::normal;
using matprec::testing::plain_product;
using matprec::testing::RowMajorMatrix;
using Bf16Matrix = Eigen::Matrix<Eigen::bfloat16, Eigen::Dynamic, Eigen::Dynamic>;
using HalfMatrix = Eigen::Matrix<Eigen::half, Eigen::Dynamic, Eigen::Dynamic>;

constexpr std::array kAlgorithms = {"bf16", "tf32", "bf16x3", "fp32"};

// Both functions, column- and row-major results, against plain arrays.
template <class Lhs, class Rhs>
void expect_bits(const char* what, const Lhs& lhs, const Rhs& rhs) {
  for (const char* algorithm : kAlgorithms) {
    SCOPED_TRACE(std::string(what) + " under " + algorithm);
    const RowMajorMatrix expected = plain_product(algorithm, lhs, rhs);
    EXPECT_TRUE(equal(mp::matmul(lhs, rhs, {.precision = algorithm}), expected));
    const MatrixXf columns = mp::with(algorithm, lhs * rhs);
    EXPECT_TRUE(equal(columns, expected));
    const RowMajorMatrix rows = mp::with(algorithm, lhs * rhs);
    EXPECT_TRUE(equal(rows, expected));
  }
}

TEST(EigenOperands, LeftOnesOfEveryKindGiveTheBitsOfPlainArrays) {
  const MatrixXf a = normal(37, 150, 1), wide = normal(80, 320, 2), b = normal(150, 19, 3);
  const RowMajorMatrix a_rows = a;
  const MatrixXf a_transposed = a.transpose();
  using Strided = Eigen::Map<const MatrixXf, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
  const Strided strided(wide.data(), 37, 150, {160, 2});
  const Eigen::Ref<const MatrixXf> ref(wide.block(3, 4, 37, 150));
  expect_bits("MatrixXf", a, b);
  expect_bits("row-major", a_rows, b);
  expect_bits("transpose", a_transposed.transpose(), b);
  expect_bits("adjoint of a real matrix", a_transposed.adjoint(), b);
  expect_bits("block", wide.block(5, 7, 37, 150), b);
  expect_bits("block of a transpose", wide.transpose().block(5, 7, 37, 70), b.topRows(70));
  expect_bits("transpose of a block", wide.block(1, 2, 70, 37).transpose(), b.topRows(70));
  expect_bits("transpose of a transpose", a.transpose().transpose(), b);
  expect_bits("Map with two strides", strided, b);
  expect_bits("block of a Map", strided.block(1, 2, 30, 100), b.middleRows(9, 100));
  expect_bits("Ref", ref, b);
  expect_bits("row", a.row(3), b);
  expect_bits("row of a row-major matrix", a_rows.row(3), b);
  expect_bits("column", a.col(3), b.row(2));
  expect_bits("diagonal", a.diagonal(), b.row(2));
  expect_bits("transposed diagonal", a.leftCols(37).diagonal().transpose(), b.topRows(37));
  expect_bits("sum", 2 * a + wide.topLeftCorner(37, 150), b);
  expect_bits("reversed", a.reverse(), b);
  expect_bits("absolute values", a.cwiseAbs(), b);
  expect_bits("array as matrix", a.array().matrix(), b);
}

TEST(EigenOperands, RightOnesOfEveryKindGiveTheBitsOfPlainArrays) {
  const MatrixXf a = normal(21, 130, 4), b = normal(130, 40, 5), wide = normal(300, 90, 6);
  const RowMajorMatrix b_rows = b;
  const Eigen::Map<const RowMajorMatrix, 0, Eigen::OuterStride<>> padded(wide.data(), 130, 40,
                                                                         Eigen::OuterStride<>(67));
  expect_bits("row-major", a, b_rows);
  expect_bits("row-major Map with gaps", a, padded);
  expect_bits("transpose", a,
              wide.block(2, 3, 40, 87).transpose().eval().replicate(2, 1).topRows(130));
  expect_bits("block", a, wide.block(100, 11, 130, 40));
  expect_bits("column", a, b.col(7));
  expect_bits("segment", a, wide.col(0).segment(17, 130));
  expect_bits("difference", a, b - wide.block(0, 0, 130, 40));
}

TEST(EigenOperands, FixedAndBoundedSizesGiveTheBitsOfPlainArrays) {
  const Eigen::Matrix4f a = normal(4, 4, 7);
  const Eigen::Matrix<float, 4, 2, Eigen::RowMajor> b = normal(4, 2, 8);
  const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, 0, 16, 16> bounded = normal(9, 4, 9);
  const Eigen::Vector4f v = normal(4, 1, 10);
  expect_bits("4x4 times 4x2", a, b);
  expect_bits("bounded times fixed", bounded, b);
  expect_bits("matrix times vector", a, v);
  expect_bits("vector times matrix", v.transpose(), a);
  expect_bits("outer product", v, v.transpose());
  static_assert(std::is_same_v<decltype(mp::matmul(a, b)), Eigen::Matrix<float, 4, 2>>);
  static_assert(std::is_same_v<decltype(mp::matmul(v.transpose(), a)), Eigen::RowVector4f>);
}

template <class Xpr>
const void* address_read(const Xpr& x) {
  return mp::detail::EigenOperand<Xpr, mp::detail::EvaluateByEigen>(x, {}).view().data();
}

TEST(EigenOperands, AreReadWhereTheyLie) {
  const MatrixXf a = normal(20, 30, 11);
  const RowMajorMatrix rows = a;
  EXPECT_EQ(address_read(a), a.data());
  EXPECT_EQ(address_read(-2 * a.transpose() * 0.5f), a.data());
  EXPECT_EQ(address_read((3 * a).transpose()), a.data());
  EXPECT_EQ(address_read(rows.block(2, 3, 4, 5)), &rows(2, 3));
  EXPECT_EQ(address_read(a.row(4)), &a(4, 0));
  EXPECT_NE(address_read(a + a), a.data());
}

TEST(EigenFactors, BecomeAlpha) {
  const MatrixXf a = normal(17, 140, 12), at = a.transpose(), b = normal(140, 23, 13);
  for (const char* algorithm : kAlgorithms) {
    SCOPED_TRACE(algorithm);
    const auto times = [&](double alpha) { return plain_product(algorithm, a, b, alpha); };
    const auto value = [&](const auto& product) { return MatrixXf(mp::with(algorithm, product)); };
    EXPECT_TRUE(equal(value(2 * a * b), times(2)));
    EXPECT_TRUE(equal(value(a * b * 0.3f), times(0.3f)));
    EXPECT_TRUE(equal(value(-a * b), times(-1)));
    EXPECT_TRUE(equal(value(-0.7f * at.transpose() * b), times(-0.7f)));
    EXPECT_TRUE(equal(value((-0.7f * at).transpose() * b), times(-0.7f)));
    EXPECT_TRUE(equal(value(a * (b * -3)), times(-3)));
    EXPECT_TRUE(equal(value((0.3f * a) * (b * 0.7f)), times(double{0.3f} * double{0.7f})));
    EXPECT_TRUE(equal(value(1.7f * (a * b)), times(1.7f)));
    EXPECT_TRUE(equal(value(-(a * b)), times(-1)));
    EXPECT_TRUE(equal(mp::matmul(-0.7f * a, 2 * b, {.precision = algorithm}), times(-0.7f * 2)));
    EXPECT_TRUE(
        equal(value((2 * a + a) * (-1.5f * b)), plain_product(algorithm, 2 * a + a, b, -1.5)));
  }
}

TEST(EigenDestinations, AddAndSubtractByBetaInOneRounding) {
  const MatrixXf a = normal(31, 200, 14), b = normal(200, 18, 15), c = normal(31, 18, 16);
  for (const char* algorithm : kAlgorithms) {
    SCOPED_TRACE(algorithm);
    MatrixXf sum = c, difference = c, no_alias = c;
    RowMajorMatrix rows = c;
    sum += mp::with(algorithm, 0.3f * a * b);
    difference -= mp::with(algorithm, 0.3f * a * b);
    no_alias.noalias() += mp::with(algorithm, 0.3f * a * b);
    rows.noalias() -= mp::with(algorithm, a * b);
    EXPECT_TRUE(equal(sum, plain_product(algorithm, a, b, 0.3f, 1, c)));
    EXPECT_TRUE(equal(no_alias, sum));
    EXPECT_TRUE(equal(difference, plain_product(algorithm, a, b, -0.3f, 1, c)));
    EXPECT_TRUE(equal(rows, plain_product(algorithm, a, b, -1, 1, c)));
  }
}

TEST(EigenDestinations, OfEveryKindAreWrittenAndNothingElse) {
  const MatrixXf a = normal(12, 70, 17), b = normal(70, 9, 18);
  const RowMajorMatrix expected = plain_product("tf32", a, b);
  const float untouched = 77;
  {
    MatrixXf c = MatrixXf::Constant(20, 20, untouched);
    c.block(3, 4, 12, 9) = mp::with("tf32", a * b);
    EXPECT_TRUE(equal(c.block(3, 4, 12, 9), expected));
    c.block(3, 4, 12, 9).setConstant(untouched);
    EXPECT_TRUE((c.array() == untouched).all());
  }
  {
    std::vector<float> memory(1000, untouched);
    Eigen::Map<MatrixXf, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>> c(memory.data(), 12, 9,
                                                                             {60, 3});
    c.noalias() = mp::with("tf32", a * b);
    EXPECT_TRUE(equal(c, expected));
    c.setConstant(untouched);
    EXPECT_EQ(memory, std::vector<float>(1000, untouched));
  }
  {
    MatrixXf transposed(9, 12);
    transposed.transpose() = mp::with("tf32", a * b);
    EXPECT_TRUE(equal(transposed.transpose(), expected));
    Eigen::Ref<MatrixXf> ref(transposed);
    ref = mp::with("tf32", b.transpose() * a.transpose());
    EXPECT_TRUE(equal(transposed.transpose(), expected)) << "(AB)^T = B^T A^T";
  }
  {
    MatrixXf c = MatrixXf::Constant(12, 12, untouched);
    c.diagonal() = mp::with("tf32", a * b.col(2));
    EXPECT_TRUE(equal(c.diagonal(), expected.col(2)));
    c.row(5) = mp::with("tf32", a * b.col(2));  // Eigen turns a column into a row
    EXPECT_TRUE(equal(c.row(5).transpose(), expected.col(2)));
  }
  {
    Eigen::ArrayXXf c(1, 1);
    c = mp::with("tf32", a * b).array();
    EXPECT_TRUE(equal(c.matrix(), expected));
  }
  {
    MatrixXf c(12, 9);
    c.reverse() = mp::with("tf32", a * b);
    EXPECT_TRUE(equal(c.reverse(), expected));
    const std::vector<int> order = {3, 1, 2, 0, 11, 10, 9, 8, 7, 6, 5, 4};
    c.setConstant(1);
    c(order, Eigen::all) += mp::with("tf32", a * b);
    EXPECT_TRUE(equal(c(order, Eigen::all), (expected.array() + 1).matrix()));
  }
}

TEST(EigenDestinations, TakeTheShapeOfTheResult) {
  const MatrixXf a = normal(5, 6, 19), b = normal(6, 7, 20);
  MatrixXf c = MatrixXf::Zero(2, 3);
  c = mp::with("fp32", a * b);
  EXPECT_TRUE(equal(c, plain_product("fp32", a, b)));
  VectorXf v;
  v = mp::with("fp32", a * b.col(0));
  EXPECT_EQ(v.size(), 5);
}

TEST(EigenAliasing, GivesTheRightValue) {
  const MatrixXf a0 = normal(40, 40, 21), b = normal(40, 40, 22), tall = normal(40, 13, 23);
  const RowMajorMatrix expected = plain_product("bf16x3", a0, b);
  MatrixXf a = a0;
  a = mp::with("bf16x3", a * b);
  EXPECT_TRUE(equal(a, expected));
  a = a0;
  a.noalias() = mp::with("bf16x3", a * b);
  EXPECT_TRUE(equal(a, expected));
  a = a0;
  a = mp::with("bf16x3", a * tall);  // changes its shape
  EXPECT_TRUE(equal(a, plain_product("bf16x3", a0, tall)));
  a = a0;
  a = mp::with("bf16x3", a.transpose() * a);
  EXPECT_TRUE(equal(a, plain_product("bf16x3", a0.transpose(), a0)));
  a = a0;
  a += mp::with("bf16x3", b * a);
  EXPECT_TRUE(equal(a, plain_product("bf16x3", b, a0, 1, 1, a0)));
  a = a0;
  a.noalias() -= mp::with("bf16x3", 0.3f * a * a);
  EXPECT_TRUE(equal(a, plain_product("bf16x3", a0, a0, -0.3f, 1, a0)));
  a = a0;
  a.topRows(20) = mp::with("bf16x3", a.middleRows(10, 20) * b);
  EXPECT_TRUE(equal(a.topRows(20), plain_product("bf16x3", a0.middleRows(10, 20), b)));
  EXPECT_TRUE(equal(a.bottomRows(20), a0.bottomRows(20)));
  a = a0;
  a.topRows(20) += mp::with("bf16x3", a.bottomRows(20) * b);  // interleaved, not shared
  EXPECT_TRUE(
      equal(a.topRows(20), plain_product("bf16x3", a0.bottomRows(20), b, 1, 1, a0.topRows(20))));
  a = a0;
  a.transposeInPlace();
  a = mp::with("bf16x3", (a + a) * b);
  EXPECT_TRUE(equal(a, plain_product("bf16x3", 2 * a0.transpose(), b)));
  a = a0;
  a = mp::with("bf16x3", a * b) + a;
  EXPECT_TRUE(equal(a, expected + RowMajorMatrix(a0)));
}

// A bfloat16 that adds up in place is rounded once, whether or not a temporary is needed.
TEST(EigenAliasing, ChangesNoBit) {
  const Bf16Matrix a0 = normal(24, 24, 24).cast<Eigen::bfloat16>();
  Bf16Matrix apart = a0, shared = a0;
  apart += mp::with("bf16", a0 * a0);
  shared += mp::with("bf16", shared * shared);
  EXPECT_EQ(apart.cast<float>(), shared.cast<float>());
}

TEST(EigenStorage, Of16BitsAddsUpInFloat32) {
  const Bf16Matrix ones = Bf16Matrix::Constant(1, 300, Eigen::bfloat16(1));
  const Bf16Matrix column = ones.transpose();
  EXPECT_EQ(float(mp::matmul(ones, column)(0, 0)), 300);

  const MatrixXf x = normal(30, 200, 25), y = normal(200, 20, 26);
  const Bf16Matrix xb = x.cast<Eigen::bfloat16>(), yb = y.cast<Eigen::bfloat16>();
  const RowMajorMatrix sums = plain_product("fp32", xb.cast<float>(), yb.cast<float>());
  EXPECT_TRUE(equal(mp::matmul<float>(xb, yb), sums));
  const MatrixXf as_float = mp::with<float>("bf16", xb * yb);
  EXPECT_TRUE(equal(as_float, sums));
  EXPECT_EQ(mp::matmul(xb, yb).cast<float>(), sums.cast<Eigen::bfloat16>().cast<float>());
  const auto error = [&](const Bf16Matrix& c) { return (c.cast<float>() - sums).norm(); };
  EXPECT_GT(error(xb * yb), 2 * error(mp::matmul(xb, yb))) << "Eigen itself adds up in bfloat16";
  Bf16Matrix sum = Bf16Matrix::Constant(30, 20, Eigen::bfloat16(3));
  sum -= mp::with("bf16", xb * yb);
  EXPECT_EQ(sum.cast<float>(), (3 - sums.array()).matrix().cast<Eigen::bfloat16>().cast<float>());

  const HalfMatrix xh = x.cast<Eigen::half>(), yh = y.cast<Eigen::half>();
  EXPECT_TRUE(
      equal(mp::matmul<float>(xh, yh), plain_product("fp32", xh.cast<float>(), yh.cast<float>())));
  static_assert(std::is_same_v<decltype(mp::matmul(xh, yh))::Scalar, Eigen::half>);
  static_assert(std::is_same_v<decltype(mp::matmul(xh, yb))::Scalar, float>);
}

TEST(EigenStorage, MayBeMixedInMatmul) {
  const MatrixXf x = normal(11, 50, 27), y = normal(50, 6, 28);
  const Bf16Matrix xb = x.cast<Eigen::bfloat16>();
  EXPECT_TRUE(equal(mp::matmul(xb, y), plain_product("fp32", xb.cast<float>(), y)));
  const Eigen::MatrixXd yd = y.cast<double>();
  const Eigen::MatrixXd d = mp::matmul(x, yd);
  EXPECT_EQ(d, mp::matmul(x.cast<double>(), yd));
  EXPECT_LT((d - x.cast<double>().lazyProduct(yd)).norm(), 1e-13 * d.norm());
}

template <class Lhs, class Rhs>
void expect_default_type() {
  using Result = decltype(mp::detail::result_scalar<Lhs, Rhs>());
  EXPECT_EQ(mp::element_type_of<Result>,
            mp::result_type(mp::element_type_of<Lhs>, mp::element_type_of<Rhs>))
      << mp::to_string(mp::element_type_of<Lhs>) << ' ' << mp::to_string(mp::element_type_of<Rhs>);
}
template <class Lhs>
void expect_default_types() {
  expect_default_type<Lhs, double>();
  expect_default_type<Lhs, float>();
  expect_default_type<Lhs, Eigen::bfloat16>();
  expect_default_type<Lhs, Eigen::half>();
}
TEST(EigenStorage, HasTheResultTypesOfTheLibrary) {
  expect_default_types<double>();
  expect_default_types<float>();
  expect_default_types<Eigen::bfloat16>();
  expect_default_types<Eigen::half>();
}

TEST(EigenSizes, EmptyOnesAndOnesAreProductsToo) {
  const MatrixXf none = MatrixXf(0, 5), b = normal(5, 4, 29), flat = MatrixXf(3, 0),
                 thin = MatrixXf(0, 4);
  EXPECT_TRUE(equal(mp::matmul(none, b), RowMajorMatrix(0, 4)));
  EXPECT_TRUE(equal(mp::matmul(b, MatrixXf(4, 0)), RowMajorMatrix(5, 0)));
  EXPECT_TRUE(equal(mp::matmul(flat, thin), RowMajorMatrix::Zero(3, 4)));
  MatrixXf c = MatrixXf::Constant(3, 4, 2.5f);
  c += mp::with("tf32", flat * thin);
  EXPECT_TRUE(equal(c, RowMajorMatrix::Constant(3, 4, 2.5f)));
  c = mp::with("tf32", flat * thin);
  EXPECT_TRUE(equal(c, RowMajorMatrix::Zero(3, 4)));
  const MatrixXf x = MatrixXf::Constant(1, 1, 1024.5f), one = MatrixXf::Ones(1, 1);
  EXPECT_EQ(mp::matmul(x, one, {.precision = "tf32"})(0, 0), 1024);
  EXPECT_EQ(mp::matmul(x, one)(0, 0), 1024.5f);
}

TEST(EigenVectors, InnerProductIsANumber) {
  const VectorXf u = normal(300, 1, 30), v = normal(300, 1, 31);
  const float expected = plain_product("bf16x3", u.transpose(), v)(0, 0);
  const float x = mp::with("bf16x3", u.transpose() * v);
  EXPECT_EQ(x, expected);
  EXPECT_EQ(mp::with("bf16x3", u.transpose() * v).value(), expected);
  EXPECT_EQ(mp::matmul(u.transpose(), v, {.precision = "bf16x3"}).value(), expected);
  expect_bits("outer product", u.head(9), v.head(7).transpose());
}

TEST(EigenExpressions, NestedProductsRunByTheSameRequest) {
  const MatrixXf a = normal(10, 60, 32), b = normal(60, 50, 33), c = normal(50, 8, 34);
  const RowMajorMatrix ab = plain_product("bf16", a, b), bc = plain_product("bf16", b, c);
  const MatrixXf left = mp::with("bf16", a * b * c);
  EXPECT_TRUE(equal(left, plain_product("bf16", ab, c)));
  const MatrixXf right = mp::with("bf16", a * (2 * b * c));
  EXPECT_TRUE(equal(right, plain_product("bf16", a, 2 * bc)));
  const MatrixXf transposed = mp::with("bf16", c.transpose() * (a * b).transpose());
  EXPECT_TRUE(equal(transposed, plain_product("bf16", c.transpose(), ab.transpose())));
}

TEST(EigenExpressions, TakeTheValueOfAProduct) {
  const MatrixXf a = normal(15, 40, 35), b = normal(40, 15, 36), c = normal(15, 15, 37);
  const RowMajorMatrix ab = plain_product("bf16", a, b);
  const MatrixXf sum = c - 2 * mp::with("bf16", a * b).transpose();
  EXPECT_TRUE(equal(sum, RowMajorMatrix(c) - 2 * ab.transpose()));
  EXPECT_EQ(mp::with("bf16", a * b).maxCoeff(), ab.maxCoeff());
  EXPECT_EQ(mp::with("bf16", a * b).eval(), ab);
  const MatrixXf chain = mp::with("fp32", mp::with("bf16", a * b) * c);
  EXPECT_TRUE(equal(chain, plain_product("fp32", ab, c)));
}

TEST(EigenRequests, AreWhatDotOptionsTake) {
  const MatrixXf a = normal(6, 90, 38), b = normal(90, 6, 39);
  const RowMajorMatrix tf32 = plain_product("tf32", a, b), fp32 = plain_product("fp32", a, b);
  const auto value = [](const auto& expression) { return MatrixXf(expression); };
  EXPECT_TRUE(equal(value(mp::with(mp::DotAlgorithm::kTF32_TF32_F32, a * b)), tf32));
  EXPECT_TRUE(equal(value(mp::with(std::string("tensorfloat32"), a * b)), tf32));
  EXPECT_TRUE(equal(value(mp::with(mp::Precision::kHighest, a * b)), fp32));
  EXPECT_TRUE(equal(value(mp::with(mp::PrecisionRequest("tf32"), a * b)), tf32));
  EXPECT_TRUE(equal(value(mp::with({.precision = "tf32"}, a * b)), tf32));
  EXPECT_TRUE(equal(value(mp::with({}, a * b)), fp32));
  const mp::ScopedPrecision guard("tf32");
  EXPECT_TRUE(equal(value(mp::with({}, a * b)), tf32));
  EXPECT_TRUE(equal(mp::matmul(a, b), tf32));
  EXPECT_TRUE(equal(value(mp::with("fp32", a * b)), fp32));
}

TEST(EigenErrors, NameTheShapes) {
  const MatrixXf a = normal(2, 3, 40), b = normal(4, 5, 41);
  EXPECT_EQ(error_of([&] { mp::matmul(a, b); }),
            "eigen matmul: contracting dims disagree: lhs dim 1 has size 3, rhs dim 0 has size 4 "
            "(lhs shape (2, 3), rhs shape (4, 5)); paired sizes must be equal");
  MatrixXf c = MatrixXf::Constant(9, 9, 7);
  const MatrixXf before = c;
  const auto expect_error = [&](auto call) {
    EXPECT_EQ(error_of(call), "eigen product: out has shape (3, 3), but the result has (2, 5)");
    EXPECT_EQ(c, before);
  };
  expect_error([&] { c.block(1, 1, 3, 3) = mp::with("tf32", a * b.topRows(3)); });
  expect_error([&] { c.block(1, 1, 3, 3) -= mp::with("tf32", a * b.topRows(3)); });
  EXPECT_EQ(error_of([&] { c.topLeftCorner(3, 3).reverse() = mp::with("tf32", a * b.topRows(3)); }),
            "eigen product: the destination has shape (3, 3), but the result has (2, 5)");
  EXPECT_EQ(error_of([&] { c += mp::with("tf32", a * b.topRows(3)); }),
            "eigen product: out has shape (9, 9), but the result has (2, 5)");
  EXPECT_EQ(c, before);
}

TEST(EigenErrors, LeaveTheDestinationAlone) {
  const MatrixXf a = normal(2, 3, 42), b = normal(3, 5, 43);
  MatrixXf c = MatrixXf::Constant(4, 4, 7);
  const mp::ScopedRequirement guard("bf16x3");
  EXPECT_NE(error_of([&] { c = mp::with("tf32", a * b); }).find("eigen product"),
            std::string::npos);
  EXPECT_TRUE(equal(c, RowMajorMatrix::Constant(4, 4, 7)));
  EXPECT_NE(error_of([&] { c = mp::with("tf33", a * b); }).find("tf33"), std::string::npos);
}

TEST(EigenErrors, PreferredTypeMustBeTheResultsScalar) {
  const MatrixXf a = normal(2, 2, 44);
  EXPECT_NE(error_of([&] {
              mp::matmul(a, a, {.preferred_element_type = mp::ElementType::kF64});
            }).find("preferred_element_type is float64"),
            std::string::npos);
  static_assert(std::is_same_v<decltype(mp::matmul<double>(a, a))::Scalar, double>);
  EXPECT_EQ(mp::matmul<double>(a, a), mp::matmul(a, a).cast<double>());
}

TEST(EigenTrace, NamesTheCallerAndTheProduct) {
  std::vector<std::string> seen;
  int line = 0;
  mp::set_trace_callback([&](const mp::TraceEvent& event) {
    seen.push_back(
        std::string(event.op) + ' ' + std::string(event.label) + ' ' +
        mp::to_string(event.lhs_shape) + mp::to_string(event.rhs_shape) + ' ' +
        std::string(event.caller.file).substr(std::string(event.caller.file).rfind('/') + 1) + ':' +
        std::to_string(event.caller.line - line));
  });
  const MatrixXf a = normal(2, 3, 45);
  line = __LINE__;
  mp::matmul(a.transpose(), a, {.label = "gram"});
  const MatrixXf c = mp::with({.label = "outer"}, a * a.transpose());
  const VectorXf v = mp::with("tf32", a * a.row(0).transpose());
  mp::set_trace_callback(nullptr);
  const std::vector<std::string> expected = {"eigen matmul gram (3, 2)(2, 3) eigen_test.cpp:1",
                                             "eigen product outer (2, 3)(3, 2) eigen_test.cpp:2",
                                             "eigen product  (2, 3)(3, 1) eigen_test.cpp:3"};
  EXPECT_EQ(seen, expected);
}

TEST(EigenViews, GoIntoDotGeneral) {
  MatrixXf a = normal(6, 8, 46);
  const MatrixXf b = normal(8, 5, 47);
  RowMajorMatrix c(6, 5);
  static_assert(std::is_same_v<decltype(mp::tensor_view(a)), mp::MutableTensorView>);
  static_assert(
      std::is_same_v<decltype(mp::tensor_view(a.block(0, 0, 1, 1))), mp::MutableTensorView>);
  static_assert(std::is_same_v<decltype(mp::tensor_view(b)), mp::TensorView>);
  static_assert(std::is_same_v<decltype(mp::tensor_view(b.transpose())), mp::TensorView>);
  mp::dot_general_into(mp::tensor_view(c), mp::tensor_view(a), mp::tensor_view(b),
                       {.lhs_contracting = {1}, .rhs_contracting = {0}});
  EXPECT_TRUE(equal(c, plain_product("fp32", a, b)));

  const mp::TensorView block = mp::tensor_view(a.block(1, 2, 3, 4).transpose());
  EXPECT_EQ(block.data(), &a(1, 2));
  EXPECT_EQ(block.shape(), (mp::Dims{4, 3}));
  EXPECT_EQ(block.strides(), (mp::Dims{6, 1}));
  const mp::TensorView row = mp::tensor_view(c.row(2));
  EXPECT_EQ(row.shape(), (mp::Dims{1, 5}));
  EXPECT_EQ(row.strides()[1], 1);
  const Bf16Matrix narrow(2, 2);
  EXPECT_EQ(mp::tensor_view(narrow).type(), mp::ElementType::kBF16);
  EXPECT_EQ(mp::tensor_view(HalfMatrix(2, 2)).type(), mp::ElementType::kF16);
}

}  // namespace
