// The order in which einsum contracts more than two operands, and explain_einsum, which shows it.
#include <gtest/gtest.h>

#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "matprec/einsum.h"
#include "matprec/policy.h"
#include "tests/support/bits.h"
#include "tests/support/clean_environment.h"
#include "tests/support/error_of.h"
#include "tests/support/float_tensors.h"
#include "tests/support/random_matrix.h"

namespace matprec::testing {
namespace {

// An operand without elements: shapes alone are asked for.
TensorView shaped(const Dims& shape, ElementType type = ElementType::kF32) {
  return TensorView(nullptr, type, shape);
}

// "0 1 ij,jk->ik" for each step; "0 - ij->i" for a sum.
std::vector<std::string> steps_of(const std::string& equation, std::vector<TensorView> operands) {
  std::vector<std::string> steps;
  for (const EinsumStepExplanation& step : explain_einsum(equation, operands).steps) {
    std::string text = std::to_string(step.lhs) + " ";
    text += step.rhs ? std::to_string(*step.rhs) : "-";
    steps.push_back(text + " " + step.equation);
  }
  return steps;
}
using Steps = std::vector<std::string>;

TEST(EinsumPath, ThePairWithTheFewestResultElementsComesFirst) {
  EXPECT_EQ(steps_of("ij,jk,kl->il", {shaped({9, 8}), shaped({8, 7}), shaped({7, 2})}),
            (Steps{"1 2 jk,kl->jl", "0 1 ij,jl->il"}));
  EXPECT_EQ(steps_of("ij,jk,kl->il", {shaped({2, 8}), shaped({8, 7}), shaped({7, 9})}),
            (Steps{"0 1 ij,jk->ik", "0 1 kl,ik->il"}));
}

TEST(EinsumPath, OfSeveralTheLowestPositionsWin) {
  EXPECT_EQ(steps_of("ij,jk,kl->il", {shaped({3, 3}), shaped({3, 3}), shaped({3, 3})}),
            (Steps{"0 1 ij,jk->ik", "0 1 kl,ik->il"}));
  EXPECT_EQ(steps_of("a,b,c,d->abcd", {shaped({2}), shaped({2}), shaped({2}), shaped({2})}),
            (Steps{"0 1 a,b->ab", "0 1 c,d->cd", "0 1 ab,cd->abcd"}));
}

TEST(EinsumPath, TheResultGoesToTheEndOfTheList) {
  // jk,kl leaves [ij, lm, jl]: then lm with jl is the smaller pair.
  EXPECT_EQ(
      steps_of("ij,jk,kl,lm->im", {shaped({9, 3}), shaped({3, 9}), shaped({9, 2}), shaped({2, 4})}),
      (Steps{"1 2 jk,kl->jl", "1 2 lm,jl->mj", "0 1 ij,mj->im"}));
}

TEST(EinsumPath, ALetterIsKeptWhileAnotherOperandHasIt) {
  EXPECT_EQ(steps_of("ij,ij,jk->ik", {shaped({2, 3}), shaped({2, 3}), shaped({3, 4})}),
            (Steps{"0 1 ij,ij->ij", "0 1 jk,ij->ik"}));
  EXPECT_EQ(steps_of("k,k,k->", {shaped({4}), shaped({4}), shaped({4})}),
            (Steps{"0 1 k,k->k", "0 1 k,k->"}));
}

TEST(EinsumPath, SumsComeFirstAndStayInTheirPlace) {
  EXPECT_EQ(steps_of("ax,b,cy->abc", {shaped({2, 5}), shaped({3}), shaped({4, 5})}),
            (Steps{"0 - ax->a", "2 - cy->c", "0 1 a,b->ab", "0 1 c,ab->abc"}));
}

TEST(EinsumPath, ResultsOnTheWayHaveBatchThenLeftThenRightLetters) {
  EXPECT_EQ(steps_of("xbay,yzbc,q->abxzcq",
                     {shaped({2, 2, 2, 2}), shaped({2, 2, 2, 2}), shaped({20})})[0],
            "0 1 xbay,yzbc->bxazc");
}

TEST(EinsumPath, EmptyResultsAreTheFewestAndHugeOnesAreCounted) {
  EXPECT_EQ(steps_of("a,b,c->abc", {shaped({2}), shaped({0}), shaped({2})})[0], "0 1 a,b->ab");
  // 2^64 elements do not fit 64 bits; the pair is still the larger one.
  const std::int64_t huge = std::int64_t{1} << 32;
  EXPECT_EQ(steps_of("a,b,ab->", {shaped({huge}), shaped({huge}), shaped({huge, huge})}),
            (Steps{"0 2 a,ab->b", "0 1 b,b->"}));
}

TEST(EinsumPath, IsWhatRuns) {
  const Tensor a = normal({9, 150}, 1), b = normal({150, 140}, 2), c = normal({140, 2}, 3);
  Tensor bc(ElementType::kF32, {150, 2}), abc(ElementType::kF32, {9, 2});
  const DotDimensionNumbers matrices = {.lhs_contracting = {1}, .rhs_contracting = {0}};
  reference_dot_general_into(bc, b, c, matrices, DotAlgorithm::kTF32_TF32_F32);
  reference_dot_general_into(abc, a, bc, matrices, DotAlgorithm::kTF32_TF32_F32);
  const Tensor got = einsum("ij,jk,kl->il", {a, b, c}, {.precision = "tf32"});
  EXPECT_TRUE(same_bits<float>(floats(got), floats(abc)));
}

// The result of the first step is the last of the list, so that the second step's letters are in
// the order of the operand that was there before.
TEST(EinsumPath, TheEarlierOperandIsTheLeftOneOfTheOrderOfK) {
  const Tensor a = normal({15, 12, 99}, 4), b = normal({12, 15, 7}, 5), c = normal({7, 2}, 6);
  Tensor bc(ElementType::kF32, {12, 15, 2}), abc(ElementType::kF32, {99, 2});
  reference_dot_general_into(bc, b, c, {.lhs_contracting = {2}, .rhs_contracting = {0}},
                             DotAlgorithm::kF32_F32_F32);
  reference_dot_general_into(abc, a, bc, {.lhs_contracting = {0, 1}, .rhs_contracting = {1, 0}},
                             DotAlgorithm::kF32_F32_F32);
  EXPECT_TRUE(same_bits<float>(floats(einsum("kji,jkl,lm->im", {a, b, c})), floats(abc)));
}

TEST(ExplainEinsum, GivesEachStepsAlgorithmShapesAndCost) {
  const ScopedPrecision guard("bf16x3");
  const EinsumExplanation e =
      explain_einsum("ij,jk,kl->li", {shaped({9, 8}), shaped({8, 7}), shaped({7, 2})});
  EXPECT_EQ(e.shape, (Dims{2, 9}));
  EXPECT_EQ(e.type, ElementType::kF32);
  ASSERT_EQ(e.steps.size(), 2u);
  EXPECT_EQ(e.steps[0].lhs_shape, (Dims{8, 7}));
  EXPECT_EQ(e.steps[0].rhs_shape, (Dims{7, 2}));
  EXPECT_EQ(e.steps[0].out_shape, (Dims{8, 2}));
  EXPECT_EQ(e.steps[0].flops, 2.0 * 8 * 7 * 2);
  EXPECT_EQ(e.steps[1].equation, "ij,jl->li");
  EXPECT_EQ(e.steps[1].out_shape, (Dims{2, 9}));
  EXPECT_EQ(e.flops, 2.0 * 8 * 7 * 2 + 2.0 * 9 * 8 * 2);
  for (const EinsumStepExplanation& step : e.steps) {
    EXPECT_EQ(step.product.resolution.algorithm, DotAlgorithm::kBF16_BF16_F32_X3);
    EXPECT_EQ(step.product.resolution.source, Source::kScope);
  }
}

TEST(ExplainEinsum, SaysWhereLevelsDoNotReach) {
  const EinsumExplanation e = explain_einsum(
      "xi,i->", {shaped({4, 3}), shaped({3}, ElementType::kBF16)}, {.precision = "tf32"});
  ASSERT_EQ(e.steps.size(), 2u);
  EXPECT_EQ(e.steps[0].product.resolution.algorithm, DotAlgorithm::kF32_F32_F32);
  EXPECT_EQ(e.steps[0].product.resolution.source, Source::kOperands);
  EXPECT_EQ(e.steps[1].product.resolution.algorithm, DotAlgorithm::kTF32_TF32_F32);
  EXPECT_EQ(e.steps[1].product.resolution.source, Source::kArgument);
}

TEST(ExplainEinsum, WritesEllipsesOutInUnusedLetters) {
  EXPECT_EQ(steps_of("...i,Zi->...", {shaped({2, 3, 4}), shaped({5, 4})}),
            (Steps{"1 - Zi->i", "0 1 XYi,i->XY"}));
}

TEST(ExplainEinsum, ReadsAsText) {
  std::ostringstream text;
  text << explain_einsum("xij,jk,kl->il", {shaped({3, 9, 8}), shaped({8, 7}), shaped({7, 2})},
                         {.precision = "tf32"});
  EXPECT_EQ(text.str(),
            "einsum xij,jk,kl->il -> (9, 2) float32, 3 steps, 944 FLOP\n"
            "  1. sum in 0: xij->ij, (3, 9, 8) -> (9, 8) float32, 432 FLOP, F32_F32_F32, chosen by "
            "the operand types\n"
            "  2. 1 with 2: jk,kl->jl, (8, 7) x (7, 2) -> (8, 2) float32, 224 FLOP, "
            "TF32_TF32_F32, chosen by the call's argument\n"
            "  3. 0 with 1: ij,jl->il, (9, 8) x (8, 2) -> (9, 2) float32, 288 FLOP, "
            "TF32_TF32_F32, chosen by the call's argument");
  EXPECT_EQ(to_string(explain_einsum("ij->ji", {shaped({2, 3})})),
            "einsum ij->ji -> (3, 2) float32, a copy of the operand");
}

TEST(ExplainEinsum, RefusesWhatEinsumRefuses) {
  EXPECT_EQ(error_of([&] {
              explain_einsum("ij,jk", {shaped({2, 3}), shaped({4, 5})});
            }),
            error_of([&] {
              einsum("ij,jk", {normal({2, 3}, 1), normal({4, 5}, 2)});
            }));
}

}  // namespace
}  // namespace matprec::testing
