#include "matprec/derivatives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "matprec/matprec.h"
#include "tests/support/error_of.h"
#include "tests/support/random_matrix.h"

namespace matprec {
namespace {

using testing::error_of;
using testing::Random;

Tensor random_tensor(ElementType type, const Dims& shape, std::uint64_t seed) {
  Random random(seed);
  Tensor t(ElementType::kF64, shape);
  for (std::int64_t i = 0; i < t.size(); ++i) t.data<double>()[i] = random.uniform() * 2 - 1;
  return convert(t, type);
}

bool same(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * size_of(a.type())) == 0;
}

double element(const Tensor& t, std::int64_t i) { return convert(t, ElementType::kF64).data<double>()[i]; }

// The sum of g times the product, as float64: what the cotangents are derivatives of.
double objective(const Tensor& lhs, const Tensor& rhs, const DotDimensionNumbers& numbers, const Tensor& g) {
  const Tensor out = dot_general(lhs, rhs, numbers, {.precision = "fp64"});
  double sum = 0;
  for (std::int64_t i = 0; i < out.size(); ++i) sum += out.data<double>()[i] * g.data<double>()[i];
  return sum;
}

// The objective is linear in each element of each operand: a step of 1 gives the derivative exactly but for rounding.
void check_by_differences(const Dims& lhs_shape, const Dims& rhs_shape, const DotDimensionNumbers& numbers) {
  const Tensor lhs = random_tensor(ElementType::kF64, lhs_shape, 1), rhs = random_tensor(ElementType::kF64, rhs_shape, 2);
  const auto [out, pullback] = dot_general_vjp(lhs, rhs, numbers);
  EXPECT_TRUE(same(out, dot_general(lhs, rhs, numbers)));
  const Tensor g = random_tensor(ElementType::kF64, out.shape(), 3);
  const DotCotangents cotangents = pullback(g);
  ASSERT_EQ(cotangents.lhs.shape(), lhs_shape);
  ASSERT_EQ(cotangents.rhs.shape(), rhs_shape);
  const double before = objective(lhs, rhs, numbers, g);
  for (const bool left : {true, false}) {
    const Tensor& operand = left ? lhs : rhs;
    const Tensor& cotangent = left ? cotangents.lhs : cotangents.rhs;
    for (std::int64_t i = 0; i < operand.size(); ++i) {
      Tensor moved = operand;
      moved.data<double>()[i] += 1;
      const double after = left ? objective(moved, rhs, numbers, g) : objective(lhs, moved, numbers, g);
      EXPECT_NEAR(after - before, cotangent.data<double>()[i], 1e-13) << (left ? "lhs " : "rhs ") << i;
    }
  }
}

TEST(Derivatives, AreThoseOfTheProduct) {
  check_by_differences({3, 4}, {4, 5}, {{1}, {0}, {}, {}});
  check_by_differences({4, 3}, {5, 4}, {{0}, {1}, {}, {}});
  check_by_differences({2, 3, 4}, {4, 2, 5}, {{2}, {0}, {0}, {1}});
  check_by_differences({3}, {4}, {});                                            // an outer product
  check_by_differences({3, 2}, {2, 3}, {{0, 1}, {1, 0}, {}, {}});                // all is summed, crosswise
  check_by_differences({2, 3}, {3, 2}, {{}, {}, {0, 1}, {1, 0}});                // all is batch
  check_by_differences({}, {2, 2}, {});                                          // a scalar
  check_by_differences({5, 2, 3, 4, 2}, {4, 3, 2, 2, 3}, {{3, 1}, {0, 2}, {4, 2}, {3, 1}});
}

// By the formula of the definition: which product it is, and in which order it sums.
TEST(Derivatives, AreTheProductsOfTheDefinition) {
  const Tensor a = random_tensor(ElementType::kF32, {30, 200}, 1), b = random_tensor(ElementType::kF32, {200, 50}, 2),
               g = random_tensor(ElementType::kF32, {30, 50}, 3);
  for (const char* precision : {"float32", "bf16", "tf32", "bf16x3", "bf16x6"}) {
    const DotVjp vjp = dot_general_vjp(a, b, {{1}, {0}, {}, {}}, {.precision = precision});
    const auto [da, db] = vjp.pullback(g);
    EXPECT_TRUE(same(da, dot_general(g, b, {{1}, {1}, {}, {}}, {.precision = precision}))) << precision;
    const TensorView at(a.data(), ElementType::kF32, {200, 30}, {1, 200});
    EXPECT_TRUE(same(db, dot_general(at, g, {{1}, {0}, {}, {}}, {.precision = precision}))) << precision;
    EXPECT_TRUE(same(vjp.pullback.lhs(g), da));
    EXPECT_TRUE(same(vjp.pullback.rhs(g), db));
  }
}

// Reports IL-13: jax#10818, jax#34330.
TEST(Derivatives, OfNarrowOperandsWithAWideResultRoundWhereTheAlgorithmSays) {
  const Tensor x = convert(Tensor::of<float>({1, 2}, {1, 2}), ElementType::kBF16);
  const Tensor w = convert(Tensor::of<float>({2, 1}, {3, 4}), ElementType::kBF16);
  const auto cotangents = [&](const TransposePrecision& transpose, float g) {
    const DotVjp vjp = dot_general_vjp(x, w, {{1}, {0}, {}, {}},
                                       {.preferred_element_type = ElementType::kF32, .transpose_algorithm = transpose});
    EXPECT_EQ(vjp.out.data<float>()[0], 11);
    return vjp.pullback(Tensor::of<float>({1, 1}, {g}), {.type = ElementType::kF32});
  };
  const float fine = 1 + 0x1p-12f;
  EXPECT_EQ(cotangents({}, 1).lhs.data<float>()[0], 3);
  EXPECT_EQ(cotangents({}, 1).lhs.data<float>()[1], 4);
  EXPECT_EQ(cotangents("fp32", fine).rhs.data<float>()[0], fine);
  EXPECT_EQ(cotangents("fp32", fine).rhs.data<float>()[1], 2 * fine);
  for (const char* reduced : {"bf16", "tf32"}) {
    EXPECT_EQ(cotangents(reduced, fine).rhs.data<float>()[0], 1) << reduced;
    EXPECT_EQ(cotangents(reduced, fine).rhs.data<float>()[1], 2) << reduced;
  }
  EXPECT_EQ(cotangents({}, fine).rhs.data<float>()[0], 1);  // the forward product's, which is bfloat16's
  // One for each cotangent.
  const DotCotangents mixed = cotangents({"fp32", "bf16"}, fine);
  EXPECT_EQ(mixed.lhs.data<float>()[0], 3 * fine);
  EXPECT_EQ(mixed.rhs.data<float>()[0], 1);
}

TEST(Derivatives, RoundCotangentsToTheOperandsTypeOnce) {
  const Tensor x = random_tensor(ElementType::kBF16, {7, 130}, 1), w = random_tensor(ElementType::kF32, {130, 9}, 2);
  const Tensor g = random_tensor(ElementType::kF32, {7, 9}, 3);
  const DotVjp vjp = dot_general_vjp(x, w, {{1}, {0}, {}, {}}, {.precision = "tf32"});
  const auto [dx, dw] = vjp.pullback(g);
  EXPECT_EQ(dx.type(), ElementType::kBF16);
  EXPECT_EQ(dw.type(), ElementType::kF32);
  const auto [wide_dx, wide_dw] = vjp.pullback(g, {.type = ElementType::kF32});
  EXPECT_TRUE(same(dx, convert(wide_dx, ElementType::kBF16)));
  EXPECT_TRUE(same(dw, wide_dw));
}

TEST(Derivatives, DoNotDependOnWhereTheBackwardRuns) {
  const Tensor a = random_tensor(ElementType::kF32, {30, 200}, 1), b = random_tensor(ElementType::kF32, {200, 50}, 2),
               g = random_tensor(ElementType::kF32, {30, 50}, 3);
  std::optional<DotVjp> vjp;
  {
    const ScopedPrecision scope("tf32");
    vjp.emplace(dot_general_vjp(a, b, {{1}, {0}, {}, {}}));
  }
  EXPECT_EQ(vjp->pullback.forward().algorithm, DotAlgorithm::kTF32_TF32_F32);
  const Tensor expected = dot_general(g, b, {{1}, {1}, {}, {}}, {.precision = "tf32"});
  EXPECT_TRUE(same(vjp->pullback.lhs(g), expected));
  const ScopedPrecision other("bf16");
  EXPECT_TRUE(same(vjp->pullback.lhs(g), expected));
  set_num_threads(3);
  Tensor elsewhere(ElementType::kF32, {});
  std::thread([&] { elsewhere = vjp->pullback.lhs(g); }).join();
  set_num_threads(0);
  EXPECT_TRUE(same(elsewhere, expected));
  // Nor do levels mean another thing because another platform is set later.
  const DotVjp level = dot_general_vjp(a, b, {{1}, {0}, {}, {}}, {.transpose_algorithm = Precision::kHighest});
  set_platform(Platform::kTpu);
  EXPECT_TRUE(same(level.pullback.lhs(g), dot_general(g, b, {{1}, {1}, {}, {}}, {.precision = "float32"})));
  set_platform(Platform::kNative);
}

TEST(Derivatives, OfEightBitFloatsRunInFloat32) {
  const Tensor a = random_tensor(ElementType::kF8E4M3FN, {5, 20}, 1), b = random_tensor(ElementType::kF8E4M3FN, {20, 6}, 2);
  const DotVjp vjp = dot_general_vjp(a, b, {{1}, {0}, {}, {}});
  EXPECT_EQ(vjp.pullback.forward().algorithm, DotAlgorithm::kANY_F8_ANY_F8_F32);
  EXPECT_EQ(vjp.pullback.lhs_resolution().algorithm, DotAlgorithm::kF32_F32_F32);
  const Tensor g = random_tensor(ElementType::kF32, {5, 6}, 3);
  const Tensor da = vjp.pullback.lhs(g, {.type = ElementType::kF32});
  EXPECT_TRUE(same(da, dot_general(g, b, {{1}, {1}, {}, {}}, {.precision = "float32", .preferred_element_type = ElementType::kF32})));
  EXPECT_EQ(vjp.pullback.rhs(g).type(), ElementType::kF8E4M3FN);
}

TEST(Derivatives, OfComplexProductsAreTransposesWithoutConjugates) {
  using C = std::complex<float>;
  const Tensor a = Tensor::of<C>({1, 1}, {C(1, 2)}), b = Tensor::of<C>({1, 1}, {C(3, -1)});
  const DotVjp vjp = dot_general_vjp(a, b, {{1}, {0}, {}, {}});
  const auto [da, db] = vjp.pullback(Tensor::of<C>({1, 1}, {C(0, 1)}));
  EXPECT_EQ(da.data<C>()[0], C(0, 1) * C(3, -1));
  EXPECT_EQ(db.data<C>()[0], C(0, 1) * C(1, 2));
  // A real operand has the real part.
  const Tensor real = Tensor::of<float>({1, 1}, {2});
  const DotVjp mixed = dot_general_vjp(real, b, {{1}, {0}, {}, {}});
  const Tensor dreal = mixed.pullback.lhs(Tensor::of<C>({1, 1}, {C(0, 1)}));
  EXPECT_EQ(dreal.data<float>()[0], 1);  // of i * (3 - i) = 1 + 3i
}

TEST(Derivatives, TheTangentIsTheSumOfTwoProductsRoundedOnce) {
  const Tensor a = random_tensor(ElementType::kBF16, {6, 300}, 1), b = random_tensor(ElementType::kBF16, {300, 8}, 2);
  const Tensor da = random_tensor(ElementType::kBF16, {6, 300}, 3), db = random_tensor(ElementType::kBF16, {300, 8}, 4);
  const auto [out, tangent] = dot_general_jvp(a, b, da, db, {{1}, {0}, {}, {}});
  EXPECT_TRUE(same(out, dot_general(a, b, {{1}, {0}, {}, {}})));
  const DotOptions wide{.preferred_element_type = ElementType::kF32};
  const Tensor first = dot_general(da, b, {{1}, {0}, {}, {}}, wide), second = dot_general(a, db, {{1}, {0}, {}, {}}, wide);
  Tensor sum(ElementType::kF32, {6, 8});
  for (int i = 0; i < 48; ++i) sum.data<float>()[i] = first.data<float>()[i] + second.data<float>()[i];
  EXPECT_TRUE(same(tangent, convert(sum, ElementType::kBF16)));
  // Of float64 operands it is the derivative along the tangents.
  const Tensor x = random_tensor(ElementType::kF64, {3, 4}, 5), y = random_tensor(ElementType::kF64, {4, 2}, 6);
  const DotJvp jvp = dot_general_jvp(x, y, x, y, {{1}, {0}, {}, {}});
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(element(jvp.tangent, i), 2 * element(jvp.out, i), 1e-14);
}

TEST(Derivatives, ExplainTellsWhatEachProductRuns) {
  const TensorView q(nullptr, ElementType::kBF16, {8, 64}), k(nullptr, ElementType::kBF16, {64, 8});
  const DotVjpExplanation e = explain_vjp(q, k, {{1}, {0}, {}, {}}, {.transpose_algorithm = {"tf32", "fp32"}});
  EXPECT_EQ(e.forward.resolution.algorithm, DotAlgorithm::kBF16_BF16_F32);
  EXPECT_EQ(e.lhs.resolution.algorithm, DotAlgorithm::kTF32_TF32_F32);
  EXPECT_EQ(e.rhs.resolution.algorithm, DotAlgorithm::kF32_F32_F32);
  EXPECT_EQ(e.lhs.shape.m, 8);
  EXPECT_EQ(e.lhs.shape.n, 64);
  EXPECT_EQ(e.lhs.shape.k, 8);
  const std::string text = to_string(e);
  EXPECT_NE(text.find("cotangent of lhs: TF32_TF32_F32"), std::string::npos) << text;
}

TEST(Derivatives, TracesShowAllProducts) {
  std::vector<DotAlgorithm> ran;
  std::vector<std::string> labels;
  set_trace_callback([&](const TraceEvent& event) {
    ran.push_back(event.resolution.algorithm);
    labels.emplace_back(event.label);
  });
  const Tensor a = random_tensor(ElementType::kF32, {5, 20}, 1), b = random_tensor(ElementType::kF32, {20, 6}, 2);
  const DotVjp vjp = dot_general_vjp(a, b, {{1}, {0}, {}, {}}, {.transpose_algorithm = "bf16", .label = "layer"});
  vjp.pullback(vjp.out);
  set_trace_callback(nullptr);
  const std::vector<DotAlgorithm> expected = {DotAlgorithm::kF32_F32_F32, DotAlgorithm::kBF16_BF16_F32,
                                              DotAlgorithm::kBF16_BF16_F32};
  EXPECT_EQ(ran, expected);
  EXPECT_EQ(labels, std::vector<std::string>(3, "layer"));
}

TEST(Derivatives, RefuseWhatIsNone) {
  const Tensor a(ElementType::kF32, {5, 20}), b(ElementType::kF32, {20, 6}), i(ElementType::kS8, {5, 20}),
      j(ElementType::kS8, {20, 6});
  const DotDimensionNumbers numbers{{1}, {0}, {}, {}};
  EXPECT_NE(error_of([&] { dot_general_vjp(i, j, numbers); }).find("integers"), std::string::npos);
  EXPECT_NE(error_of([&] { dot_general_jvp(i, j, i, j, numbers); }).find("integers"), std::string::npos);
  EXPECT_NE(error_of([&] { dot_general_vjp(a, a, numbers); }).find("disagree"), std::string::npos);
  EXPECT_NE(error_of([&] { dot_general_jvp(a, b, b, b, numbers); }).find("lhs_tangent has shape (20, 6)"), std::string::npos);
  const DotVjp vjp = dot_general_vjp(a, b, numbers);
  EXPECT_NE(error_of([&] { vjp.pullback(a); }).find("cotangent has shape (5, 20), but the result has (5, 6)"),
            std::string::npos);
  EXPECT_NE(error_of([&] { vjp.pullback(Tensor(ElementType::kS8, {5, 6})); }).find("int8"), std::string::npos);
  EXPECT_NE(error_of([&] { vjp.pullback(Tensor(ElementType::kC64, {5, 6})); }).find("complex64"), std::string::npos);
  EXPECT_NE(error_of([&] { vjp.pullback(vjp.out, {.type = ElementType::kS8}); }).find("int8"), std::string::npos);
  EXPECT_NE(error_of([&] { vjp.pullback(vjp.out, {.type = ElementType{77}}); }).find("no enumerator"), std::string::npos);
}

TEST(Derivatives, OfEmptyProductsAreZeros) {
  const Tensor a(ElementType::kF32, {5, 0}), b(ElementType::kF32, {0, 6});
  const DotVjp vjp = dot_general_vjp(a, b, {{1}, {0}, {}, {}});
  EXPECT_EQ(vjp.pullback(vjp.out).lhs.shape(), (Dims{5, 0}));
  const Tensor c(ElementType::kF32, {0, 3}), d = random_tensor(ElementType::kF32, {3, 6}, 1);
  const DotVjp none = dot_general_vjp(c, d, {{1}, {0}, {}, {}});
  const Tensor dd = none.pullback.rhs(none.out);
  for (int i = 0; i < 18; ++i) EXPECT_EQ(dd.data<float>()[i], 0);
}

}  // namespace
}  // namespace matprec
