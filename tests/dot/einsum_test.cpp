// einsum: meaning, order of the sum, types, scopes, and every error text.
#include "matprec/einsum.h"

#include <gtest/gtest.h>

#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "matprec/convert.h"
#include "matprec/policy.h"
#include "tests/support/bits.h"
#include "tests/support/clean_environment.h"
#include "tests/support/error_of.h"
#include "tests/support/float_tensors.h"
#include "tests/support/random_matrix.h"
#include "tests/support/rounding_rows.h"

namespace matprec {
namespace {

using testing::counted;
using testing::error_of;
using testing::floats;
using testing::normal;
using testing::same_bits;

std::vector<float> values(const Tensor& t) { return {floats(t).begin(), floats(t).end()}; }

// The scalar oracle's product in the type given.
Tensor oracle(const TensorView& lhs, const TensorView& rhs, const DotDimensionNumbers& numbers,
              const Dims& shape, DotAlgorithm algorithm = DotAlgorithm::kF32_F32_F32,
              ElementType type = ElementType::kF32) {
  Tensor out(type, shape);
  reference_dot_general_into(out, lhs, rhs, numbers, algorithm);
  return out;
}
Tensor ones(const Dims& shape) {
  Tensor t(ElementType::kF32, shape);
  std::fill_n(t.data<float>(), t.size(), 1.0f);
  return t;
}

TEST(Einsum, MultipliesMatrices) {
  const Tensor a = counted({2, 3}), b = counted({3, 2});
  EXPECT_EQ(values(einsum("ij,jk->ik", {a, b})), (std::vector<float>{22, 28, 49, 64}));
  EXPECT_EQ(values(einsum("ij,jk", {a, b})), (std::vector<float>{22, 28, 49, 64}));
  EXPECT_EQ(values(einsum("ij,jk->ki", {a, b})), (std::vector<float>{22, 49, 28, 64}));
  EXPECT_EQ(values(einsum(" i j , j k -> k i ", {a, b})), (std::vector<float>{22, 49, 28, 64}));
}

TEST(Einsum, TakesASpanOfViews) {
  const Tensor a = counted({2, 3}), b = counted({3, 2});
  const std::vector<TensorView> operands = {a, b};
  EXPECT_EQ(values(einsum("ij,jk->ik", operands)), (std::vector<float>{22, 28, 49, 64}));
}

TEST(Einsum, OfOneOperandTransposesTakesDiagonalsAndSums) {
  const Tensor a = counted({2, 3}), square = counted({3, 3});
  EXPECT_EQ(values(einsum("ij->ji", {a})), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(values(einsum("ba", {a})), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(values(einsum("ii->i", {square})), (std::vector<float>{1, 5, 9}));
  EXPECT_EQ(values(einsum("ii", {square})), std::vector<float>{15});
  EXPECT_EQ(values(einsum("ij->j", {a})), (std::vector<float>{5, 7, 9}));
  EXPECT_EQ(values(einsum("ij->", {a})), std::vector<float>{21});
}

TEST(Einsum, OfScalarsHasEmptyTerms) {
  const Tensor s = counted({}), v = counted({3});
  EXPECT_EQ(einsum("", {s}).rank(), 0u);
  EXPECT_EQ(values(einsum("->", {s})), std::vector<float>{1});
  EXPECT_EQ(values(einsum(",a->a", {Tensor::of<float>({}, {2}), v})),
            (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(values(einsum(",,", {s, s, Tensor::of<float>({}, {7})})), std::vector<float>{7});
}

TEST(Einsum, KeptSharedLettersAreAligned) {
  const Tensor a = counted({2, 3});
  EXPECT_EQ(values(einsum("ij,ij->ij", {a, a})), (std::vector<float>{1, 4, 9, 16, 25, 36}));
  EXPECT_EQ(values(einsum("ij,ij->ji", {a, a})), (std::vector<float>{1, 16, 4, 25, 9, 36}));
  EXPECT_EQ(values(einsum("i,j->ij", {counted({2}), counted({2})})),
            (std::vector<float>{1, 2, 2, 4}));
}

TEST(Einsum, UpperAndLowerCaseAreDifferentLettersAndUpperComesFirst) {
  const Tensor a = counted({2, 3});
  EXPECT_EQ(einsum("aA", {a}).shape(), (Dims{3, 2}));
  EXPECT_EQ(einsum("aA,aB", {a, counted({2, 4})}).shape(), (Dims{3, 4}));
}

TEST(Einsum, EllipsesBroadcastFromTheLastDimensionOn) {
  const Tensor a = counted({4, 1, 2, 3}), b = counted({5, 3, 2});
  const Tensor c = einsum("...ij,...jk->...ik", {a, b});
  EXPECT_EQ(c.shape(), (Dims{4, 5, 2, 2}));
  EXPECT_EQ(values(c), values(matmul(a, b)));
  EXPECT_EQ(einsum("...ij,...jk->ik...", {a, b}).shape(), (Dims{2, 2, 4, 5}));
  EXPECT_EQ(einsum("i...j,j...k", {counted({2, 4, 5, 3}), counted({3, 5, 6})}).shape(),
            (Dims{4, 5, 2, 6}));  // implicit output: ellipsis first
}

TEST(Einsum, AnEllipsisMayStandForNothing) {
  EXPECT_EQ(values(einsum("...ij,j->...i", {counted({2, 3}), counted({3})})),
            (std::vector<float>{14, 32}));
  EXPECT_EQ(einsum("ij->...i", {counted({2, 3})}).shape(), Dims{2});
  EXPECT_EQ(einsum("...,i->i", {counted({}), counted({2})}).shape(), Dims{2});
}

TEST(Einsum, EllipsisDimensionsThatTheResultLacksAreSummed) {
  EXPECT_EQ(values(einsum("...j->j", {counted({2, 2, 2})})), (std::vector<float>{16, 20}));
  // 1 broadcasts against 3 before the sum
  EXPECT_EQ(values(einsum("...,...->", {counted({1}), counted({3})})), std::vector<float>{6});
}

TEST(Einsum, SizesOfZeroGiveZerosOrNothing) {
  const Tensor none(ElementType::kF32, {2, 0});
  EXPECT_EQ(values(einsum("ij,jk->ik", {none, Tensor(ElementType::kF32, {0, 2})})),
            std::vector<float>(4, 0.0f));
  EXPECT_EQ(values(einsum("ij->i", {none})), std::vector<float>(2, 0.0f));
  EXPECT_EQ(einsum("ij->ji", {none}).shape(), (Dims{0, 2}));
  EXPECT_EQ(einsum("...i,i->...i", {none, Tensor(ElementType::kF32, {0})}).shape(), (Dims{2, 0}));
  // a dimension of 1 broadcasts to one of 0
  EXPECT_EQ(einsum("...,...", {none, counted({2, 1})}).shape(), (Dims{2, 0}));
}

TEST(Einsum, ReadsStridedOperands) {
  const Tensor a = counted({3, 4});
  const float* last = a.data<float>() + 11;
  const TensorView reversed(last, {4, 3}, {-1, -4});
  EXPECT_EQ(values(einsum("ij->ji", {reversed})),
            (std::vector<float>{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}));
}

// ------------------------------------------------------------------------------------ order of the
// sum

// 12 x 15 steps: two chunks, so that another order of letters gives other bits.
TEST(EinsumOrder, ContractedLettersAreInTheOrderOfTheLeftOperand) {
  const Tensor a = normal({12, 7, 15}, 1), b = normal({15, 12, 5}, 2);
  const Tensor expected =
      oracle(a, b, {.lhs_contracting = {0, 2}, .rhs_contracting = {1, 0}}, {7, 5});
  EXPECT_TRUE(same_bits<float>(floats(einsum("kil,lkj->ij", {a, b})), floats(expected)));
  const Tensor swapped =
      oracle(a, b, {.lhs_contracting = {2, 0}, .rhs_contracting = {0, 1}}, {7, 5});
  EXPECT_FALSE(same_bits<float>(floats(swapped), floats(expected)));
  // The other operand on the left: its order.
  const Tensor other = oracle(b, a, {.lhs_contracting = {0, 1}, .rhs_contracting = {2, 0}}, {5, 7});
  EXPECT_TRUE(same_bits<float>(floats(einsum("lkj,kil->ji", {b, a})), floats(other)));
}

TEST(EinsumOrder, HoldsUnderEveryAlgorithm) {
  const Tensor a = normal({12, 7, 15}, 3), b = normal({15, 12, 5}, 4);
  for (const AlgorithmInfo& row : testing::rounding_rows()) {
    const Tensor expected =
        oracle(a, b, {.lhs_contracting = {0, 2}, .rhs_contracting = {1, 0}}, {7, 5}, row.algorithm);
    EXPECT_TRUE(same_bits<float>(
        floats(einsum("kil,lkj->ij", {a, b}, {.precision = row.algorithm})), floats(expected)))
        << row.name;
  }
}

TEST(EinsumOrder, ThePositionOfTheResultChangesNoBit) {
  const Tensor a = normal({3, 12, 7, 15}, 5), b = normal({15, 12, 5, 3}, 6);
  const Tensor ij = einsum("bkil,lkjb->bij", {a, b}), ji = einsum("bkil,lkjb->jbi", {a, b});
  EXPECT_TRUE(same_bits<float>(floats(einsum("jbi->bij", {ji})), floats(ij)));
}

TEST(EinsumOrder, ABroadcastOperandGivesTheBitsOfTheWrittenOutOne) {
  const Tensor a = normal({1, 6, 150}, 7), b = normal({4, 150, 5}, 8);
  const Tensor expected =
      oracle(TensorView(a.data<float>(), {4, 6, 150}, {0, 150, 1}), b,
             {.lhs_contracting = {2}, .rhs_contracting = {1}, .lhs_batch = {0}, .rhs_batch = {0}},
             {4, 6, 5});
  EXPECT_TRUE(same_bits<float>(floats(einsum("...ij,...jk->...ik", {a, b})), floats(expected)));
}

TEST(EinsumOrder, LettersOfOneOperandAreSummedFirstByADotWithOnes) {
  const Tensor a = normal({14, 6, 11}, 9), b = normal({6, 5}, 10);
  const Tensor sum =
      oracle(a, ones({14, 11}), {.lhs_contracting = {0, 2}, .rhs_contracting = {0, 1}}, {6});
  const Tensor expected = oracle(sum, b, {.lhs_contracting = {0}, .rhs_contracting = {0}}, {5});
  EXPECT_TRUE(same_bits<float>(floats(einsum("kil,ij->j", {a, b})), floats(expected)));
}

TEST(EinsumOrder, SumsObeyNoScopeAndProductsDo) {
  const Tensor a = normal({14, 6, 11}, 11), b = normal({6, 5}, 12);
  const Tensor sum =
      oracle(a, ones({14, 11}), {.lhs_contracting = {0, 2}, .rhs_contracting = {0, 1}}, {6});
  const Tensor expected = oracle(sum, b, {.lhs_contracting = {0}, .rhs_contracting = {0}}, {5},
                                 DotAlgorithm::kBF16_BF16_F32);
  const ScopedPrecision guard("bf16");
  EXPECT_TRUE(same_bits<float>(floats(einsum("kil,ij->j", {a, b})), floats(expected)));
  EXPECT_TRUE(same_bits<float>(floats(einsum("kil->i", {a})), floats(sum)));
}

TEST(EinsumOrder, ATraceIsSummedFirst) {
  const Tensor a = normal({150, 150}, 13), v = normal({3}, 14);
  const Tensor trace = oracle(TensorView(a.data<float>(), {150}, {151}), ones({150}),
                              {.lhs_contracting = {0}, .rhs_contracting = {0}}, {});
  const Tensor expected = oracle(trace, v, {}, {3});
  EXPECT_TRUE(same_bits<float>(floats(einsum("ii,j->j", {a, v})), floats(expected)));
}

// ---------------------------------------------------------------------------------------------
// types

Tensor bfloat16s(const Dims& shape, std::initializer_list<float> list) {
  return convert(Tensor::of<float>(shape, list), ElementType::kBF16);
}

TEST(EinsumTypes, TheResultHasTheOperandsCommonType) {
  const Tensor f = counted({2}), h = convert(f, ElementType::kF16),
               b = convert(f, ElementType::kBF16);
  EXPECT_EQ(einsum("i,i", {b, b}).type(), ElementType::kBF16);
  EXPECT_EQ(einsum("i,i", {b, f}).type(), ElementType::kF32);
  EXPECT_EQ(einsum("i,i", {b, h}).type(), ElementType::kF32);
  EXPECT_EQ(einsum("i,i,i", {b, b, h}).type(), ElementType::kF32);
  EXPECT_EQ(einsum("i,i", {f, convert(f, ElementType::kF64)}).type(), ElementType::kF64);
  EXPECT_EQ(einsum("i,i", {b, b}, {.preferred_element_type = ElementType::kF32}).type(),
            ElementType::kF32);
  EXPECT_EQ(einsum("i->", {b}).type(), ElementType::kBF16);
  EXPECT_EQ(einsum("i->i", {b}, {.preferred_element_type = ElementType::kF64}).type(),
            ElementType::kF64);
}

TEST(EinsumTypes, ASumIsKeptInItsAccumulationType) {
  // 256 + 1 is no bfloat16; times 2^-8 minus 1 is
  const Tensor a = bfloat16s({2}, {256, 1}), b = bfloat16s({}, {1});
  EXPECT_EQ(einsum("i,->", {a, b}, {.preferred_element_type = ElementType::kF32}).data<float>()[0],
            257);
  // ... and a sum that is the result is rounded once
  EXPECT_EQ(convert(einsum("i->", {a}), ElementType::kF32).data<float>()[0], 256);
}

TEST(EinsumTypes, ProductsOnTheWayHaveTheResultsType) {
  const Tensor a = bfloat16s({}, {1.0078125f}), one = bfloat16s({}, {1});  // 1 + 2^-7
  const Tensor narrow = einsum(",,", {a, a, one});
  EXPECT_EQ(convert(narrow, ElementType::kF32).data<float>()[0], 1.015625f);
  // with float32 anywhere the product of the first two is not rounded to bfloat16
  const Tensor wide = einsum(",,", {a, a, Tensor::of<float>({}, {1})});
  EXPECT_EQ(wide.data<float>()[0], 1.0078125f * 1.0078125f);
  const Tensor preferred = einsum(",,", {a, a, one}, {.preferred_element_type = ElementType::kF32});
  EXPECT_EQ(preferred.data<float>()[0], 1.0078125f * 1.0078125f);
}

TEST(EinsumTypes, ACopyKeepsEveryBit) {
  const float odd[] = {-0.0f, testing::from_bits(0x7F800001), testing::from_bits(1), 3};
  const Tensor t = einsum("ij->ji", {TensorView(odd, {2, 2})});
  EXPECT_EQ(testing::bits(t.data<float>()[0]), 0x80000000u);
  EXPECT_EQ(testing::bits(t.data<float>()[2]), 0x7F800001u);
}

TEST(EinsumTypes, OneOperandKeepsItsType) {
  for (const ElementType type :
       {ElementType::kF64, ElementType::kF32, ElementType::kBF16, ElementType::kF16}) {
    std::vector<std::uint8_t> bytes(6 * size_of(type));
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
    const Tensor t = einsum("ij->ji", {TensorView(bytes.data(), type, {2, 3})});
    EXPECT_EQ(t.type(), type);
    const auto* got = static_cast<const std::uint8_t*>(t.data());
    const std::size_t item = size_of(type);
    for (std::size_t byte = 0; byte < item; ++byte) {
      EXPECT_EQ(got[item + byte], bytes[3 * item + byte]) << to_string(type);
    }
  }
}

// ---------------------------------------------------------------------------------- scopes and
// traces

TEST(EinsumScopes, AScopeReachesEveryHiddenProduct) {
  const Tensor a = normal({4, 5}, 20), b = normal({5, 6}, 21), c = normal({6, 3}, 22);
  const Tensor wide = einsum("ij,jk,kl->il", {a, b, c});
  const Tensor argument = einsum("ij,jk,kl->il", {a, b, c}, {.precision = "bf16"});
  const ScopedPrecision guard("bf16");
  const Tensor scoped = einsum("ij,jk,kl->il", {a, b, c});
  EXPECT_TRUE(same_bits<float>(floats(scoped), floats(argument)));
  EXPECT_FALSE(same_bits<float>(floats(scoped), floats(wide)));
}

TEST(EinsumScopes, TheTraceSeesEveryProduct) {
  std::vector<TraceEvent> events;
  set_trace_callback([&](const TraceEvent& e) {
    events.push_back(e);
    EXPECT_EQ(e.op, "einsum");
    EXPECT_EQ(e.label, "chain");
    EXPECT_NE(e.caller.file, nullptr);
    EXPECT_GT(e.caller.line, 0);
  });
  const int line = __LINE__ + 2;
  const ScopedPrecision guard("tf32");
  einsum("xij,jk,kl->il", {normal({2, 4, 5}, 1), normal({5, 6}, 2), normal({6, 3}, 3)},
         {.label = "chain"});
  set_trace_callback(nullptr);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].resolution.algorithm, DotAlgorithm::kF32_F32_F32);  // the sum over x
  EXPECT_EQ(events[0].resolution.source, Source::kOperands);
  for (const std::size_t i : {1u, 2u}) {
    EXPECT_EQ(events[i].resolution.algorithm, DotAlgorithm::kTF32_TF32_F32);
    EXPECT_EQ(events[i].resolution.source, Source::kScope);
    EXPECT_EQ(events[i].caller.line, line);
  }
  EXPECT_EQ(events[1].lhs_shape, (Dims{5, 6}));  // 5 x 3 elements are fewer than 4 x 6
  EXPECT_EQ(events[2].out_shape, (Dims{4, 3}));
}

TEST(EinsumScopes, RequirementsActOnHiddenProducts) {
  const Tensor a = counted({2, 2});
  const ScopedRequirement guard("fp32");
  EXPECT_EQ(values(einsum("ij,jk", {a, a})), (std::vector<float>{7, 10, 15, 22}));
  EXPECT_NE(error_of([&] {
              einsum("ij,jk", {a, a}, {.precision = "tf32"});
            }).find("einsum"),
            std::string::npos);
}

// ---------------------------------------------------------------------------------------------
// errors

TEST(EinsumErrors, PointAtTheCharacter) {
  const Tensor a = counted({2, 3}), b = counted({3, 2});
  EXPECT_EQ(error_of([&] {
              einsum("ij;jk", {a, b});
            }),
            "einsum: \";\" is nothing an equation is made of; expected letters, \",\", \"...\", "
            "\"->\" and spaces\n  ij;jk\n    ^");
  EXPECT_EQ(error_of([&] {
              einsum("ij,jk->i->k", {a, b});
            }),
            "einsum: a second arrow; there is one result\n  ij,jk->i->k\n          ^");
  EXPECT_EQ(error_of([&] {
              einsum("ij,jk->i,k", {a, b});
            }),
            "einsum: a comma after the arrow; there is one result\n  ij,jk->i,k\n          ^");
  EXPECT_EQ(error_of([&] {
              einsum("...i...,jk", {a, b});
            }),
            "einsum: a second ellipsis in one term; a term may have one\n  ...i...,jk\n      ^");
  EXPECT_EQ(
      error_of([&] {
        einsum("ij,jk->ii", {a, b});
      }),
      "einsum: output letter \"i\" stands twice; each may stand once\n  ij,jk->ii\n          ^");
  EXPECT_EQ(error_of([&] {
              einsum("ij,jk->il", {a, b});
            }),
            "einsum: output letter \"l\" stands in no operand, so that its size is unknown\n"
            "  ij,jk->il\n          ^");
  EXPECT_EQ(error_of([&] {
              einsum("ij,kj->ik", {a, b});
            }),
            "einsum: letter \"j\" has size 3 in operand 0 and size 2 in operand 1 (shapes (2, 3) "
            "and (3, 2)); sizes of a letter must be equal or 1\n"
            "  ij,kj->ik\n      ^");
  EXPECT_EQ(error_of([&] { einsum("ii", {a}); }),
            "einsum: letter \"i\" has size 2 in operand 0 and size 3 in operand 0 (shapes (2, 3) "
            "and (2, 3)); a diagonal needs equal sizes\n"
            "  ii\n   ^");
  const Tensor narrow = counted({1, 3}), vector = counted({3});
  EXPECT_EQ(error_of([&] { einsum("i,ii", {vector, narrow}); }),
            "einsum: letter \"i\" has sizes 1 and 3 in operand 1 (shape (1, 3)); a diagonal needs "
            "equal sizes\n  i,ii\n     ^");
  EXPECT_EQ(error_of([&] {
              einsum("i...,...", {a, b});
            }),
            "einsum: dimension -1 of the ellipses has size 3 in operand 0 and size 2 in operand 1 "
            "(shapes (2, 3) and (3, 2)); counted from the last, sizes must be equal or 1\n"
            "  i...,...\n       ^");
  EXPECT_EQ(error_of([&] {
              einsum("ijk,jk", {a, b});
            }),
            "einsum: operand 0 has shape (2, 3) of rank 2, but its term has 3 letters; \"...\" "
            "stands for any further dimensions\n  ijk,jk\n  ^");
  EXPECT_EQ(error_of([&] {
              einsum("ij,...ijk", {a, b});
            }),
            "einsum: operand 1 has shape (3, 2) of rank 2, but its term has 3 letters beside the "
            "ellipsis\n  ij,...ijk\n     ^");
  EXPECT_EQ(error_of([&] {
              einsum("ij", {a, b});
            }),
            "einsum: the number of terms is 1, that of operands 2; there must be one term an "
            "operand\n  ij\n  ^");
  EXPECT_EQ(error_of([&] {
              einsum("ij,jk,k", {a, b});
            }),
            "einsum: the number of terms is 3, that of operands 2; there must be one term an "
            "operand\n  ij,jk,k\n        ^");
  EXPECT_EQ(error_of([&] { einsum("", {}); }),
            "einsum: the number of terms is 1, that of operands 0; there must be one term an "
            "operand\n  \n  ^");
}

TEST(EinsumErrors, ShowControlBytesAndLongEquationsSafely) {
  const std::string text = error_of([&] { einsum("i\n\x01\xff", {counted({2})}); });
  EXPECT_EQ(text,
            "einsum: \"\\x0a\" is nothing an equation is made of; expected letters, \",\", "
            "\"...\", \"->\" and spaces\n  i???\n   ^");
  const std::string late = error_of([&] { einsum(std::string(5000, 'i') + "!", {counted({2})}); });
  EXPECT_NE(late.find("\n  " + std::string(60, 'i') + "!\n  " + std::string(60, ' ') + "^"),
            std::string::npos);
}

TEST(EinsumErrors, NameAnUnsoundType) {
  const Tensor a = counted({2});
  DotOptions options;
  options.preferred_element_type = static_cast<ElementType>(99);
  for (const char* equation : {"i->i", "i->"}) {
    EXPECT_EQ(error_of([&] { einsum(equation, {a}, options); })
                  .find("einsum: preferred_element_type: ElementType(99) is no enumerator"),
              0u);
  }
}

TEST(EinsumErrors, NameTheOperandOfABadView) {
  const Tensor a = counted({2});
  EXPECT_EQ(error_of([&] {
              einsum("i,i", {a, TensorView(nullptr, ElementType::kF32, {2})});
            }),
            "einsum: operand 1 has shape (2,) but a null address; expected the address of its "
            "elements");
  EXPECT_EQ(error_of([&] {
              einsum("i,i", {a, TensorView(a.data<float>(), {2}, {1, 1})});
            }),
            "einsum: operand 1 has shape (2,) but strides (1, 1); there must be one stride a "
            "dimension");
}

TEST(EinsumErrors, ReadNoOperandOfAnEmptyResult) {
  const TensorView nowhere(nullptr, ElementType::kF32, {2, 3});
  EXPECT_EQ(einsum("ij,jk->ik", {nowhere, Tensor(ElementType::kF32, {3, 0})}).shape(), Dims({2, 0}));
}

TEST(EinsumErrors, ShowWholeCharacters) {
  const std::string text = error_of([&] { einsum("i\u00e9,i", {counted({2}), counted({2})}); });
  EXPECT_EQ(text.find("einsum: \"\u00e9\" is nothing an equation is made of"), 0u) << text;
}

TEST(EinsumErrors, NameTheTypeOfResultsOnTheWay) {
  const Tensor a = convert(counted({2, 2}), ElementType::kF8E4M3FN);
  const std::string text =
      error_of([&] { einsum("ij,jk,kl->il", {a, a, a}, {.precision = "fp8"}); });
  EXPECT_NE(text.find("(in product 2 of 2 of this einsum, where the results of earlier ones are "
                      "float32; preferred_element_type chooses another type)"),
            std::string::npos)
      << text;
}

TEST(EinsumErrors, NameTheCallOfAResultTooLarge) {
  float x = 1;
  const TensorView repeated(&x, {std::int64_t{1} << 40}, {0});
  const std::string text = error_of([&] { einsum("i,j->ij", {repeated, repeated}); });
  EXPECT_EQ(text,
            "einsum: tensor: shape (1099511627776, 1099511627776) has more than 2^63-1 elements");
}

}  // namespace
}  // namespace matprec
