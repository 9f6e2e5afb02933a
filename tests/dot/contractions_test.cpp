// tensordot, dot, inner, vdot, vecdot, matvec, vecmat: NumPy's meaning, bits, traces, every error
// text.
#include "matprec/contractions.h"

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "matprec/convert.h"
#include "matprec/einsum.h"
#include "matprec/explain.h"
#include "matprec/policy.h"
#include "tests/support/bits.h"
#include "tests/support/clean_environment.h"
#include "tests/support/error_of.h"
#include "tests/support/float_tensors.h"
#include "tests/support/random_matrix.h"

namespace matprec {
namespace {

using testing::counted;
using testing::error_of;
using testing::floats;
using testing::normal;
using testing::same_bits;

std::vector<float> values(const Tensor& t) { return {floats(t).begin(), floats(t).end()}; }

// Same shape, same bits.
::testing::AssertionResult equal(const Tensor& got, const Tensor& expected) {
  if (got.shape() != expected.shape()) {
    return ::testing::AssertionFailure()
           << "shapes " << to_string(got.shape()) << " and " << to_string(expected.shape());
  }
  return same_bits<float>(floats(got), floats(expected));
}

// --------------------------------------------------------------------------------- tensordot, dot,
// inner

TEST(Tensordot, ANumberPairsLastDimensionsWithFirstOnes) {
  const Tensor a = normal({3, 4, 50}, 1), b = normal({4, 50, 2}, 2);
  EXPECT_TRUE(equal(tensordot(a, b), einsum("ijk,jkl->il", {a, b})));
  EXPECT_TRUE(
      equal(tensordot(a, normal({50, 2}, 3), 1), einsum("ijk,kl->ijl", {a, normal({50, 2}, 3)})));
  EXPECT_TRUE(equal(tensordot(counted({2, 3}), counted({4}), 0),
                    einsum("ij,k->ijk", {counted({2, 3}), counted({4})})));
}

TEST(Tensordot, ListsPairAxesInTheOrderListed) {
  const Tensor a = normal({12, 15, 3}, 4), b = normal({15, 12, 2}, 5);
  // k in the order listed, last fastest: axis 1 of lhs slow, axis 0 fast.
  const Tensor listed = tensordot(a, b, {{1, 0}, {0, 1}});
  Tensor expected(ElementType::kF32, {3, 2});
  reference_dot_general_into(expected, a, b, {.lhs_contracting = {1, 0}, .rhs_contracting = {0, 1}},
                             DotAlgorithm::kF32_F32_F32);
  EXPECT_TRUE(equal(listed, expected));
  EXPECT_TRUE(equal(tensordot(a, b, {{-2, -3}, {-3, 1}}), expected));
  EXPECT_FALSE(equal(tensordot(a, b, {{0, 1}, {1, 0}}), expected));
}

TEST(Tensordot, OfEverythingIsAScalarAndOfNothingTheOuterProduct) {
  const Tensor a = counted({2, 2});
  EXPECT_EQ(values(tensordot(a, a)), std::vector<float>{30});
  EXPECT_EQ(tensordot(counted({}), counted({}), 0).rank(), 0u);
  EXPECT_EQ(
      values(tensordot(Tensor(ElementType::kF32, {2, 0}), Tensor(ElementType::kF32, {0, 1}), 1)),
      std::vector<float>(2, 0.0f));
}

TEST(Tensordot, RefusalsShowAxesAndShapes) {
  const Tensor a = counted({2, 3}), b = counted({3, 4});
  EXPECT_EQ(
      error_of([&] { tensordot(a, b, -1); }),
      "tensordot: axes is -1, but lhs has shape (2, 3) and rhs has shape (3, 4); expected 0 to "
      "the lower of their ranks");
  EXPECT_EQ(
      error_of([&] { tensordot(a, b, 3); }),
      "tensordot: axes is 3, but lhs has shape (2, 3) and rhs has shape (3, 4); expected 0 to "
      "the lower of their ranks");
  EXPECT_EQ(error_of([&] {
              tensordot(a, b, {{2}, {0}});
            }),
            "tensordot: axes of lhs are (2,), but it has shape (2, 3); axes of rank 2 are -2 to 1");
  EXPECT_EQ(
      error_of([&] {
        tensordot(a, b, {{1}, {-3}});
      }),
      "tensordot: axes of rhs are (-3,), but it has shape (3, 4); axes of rank 2 are -2 to 1");
  EXPECT_EQ(
      error_of([&] {
        tensordot(a, b, {{1, -1}, {0, 1}});
      }),
      "tensordot: lhs contracting dimensions (1, 1) name dimension 1 twice; each may stand once");
  EXPECT_EQ(
      error_of([&] {
        tensordot(a, b, {{1}, {0, 1}});
      }),
      "tensordot: contracting dimensions come in pairs, but lhs has 1 (1,) and rhs has 2 (0, 1)");
  EXPECT_EQ(error_of([&] {
              tensordot(a, b, {{0}, {0}});
            }),
            "tensordot: contracting dims disagree: lhs dim 0 has size 2, rhs dim 0 has size 3 (lhs "
            "shape (2, 3), rhs shape (3, 4)); paired sizes must be equal");
  EXPECT_EQ(error_of([&] { tensordot(a, b, INT64_MIN); }).find("tensordot: axes is -9223"), 0u);
  EXPECT_EQ(error_of([&] {
              tensordot(a, b, {{INT64_MAX}, {INT64_MIN}});
            }).find("tensordot: axes"),
            0u);
}

TEST(Dot, SumsOverTheLastAndTheLastButOne) {
  const Tensor v = counted({3});
  EXPECT_EQ(values(dot(v, v)), std::vector<float>{14});
  EXPECT_EQ(values(dot(counted({2, 3}), v)), (std::vector<float>{14, 32}));
  EXPECT_EQ(values(dot(v, counted({3, 2}))), (std::vector<float>{22, 28}));
  const Tensor a = normal({2, 5, 150}, 6), b = normal({4, 150, 3}, 7);
  EXPECT_TRUE(equal(dot(a, b), einsum("abk,ckd->abcd", {a, b})));
}

TEST(Dot, WithAScalarMultiplies) {
  const Tensor two = Tensor::of<float>({}, {2});
  EXPECT_EQ(values(dot(two, counted({2, 2}))), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(values(dot(counted({2, 2}), two)), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(values(dot(two, two)), std::vector<float>{4});
}

TEST(Dot, RefusesSizesThatDiffer) {
  EXPECT_EQ(error_of([&] {
              dot(counted({2, 3}), counted({2, 3}));
            }),
            "dot: contracting dims disagree: lhs dim 1 has size 3, rhs dim 0 has size 2 (lhs shape "
            "(2, 3), rhs shape (2, 3)); paired sizes must be equal");
  EXPECT_EQ(error_of([&] { dot(counted({1}), counted({3})); }),
            "dot: contracting dims disagree: lhs dim 0 has size 1, rhs dim 0 has size 3 (lhs shape "
            "(1,), rhs shape (3,)); paired sizes must be equal");
}

TEST(Inner, SumsOverTheLastOfBoth) {
  const Tensor a = normal({2, 5, 150}, 8), b = normal({4, 150}, 9);
  EXPECT_TRUE(equal(inner(a, b), einsum("abk,ck->abc", {a, b})));
  EXPECT_EQ(values(inner(counted({2}), counted({2}))), std::vector<float>{5});
  EXPECT_EQ(values(inner(Tensor::of<float>({}, {3}), counted({2}))), (std::vector<float>{3, 6}));
  EXPECT_EQ(
      error_of([&] {
        inner(counted({2, 3}), counted({3, 2}));
      }),
      "inner: contracting dims disagree: lhs dim 1 has size 3, rhs dim 1 has size 2 (lhs shape "
      "(2, 3), rhs shape (3, 2)); paired sizes must be equal");
}

// ------------------------------------------------------------------------ vdot, vecdot, matvec,
// vecmat

TEST(Vdot, FlattensWhateverTheShapesAndStrides) {
  const Tensor a = counted({2, 3}), b = counted({3, 2});
  EXPECT_EQ(values(vdot(a, b)), std::vector<float>{91});
  EXPECT_EQ(values(vdot(a, counted({6}))), std::vector<float>{91});
  const TensorView transposed(b.data<float>(), {2, 3}, {1, 2});  // 1 3 5 2 4 6
  EXPECT_EQ(values(vdot(a, transposed)), std::vector<float>{1 + 6 + 15 + 8 + 20 + 36});
  EXPECT_EQ(values(vdot(counted({}), Tensor::of<float>({1, 1}, {5}))), std::vector<float>{5});
  EXPECT_EQ(values(vdot(Tensor(ElementType::kF32, {0, 2}), Tensor(ElementType::kF32, {0}))),
            std::vector<float>{0});
}

TEST(Vdot, IsTheDotOfTheRowMajorElements) {
  const Tensor a = normal({20, 30}, 10), b = normal({30, 20}, 11);
  EXPECT_TRUE(equal(vdot(a, b),
                    dot(TensorView(a.data<float>(), {600}), TensorView(b.data<float>(), {600}))));
  const TensorView transposed(a.data<float>(), {30, 20}, {1, 30});
  const Tensor copy = einsum("ij->ij", {transposed});
  EXPECT_TRUE(equal(vdot(transposed, b), vdot(copy, b)));
}

TEST(Vdot, RefusesDifferentCounts) {
  EXPECT_EQ(
      error_of([&] {
        vdot(counted({2, 3}), counted({5}));
      }),
      "vdot: lhs of shape (2, 3) has 6 elements, rhs of shape (5,) has 5; they must be as many");
  EXPECT_EQ(error_of([&] { vdot(TensorView(nullptr, ElementType::kF32, {2}), counted({2})); }),
            "vdot: lhs has shape (2,) but a null address; expected the address of its elements");
}

TEST(Vecdot, SumsAlongTheLastDimensionAndBroadcastsTheOthers) {
  const Tensor a = normal({4, 1, 150}, 12), b = normal({5, 150}, 13);
  EXPECT_TRUE(equal(vecdot(a, b), einsum("...k,...k->...", {a, b})));
  EXPECT_EQ(vecdot(a, b).shape(), (Dims{4, 5}));
  EXPECT_EQ(values(vecdot(counted({3}), counted({3}))), std::vector<float>{14});
  EXPECT_EQ(values(vecdot(Tensor(ElementType::kF32, {2, 0}), Tensor(ElementType::kF32, {2, 0}))),
            std::vector<float>(2, 0.0f));
}

TEST(Vecdot, TakesAnotherAxisOfEachOperand) {
  const Tensor a = counted({3, 2}), b = counted({3, 2});
  EXPECT_EQ(values(vecdot(a, b, 0)), (std::vector<float>{1 + 9 + 25, 4 + 16 + 36}));
  EXPECT_EQ(values(vecdot(a, b, -2)), values(vecdot(a, b, 0)));
  const Tensor c = normal({3, 4, 2}, 14), d = normal({3, 2}, 15);
  EXPECT_TRUE(equal(vecdot(c, d, 0), einsum("k...,k...->...", {c, d})));
  const Tensor e = normal({4, 3, 2}, 16);
  EXPECT_TRUE(equal(vecdot(e, d, -2), einsum("ikj,kj->ij", {e, d})));
}

TEST(Vecdot, RefusalsShowAxisAndShapes) {
  const Tensor a = counted({2, 3});
  EXPECT_EQ(error_of([&] { vecdot(a, a, 2); }),
            "vecdot: axis is 2, but lhs has shape (2, 3); axes of rank 2 are -2 to 1");
  EXPECT_EQ(error_of([&] { vecdot(a, counted({3}), -2); }),
            "vecdot: axis is -2, but rhs has shape (3,); axes of rank 1 are -1 to 0");
  EXPECT_EQ(
      error_of([&] {
        vecdot(a, counted({2, 2}));
      }),
      "vecdot: inner sizes disagree: lhs dim 1 has size 3, rhs dim 1 has size 2 (lhs shape (2, "
      "3), rhs shape (2, 2)); they must be equal");
  EXPECT_EQ(
      error_of([&] {
        vecdot(a, counted({2, 1}));
      }),
      "vecdot: inner sizes disagree: lhs dim 1 has size 3, rhs dim 1 has size 1 (lhs shape (2, "
      "3), rhs shape (2, 1)); they must be equal");
  EXPECT_EQ(error_of([&] {
              vecdot(a, counted({4, 3}));
            }),
            "vecdot: batch sizes 2 and 4 do not broadcast (lhs shape (2, 3), rhs shape (4, 3)); "
            "aligned from the last batch dimension on, they must be equal or 1");
  EXPECT_EQ(error_of([&] { vecdot(counted({}), a); }),
            "vecdot: lhs has shape () of rank 0; expected rank 1 or more");
}

TEST(Matvec, MultipliesEachMatrixWithItsVector) {
  EXPECT_EQ(values(matvec(counted({2, 3}), counted({3}))), (std::vector<float>{14, 32}));
  const Tensor a = normal({4, 1, 6, 150}, 17), v = normal({5, 150}, 18);
  EXPECT_TRUE(equal(matvec(a, v), einsum("...ik,...k->...i", {a, v})));
  EXPECT_EQ(matvec(a, v).shape(), (Dims{4, 5, 6}));
  // one matrix for all vectors
  const Tensor m = normal({6, 150}, 19);
  EXPECT_TRUE(equal(matvec(m, v), einsum("ik,bk->bi", {m, v})));
}

TEST(Vecmat, MultipliesEachVectorWithItsMatrix) {
  EXPECT_EQ(values(vecmat(counted({2}), counted({2, 3}))), (std::vector<float>{9, 12, 15}));
  const Tensor v = normal({4, 1, 150}, 20), a = normal({5, 150, 6}, 21);
  EXPECT_TRUE(equal(vecmat(v, a), einsum("...k,...kj->...j", {v, a})));
  EXPECT_EQ(vecmat(v, a).shape(), (Dims{4, 5, 6}));
}

TEST(MatvecAndVecmat, RefusalsShowRanksAndShapes) {
  EXPECT_EQ(error_of([&] { matvec(counted({3}), counted({3})); }),
            "matvec: lhs has shape (3,) of rank 1; expected rank 2 or more");
  EXPECT_EQ(error_of([&] {
              matvec(counted({2, 3}), counted({}));
            }),
            "matvec: rhs has shape () of rank 0; expected rank 1 or more");
  EXPECT_EQ(
      error_of([&] {
        matvec(counted({2, 3}), counted({2}));
      }),
      "matvec: inner sizes disagree: lhs dim 1 has size 3, rhs dim 0 has size 2 (lhs shape (2, "
      "3), rhs shape (2,)); they must be equal");
  EXPECT_EQ(error_of([&] { vecmat(counted({3}), counted({3})); }),
            "vecmat: rhs has shape (3,) of rank 1; expected rank 2 or more");
  EXPECT_EQ(
      error_of([&] {
        vecmat(counted({3}), counted({2, 3}));
      }),
      "vecmat: inner sizes disagree: lhs dim 0 has size 3, rhs dim 0 has size 2 (lhs shape (3,)"
      ", rhs shape (2, 3)); they must be equal");
}

// ----------------------------------------------------------------------------------- what all have

struct FrontEnd {
  const char* name;
  std::function<Tensor(const TensorView&, const TensorView&, const DotOptions&, SourceLocation)>
      call;
};
// Each on two 8 x 8 matrices.
const FrontEnd kFrontEnds[] = {
    {"tensordot",
     [](const auto& a, const auto& b, const auto& o, auto w) { return tensordot(a, b, 1, o, w); }},
    {"tensordot",
     [](const auto& a, const auto& b, const auto& o, auto w) {
       return tensordot(a, b, {{0}, {1}}, o, w);
     }},
    {"dot", [](const auto& a, const auto& b, const auto& o, auto w) { return dot(a, b, o, w); }},
    {"inner",
     [](const auto& a, const auto& b, const auto& o, auto w) { return inner(a, b, o, w); }},
    {"vdot", [](const auto& a, const auto& b, const auto& o, auto w) { return vdot(a, b, o, w); }},
    {"vecdot",
     [](const auto& a, const auto& b, const auto& o, auto w) { return vecdot(a, b, -1, o, w); }},
    {"matvec",
     [](const auto& a, const auto& b, const auto& o, auto w) { return matvec(a, b, o, w); }},
    {"vecmat", [](const auto& a, const auto& b, const auto& o,
                  auto w) { return vecmat(TensorView(a.data(), a.type(), {8}), b, o, w); }},
    {"matmul",
     [](const auto& a, const auto& b, const auto& o, auto w) { return matmul(a, b, o, w); }},
};

TEST(FrontEnds, ObeyScopesArgumentsAndResultTypes) {
  const Tensor a = normal({8, 8}, 30), b = normal({8, 8}, 31);
  for (const FrontEnd& f : kFrontEnds) {
    const Tensor wide = f.call(a, b, {}, {});
    const Tensor argument = f.call(a, b, {.precision = "bf16"}, {});
    EXPECT_FALSE(equal(argument, wide)) << f.name;
    const ScopedPrecision guard("bf16");
    EXPECT_TRUE(equal(f.call(a, b, {}, {}), argument)) << f.name;
    EXPECT_EQ(f.call(a, b, {.preferred_element_type = ElementType::kF64}, {}).type(),
              ElementType::kF64)
        << f.name;
  }
}

TEST(FrontEnds, AreNamedInTraceWithLabelAndCaller) {
  const Tensor a = normal({8, 8}, 32), b = normal({8, 8}, 33);
  std::vector<TraceEvent> events;
  set_trace_callback([&](const TraceEvent& e) { events.push_back(e); });
  for (const FrontEnd& f : kFrontEnds) {
    events.clear();
    f.call(a, b, {.label = "here"}, {"file.cpp", 7});
    ASSERT_EQ(events.size(), 1u) << f.name;
    EXPECT_EQ(events[0].op, f.name);
    EXPECT_EQ(events[0].label, "here");
    EXPECT_STREQ(events[0].caller.file, "file.cpp");
    EXPECT_EQ(events[0].caller.line, 7);
  }
  events.clear();
  const int line = __LINE__ + 1;
  dot(a, b);
  set_trace_callback(nullptr);
  EXPECT_EQ(events.at(0).caller.line, line);
}

TEST(FrontEnds, RefuseUnsoundOptionsByName) {
  const Tensor a = counted({8, 8});
  DotOptions options;
  options.preferred_element_type = static_cast<ElementType>(99);
  for (const FrontEnd& f : kFrontEnds) {
    EXPECT_EQ(error_of([&] { f.call(a, a, options, {}); }).find(f.name), 0u) << f.name;
  }
}

TEST(FrontEnds, NameThemselvesForABadView) {
  const Tensor a = counted({8, 8});
  const TensorView bad(a.data<float>(), {8, 8}, {8});
  for (const FrontEnd& f : kFrontEnds) {
    if (std::string(f.name) == "vecmat") continue;  // makes a view of its own here
    const std::string error = error_of([&] { f.call(bad, a, {}, {}); });
    EXPECT_EQ(error.find(std::string(f.name) + ": lhs has shape (8, 8) but strides (8,)"), 0u)
        << error;
  }
}

TEST(FrontEnds, NarrowOperandsGiveTheirOwnType) {
  const Tensor x = convert(counted({3}), ElementType::kBF16);
  EXPECT_EQ(dot(x, x).type(), ElementType::kBF16);
  EXPECT_EQ(vdot(x, convert(x, ElementType::kF16)).type(), ElementType::kF32);
  EXPECT_EQ(convert(vecdot(x, x), ElementType::kF32).data<float>()[0], 14);
}

}  // namespace
}  // namespace matprec
