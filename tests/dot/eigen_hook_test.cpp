// Eigen's own products under the hook: what is caught, what escapes, that alpha and += keep their
// meaning.
#include "matprec/eigen_hook.h"
// The hook stands before every Eigen header.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
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

constexpr std::array kAlgorithms = {"bf16", "tf32", "bf16x3", "fp32"};

// How many products matprec runs for Eigen in a call.
int caught(const std::function<void()>& call) {
  int count = 0;
  mp::set_trace_callback([&count](const mp::TraceEvent& e) { count += e.op == "eigen hook"; });
  call();
  mp::set_trace_callback(nullptr);
  return count;
}

template <class Lhs, class Rhs>
void expect_caught(const char* what, const Lhs& lhs, const Rhs& rhs) {
  for (const char* algorithm : kAlgorithms) {
    SCOPED_TRACE(std::string(what) + " under " + algorithm);
    const RowMajorMatrix expected = plain_product(algorithm, lhs, rhs);
    const mp::ScopedPrecision guard(algorithm);
    MatrixXf columns;
    RowMajorMatrix rows;
    EXPECT_EQ(caught([&] { columns = lhs * rhs; }), 1);
    EXPECT_EQ(caught([&] { rows.noalias() = lhs * rhs; }), 1);
    EXPECT_TRUE(equal(columns, expected));
    EXPECT_TRUE(equal(rows, expected));
  }
}

TEST(EigenHook, CatchesProductsOfRunTimeSizes) {
  const MatrixXf a = normal(33, 140, 1), b = normal(140, 21, 2);
  const RowMajorMatrix rows = a;
  const Eigen::Map<const MatrixXf, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>> strided(
      b.data(), 33, 40, {70, 2});
  expect_caught("matrices", a, b);
  expect_caught("row-major", rows, b);
  expect_caught("transposes", b.transpose(), a.transpose());
  expect_caught("blocks", a.block(1, 2, 20, 100), b.topRows(100));
  expect_caught("Map with two strides", strided, b.topRows(40));
  expect_caught("sum", a + a, b);
  expect_caught("small", a.topLeftCorner(2, 3), b.topLeftCorner(3, 2));
  expect_caught("matrix times vector", a, b.col(3));
  expect_caught("row-major matrix times vector", rows, b.col(3));
  expect_caught("vector times matrix", a.row(3), b);
  expect_caught("outer product", a.col(3), b.row(2));
  expect_caught("outer product with a small vector", a.col(3), b.row(2).head<3>());
  expect_caught("small matrix times points", Eigen::Matrix3f(normal(3, 3, 3)),
                Eigen::Matrix3Xf(normal(3, 50, 4)));
  expect_caught("16 by 16", Eigen::Matrix<float, 16, 16>(normal(16, 16, 5)),
                Eigen::Matrix<float, 16, 16>(normal(16, 16, 6)));
}

TEST(EigenHook, KeepsFactorsAndUpdates) {
  const MatrixXf a = normal(30, 150, 7), b = normal(150, 20, 8), c0 = normal(30, 20, 9);
  for (const char* algorithm : kAlgorithms) {
    SCOPED_TRACE(algorithm);
    const auto expected = [&](double alpha, double beta) {
      return plain_product(algorithm, a, b, alpha, beta, c0);
    };
    const mp::ScopedPrecision guard(algorithm);
    const auto updated = [&](auto update) {
      MatrixXf c = c0;
      EXPECT_EQ(caught([&] { update(c); }), 1);
      return c;
    };
    EXPECT_TRUE(equal(updated([&](auto& c) { c = 0.3f * a * b; }), expected(0.3f, 0)));
    EXPECT_TRUE(equal(updated([&](auto& c) { c.noalias() += a * b; }), expected(1, 1)));
    EXPECT_TRUE(equal(updated([&](auto& c) { c.noalias() -= a * b; }), expected(-1, 1)));
    EXPECT_TRUE(equal(updated([&](auto& c) { c.noalias() -= 0.3f * a * b; }), expected(-0.3f, 1)));
    EXPECT_TRUE(
        equal(updated([&](auto& c) { c.noalias() += -0.3f * (a * b); }), expected(-0.3f, 1)));
    EXPECT_TRUE(equal(updated([&](auto& c) { c += a * b; }), expected(1, 1)));
    EXPECT_TRUE(equal(updated([&](auto& c) { c = c0 + a * b; }), expected(1, 1)));
    EXPECT_TRUE(equal(updated([&](auto& c) { c = c0 - a * b; }), expected(-1, 1)));
  }
}

TEST(EigenHook, KeepsAliasing) {
  const MatrixXf a0 = normal(20, 20, 10), b = normal(20, 20, 11);
  const mp::ScopedPrecision guard("tf32");
  MatrixXf a = a0;
  a = a * b;
  EXPECT_TRUE(equal(a, plain_product("tf32", a0, b)));
  a = a0;
  a *= b;
  EXPECT_TRUE(equal(a, plain_product("tf32", a0, b)));
}

TEST(EigenHook, CatchesInnerProducts) {
  const VectorXf u = normal(300, 1, 12), v = normal(300, 1, 13);
  const mp::ScopedPrecision guard("bf16x3");
  float x = 0;
  EXPECT_EQ(caught([&] { x = u.transpose() * v; }), 1);
  EXPECT_EQ(x, plain_product("bf16x3", u.transpose(), v)(0, 0));
}

TEST(EigenHook, ObeysScopesAndDefaults) {
  const MatrixXf a = normal(10, 90, 14), b = normal(90, 10, 15);
  const RowMajorMatrix fp32 = plain_product("fp32", a, b), tf32 = plain_product("tf32", a, b);
  EXPECT_TRUE(equal(a * b, fp32));
  {
    const mp::ScopedPrecision guard("tf32");
    EXPECT_TRUE(equal(a * b, tf32));
    const mp::ScopedPrecision inner("fp32");
    EXPECT_TRUE(equal(a * b, fp32));
  }
  mp::set_default_precision(mp::DotAlgorithm::kTF32_TF32_F32);
  EXPECT_TRUE(equal(a * b, tf32));
  mp::set_default_precision(mp::Precision::kDefault);
  EXPECT_TRUE(equal(a * b, fp32));
  const mp::ScopedPrecision guard("tf32");
  const mp::ScopedRequirement requirement("bf16x3");
  MatrixXf c = MatrixXf::Zero(10, 10);
  EXPECT_NE(error_of([&] { c = a * b; }).find("eigen hook"), std::string::npos);
  EXPECT_TRUE(equal(c, RowMajorMatrix::Zero(10, 10)));
}

TEST(EigenHook, LeavesFloat64ToItself) {
  const Eigen::MatrixXd a = normal(10, 90, 16).cast<double>(),
                        b = normal(90, 10, 17).cast<double>();
  const mp::ScopedPrecision guard("bf16");
  Eigen::MatrixXd c;
  EXPECT_EQ(caught([&] { c = a * b; }), 1);
  EXPECT_EQ(c, mp::matmul(a, b, {.precision = "fp64"}));
}

TEST(EigenHook, Adds16BitStorageUpInFloat32) {
  const Bf16Matrix ones = Bf16Matrix::Constant(1, 300, Eigen::bfloat16(1));
  const Bf16Matrix column = ones.transpose();
  EXPECT_EQ(float(Bf16Matrix(ones * column)(0, 0)), 300);
}

TEST(EigenHook, HandlesEmptySizes) {
  MatrixXf c = MatrixXf::Constant(3, 4, 7);
  const MatrixXf flat(3, 0), thin(0, 4), none(0, 3);
  c.noalias() += flat * thin;
  EXPECT_TRUE(equal(c, RowMajorMatrix::Constant(3, 4, 7)));
  c = flat * thin;
  EXPECT_TRUE(equal(c, RowMajorMatrix::Zero(3, 4)));
  EXPECT_EQ((none * c).eval().rows(), 0);
}

// docs/eigen.md lists these.
TEST(EigenHook, LetsTheseEscape) {
  const mp::ScopedPrecision guard("bf16");
  const Eigen::Matrix3f m = normal(3, 3, 18);
  const Eigen::Vector3f p = normal(3, 1, 19);
  const MatrixXf a = normal(20, 20, 20), b = normal(20, 20, 21);
  const VectorXf v = normal(20, 1, 22);
  const Eigen::MatrixXi integers = Eigen::MatrixXi::Constant(9, 9, 3);
  Eigen::Matrix3f m2;
  MatrixXf c;
  VectorXf w;
  Eigen::MatrixXi i;
  float x = 0;
  EXPECT_EQ(caught([&] { m2 = m * m; }), 0) << "fixed sizes below 8";
  EXPECT_EQ(caught([&] { x = (m * p).norm(); }), 0) << "fixed sizes below 8";
  EXPECT_EQ(caught([&] { c = a.lazyProduct(b); }), 0) << "lazyProduct";
  EXPECT_EQ(caught([&] { x = v.dot(v) + v.squaredNorm(); }), 0) << "dot, squaredNorm";
  EXPECT_EQ(caught([&] { x = (a * b).trace(); }), 0) << "trace of a product";
  EXPECT_EQ(caught([&] { w = (a * b).diagonal(); }), 0) << "diagonal of a product";
  EXPECT_EQ(caught([&] { c = a.triangularView<Eigen::Lower>() * b; }), 0) << "triangular";
  EXPECT_EQ(caught([&] { c = a.selfadjointView<Eigen::Lower>() * b; }), 0) << "self-adjoint";
  EXPECT_EQ(caught([&] { c.selfadjointView<Eigen::Lower>().rankUpdate(a); }), 0) << "rank update";
  EXPECT_EQ(caught([&] { c = a.triangularView<Eigen::Lower>().solve(b); }), 0) << "solve";
  EXPECT_EQ(caught([&] { c = (v * p.transpose()).cwiseAbs(); }), 0)
      << "outer product with a fixed small vector, inside another expression";
  EXPECT_EQ(caught([&] { i = integers * integers; }), 0) << "integers";
}

// A scope reaches into them; docs/eigen.md says how to keep it out.
TEST(EigenHook, ReachesIntoDecompositions) {
  const MatrixXf a = normal(40, 40, 23);
  EXPECT_GT(caught([&] { a.partialPivLu(); }), 0);
  EXPECT_GT(caught([&] { a.householderQr(); }), 0);
}

TEST(EigenHook, ChecksItself) {
  EXPECT_EQ(error_of([] { mp::check_eigen_hook(); }), "(no error)");
}

}  // namespace
