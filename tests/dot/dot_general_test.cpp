// dot_general: shapes, types, views, epilogue, and every error text.
#include "matprec/dot_general.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "matprec/convert.h"
#include "matprec/explain.h"
#include "matprec/policy.h"
#include "tests/support/error_of.h"

namespace matprec {
namespace {

using testing::error_of;

Tensor counted(const Dims& shape) {
  Tensor t(ElementType::kF32, shape);
  for (std::int64_t i = 0; i < t.size(); ++i) t.data<float>()[i] = static_cast<float>(i % 17 - 5);
  return t;
}

std::vector<float> values(const Tensor& t) {
  return std::vector<float>(t.data<float>(), t.data<float>() + t.size());
}

TEST(DotGeneral, OutputIsBatchThenLhsKeptThenRhsKept) {
  const Tensor lhs = counted({2, 3, 4, 5, 6}), rhs = counted({6, 7, 4, 2});
  const Tensor out = dot_general(lhs, rhs,
                                 {.lhs_contracting = {0}, .rhs_contracting = {3},
                                  .lhs_batch = {4, 2}, .rhs_batch = {0, 2}});
  EXPECT_EQ(out.shape(), (Dims{6, 4, 3, 5, 7}));
  double sum = 0;  // one entry by hand: batch (5, 3), lhs kept (2, 4), rhs kept 6
  for (std::int64_t k = 0; k < 2; ++k) {
    const std::int64_t l = ((((k * 3 + 2) * 4 + 3) * 5 + 4) * 6 + 5);
    const std::int64_t r = (((5 * 7 + 6) * 4 + 3) * 2 + k);
    sum += static_cast<double>(lhs.data<float>()[l]) * static_cast<double>(rhs.data<float>()[r]);
  }
  const std::int64_t at = ((((5 * 4 + 3) * 3 + 2) * 5 + 4) * 7 + 6);
  EXPECT_EQ(static_cast<double>(out.data<float>()[at]), sum);
}

TEST(DotGeneral, ContractingPairsMayBeListedInAnyOrder) {
  const Tensor lhs = counted({2, 3, 4}), rhs = counted({4, 3, 5});
  const DotDimensionNumbers one = {.lhs_contracting = {1, 2}, .rhs_contracting = {1, 0}};
  const DotDimensionNumbers other = {.lhs_contracting = {2, 1}, .rhs_contracting = {0, 1}};
  EXPECT_EQ(values(dot_general(lhs, rhs, one)), values(dot_general(lhs, rhs, other)));
}

TEST(DotGeneral, ScalarsMultiply) {
  const float a = 3, b = 5;
  const Tensor out = dot_general(TensorView(&a, {}), TensorView(&b, {}), {});
  EXPECT_EQ(out.rank(), 0u);
  EXPECT_EQ(out.data<float>()[0], 15);
}

TEST(DotGeneral, WithoutContractingDimensionsItIsTheOuterProduct) {
  const Tensor out = dot_general(counted({3}), counted({4}), {});
  EXPECT_EQ(out.shape(), (Dims{3, 4}));
  EXPECT_EQ(out.data<float>()[1 * 4 + 2], -4 * -3);
}

TEST(DotGeneral, AllBatchIsTheElementwiseProduct) {
  const Tensor out = dot_general(counted({2, 3}), counted({2, 3}),
                                 {.lhs_batch = {0, 1}, .rhs_batch = {0, 1}});
  EXPECT_EQ(values(out), (std::vector<float>{25, 16, 9, 4, 1, 0}));
}

TEST(DotGeneral, NoStepsGivePositiveZero) {
  const Tensor out = dot_general(Tensor(ElementType::kF32, {2, 0}), Tensor(ElementType::kF32, {0, 3}),
                                 {.lhs_contracting = {1}, .rhs_contracting = {0}});
  EXPECT_EQ(values(out), std::vector<float>(6, 0.0f));
  EXPECT_FALSE(std::signbit(out.data<float>()[0]));
}

TEST(DotGeneral, EmptyResultsTouchNothing) {
  float guard = 7;
  const TensorView empty(&guard, {0, 3});
  dot_general_into(MutableTensorView(&guard, {0, 3}), empty, counted({3, 3}),
                   {.lhs_contracting = {1}, .rhs_contracting = {0}});
  EXPECT_EQ(guard, 7);
}

TEST(DotGeneral, EmptyResultsMayHaveLongSums) {
  const std::int64_t k = 100'000;  // many blocks of steps
  const Tensor c = matmul(Tensor(ElementType::kF32, {0, k}), Tensor(ElementType::kF32, {k, 0}));
  EXPECT_EQ(c.shape(), (Dims{0, 0}));
  const Tensor d = matmul(Tensor(ElementType::kF64, {0, k}), Tensor(ElementType::kF64, {k, 0}));
  EXPECT_EQ(d.shape(), (Dims{0, 0}));
}

TEST(DotGeneral, EmptyOperandsMayHaveAnySizesAndStrides) {
  const float x = 0;
  const std::int64_t huge = std::int64_t{1} << 40;
  const std::int64_t far = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(dot_general(TensorView(&x, {2, huge, huge, 0}), TensorView(&x, {huge, huge, 0, 3}),
                        {.lhs_contracting = {1, 2, 3}, .rhs_contracting = {0, 1, 2}})
                .shape(),
            (Dims{2, 3}));
  EXPECT_EQ(
      dot_general(TensorView(&x, {3, 3, 0}, {far, far, 1}), TensorView(&x, {0, 3}, {1, -far - 1}),
                  {.lhs_contracting = {2}, .rhs_contracting = {0}})
          .shape(),
      (Dims{3, 3, 3}));
  EXPECT_EQ(explain("fp32", ElementType::kF32, ElementType::kF32, {.m = far, .k = far}).fmas, 1);
}

TEST(DotGeneral, ResultTypeIsTheWiderOperand) {
  constexpr ElementType f64 = ElementType::kF64, f32 = ElementType::kF32;
  constexpr ElementType bf16 = ElementType::kBF16, f16 = ElementType::kF16;
  EXPECT_EQ(result_type(f64, bf16), f64);
  EXPECT_EQ(result_type(f16, f32), f32);
  EXPECT_EQ(result_type(bf16, bf16), bf16);
  EXPECT_EQ(result_type(f16, f16), f16);
  EXPECT_EQ(result_type(f16, bf16), f32);
}

TEST(DotGeneral, PreferredElementTypeIsRoundedToOnce) {
  const Tensor a = convert(Tensor::of<float>({1, 2}, {-1.6171875f, .5703125f}), ElementType::kBF16);
  const Tensor b = convert(Tensor::of<float>({2, 1}, {127, -4}), ElementType::kBF16);
  const Tensor wide = matmul(a, b, {.preferred_element_type = ElementType::kF32});
  EXPECT_EQ(wide.data<float>()[0], -207.6640625f);
  EXPECT_EQ(convert(matmul(a, b), ElementType::kF32).data<float>()[0], -208.0f);
}

TEST(DotGeneral, LeadingDimensionsBeyond32BitsWork) {
  constexpr std::int64_t kLeading = 1'200'000'000;
  constexpr std::size_t kBytes = (kLeading + 16) * sizeof(float);  // address space, not memory
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no 5 GB of address space here";
  float* x = static_cast<float*>(memory);
  x[0] = 1, x[1] = 2, x[kLeading] = 3, x[kLeading + 1] = 4;
  const Tensor out = matmul(TensorView(x, {2, 2}, {kLeading, 1}), counted({2, 1}));
  EXPECT_EQ(values(out), (std::vector<float>{1 * -5 + 2 * -4, 3 * -5 + 4 * -4}));
  munmap(memory, kBytes);
}

TEST(DotGeneral, RefusalsNameTheDimensionAndBothValues) {
  const Tensor a = counted({2, 3}), b = counted({4, 5});
  EXPECT_EQ(error_of([&] { dot_general(a, b, {.lhs_contracting = {1}, .rhs_contracting = {0}}); }),
            "dot_general: contracting dims disagree: lhs dim 1 has size 3, rhs dim 0 has size 4 "
            "(lhs shape (2, 3), rhs shape (4, 5)); paired sizes must be equal");
  EXPECT_EQ(error_of([&] { dot_general(a, b, {.lhs_batch = {0}, .rhs_batch = {0}}); }),
            "dot_general: batch dims disagree: lhs dim 0 has size 2, rhs dim 0 has size 4 "
            "(lhs shape (2, 3), rhs shape (4, 5)); paired sizes must be equal");
  EXPECT_EQ(error_of([&] { dot_general(a, b, {.lhs_contracting = {2}, .rhs_contracting = {0}}); }),
            "dot_general: lhs contracting dimensions (2,) name dimension 2, but lhs has shape "
            "(2, 3); dimension numbers are 0 to rank-1 = 1");
  EXPECT_EQ(error_of([&] { dot_general(a, b, {.lhs_batch = {0}, .rhs_batch = {-1}}); }),
            "dot_general: rhs batch dimensions (-1,) name dimension -1, but rhs has shape (4, 5); "
            "dimension numbers are 0 to rank-1 = 1");
  EXPECT_EQ(
      error_of([&] { dot_general(a, b, {.lhs_contracting = {1, 1}, .rhs_contracting = {0, 1}}); }),
      "dot_general: lhs contracting dimensions (1, 1) name dimension 1 twice; each may stand once");
  EXPECT_EQ(error_of([&] {
              dot_general(a, a, {.lhs_contracting = {0}, .rhs_contracting = {1},
                                 .lhs_batch = {0}, .rhs_batch = {0}});
            }),
            "dot_general: lhs dimension 0 is named both as batch (0,) and as contracting (0,); it "
            "can be one of them");
  EXPECT_EQ(error_of([&] { dot_general(a, b, {.lhs_contracting = {1}}); }),
            "dot_general: contracting dimensions come in pairs, but lhs has 1 (1,) and rhs has 0 ()");
  EXPECT_EQ(error_of([&] { dot_general(a, b, {.rhs_batch = {1}}); }),
            "dot_general: batch dimensions come in pairs, but lhs has 0 () and rhs has 1 (1,)");
}

TEST(DotGeneral, RefusesViewsWhoseStridesDoNotFit) {
  float x[4] = {};
  const Tensor b = counted({2, 2});
  const DotDimensionNumbers numbers = {.lhs_contracting = {1}, .rhs_contracting = {0}};
  EXPECT_EQ(error_of([&] { dot_general(TensorView(x, {2, 2}, {1}), b, numbers); }),
            "dot_general: lhs has shape (2, 2) but strides (1,); there must be one stride a "
            "dimension");
  EXPECT_EQ(error_of([&] { dot_general(b, TensorView(x, {2, -2}, {1, 1}), numbers); }),
            "dot_general: rhs has shape (2, -2) with the negative size -2; sizes are 0 or more");
}

TEST(DotGeneral, RefusesNumbersThatAreNoEnumerators) {
  const Tensor a = counted({2, 2});
  const auto type = static_cast<ElementType>(13);
  const auto algorithm = static_cast<DotAlgorithm>(77);
  const TensorView unknown(static_cast<const void*>(a.data()), type, {2, 2});
  const std::string expected = " is no enumerator; expected ElementType(0) to ElementType(12)";
  EXPECT_EQ(error_of([&] { matmul(unknown, a); }), "matmul: lhs: ElementType(13)" + expected);
  EXPECT_EQ(error_of([&] { matmul(a, a, {.preferred_element_type = type}); }),
            "matmul: preferred_element_type: ElementType(13)" + expected);
  EXPECT_EQ(error_of([&] { explain(a, a, {.preferred_element_type = type}); }),
            "explain: preferred_element_type: ElementType(13)" + expected);
  EXPECT_EQ(error_of([&] { resolve({}, ElementType::kF32, type); }),
            "resolve: ElementType(13)" + expected);
  EXPECT_EQ(error_of([&] { Tensor(static_cast<ElementType>(99), {2}); }),
            "tensor: ElementType(99)" + expected);
  EXPECT_EQ(error_of([&] { convert(a, type); }), "convert: ElementType(13)" + expected);
  EXPECT_EQ(error_of([&] { round_to(a, static_cast<PrecisionType>(33)); }),
            "round_to: PrecisionType(33) is no enumerator; expected PrecisionType(0) to "
            "PrecisionType(6)");
  EXPECT_EQ(error_of([&] { split(a, static_cast<PrecisionType>(33), 2); }),
            "split: PrecisionType(33) is no enumerator; expected PrecisionType(0) to "
            "PrecisionType(6)");
  EXPECT_EQ(error_of([&] { matmul(a, a, {.transpose_algorithm = algorithm}); }),
            "transpose_algorithm: DotAlgorithm(77) is no enumerator; expected DotAlgorithm(0) to "
            "DotAlgorithm(11)");
  Tensor out(ElementType::kF32, {2, 2});
  EXPECT_EQ(error_of([&] {
              reference_dot_general_into(
                  out, a, a, {.lhs_contracting = {1}, .rhs_contracting = {0}}, algorithm);
            }),
            "reference_dot_general: DotAlgorithm(77) is no enumerator; expected DotAlgorithm(0) to "
            "DotAlgorithm(11)");
  EXPECT_EQ(to_string(algorithm), "unknown");
  EXPECT_EQ(to_string(static_cast<Precision>(9)), "unknown");
  EXPECT_EQ(to_string(static_cast<PrecisionType>(33)), "unknown");
}

struct Into {
  std::vector<float> out = std::vector<float>(64, 7.0f);
  Tensor a = counted({2, 3}), b = counted({3, 4});
  DotDimensionNumbers numbers = {.lhs_contracting = {1}, .rhs_contracting = {0}};

  std::string error(const MutableTensorView& view, const DotOptions& options = {},
                    const DotEpilogue& epilogue = {}) {
    return error_of([&] { dot_general_into(view, a, b, numbers, options, epilogue); });
  }
  bool untouched() const { return out == std::vector<float>(64, 7.0f); }
};

TEST(DotGeneralInto, RefusesBeforeAnythingIsWritten) {
  Into c;
  EXPECT_EQ(c.error(MutableTensorView(c.out.data(), {4, 2})),
            "dot_general: out has shape (4, 2), but the result has (2, 4)");
  EXPECT_EQ(c.error(MutableTensorView(c.out.data(), {2, 4}),
                    {.preferred_element_type = ElementType::kF64}),
            "dot_general: out has type float32, but preferred_element_type is float64; they must be "
            "equal");
  EXPECT_EQ(c.error(MutableTensorView(c.out.data(), {2, 4}, {2, 1})),
            "dot_general: out of shape (2, 4) with strides (2, 1) names one element more than once; "
            "give each its own");
  EXPECT_EQ(c.error(MutableTensorView(c.out.data(), {2, 4}), {},
                    {.bias = TensorView(c.a.data<float>(), {3})}),
            "dot_general: bias of shape (3,) does not broadcast to (2, 4); aligned at the last "
            "dimension, each size must be equal or 1");
  EXPECT_EQ(c.error(MutableTensorView(c.out.data(), {2, 4}), {},
                    {.beta = 1, .c = TensorView(c.b.data<float>(), {4, 2})}),
            "dot_general: c has shape (4, 2), but the result has (2, 4)");
  EXPECT_TRUE(c.untouched());
}

TEST(DotGeneralInto, RefusesAnOutputOverAnOperand) {
  std::vector<float> memory(64, 1.0f);
  const DotDimensionNumbers numbers = {.lhs_contracting = {1}, .rhs_contracting = {0}};
  const TensorView lhs(memory.data(), {2, 3}), rhs(memory.data() + 20, {3, 4});
  EXPECT_EQ(error_of([&] {
              dot_general_into(MutableTensorView(memory.data() + 4, {2, 4}), lhs, rhs, numbers);
            }),
            "dot_general: the output shares memory with lhs (output shape (2, 4) strides (4, 1), "
            "lhs shape (2, 3) strides (3, 1)); write to memory of its own and copy");
  EXPECT_EQ(error_of([&] {
              dot_general_into(MutableTensorView(memory.data() + 24, {2, 4}), lhs, rhs, numbers);
            }).substr(0, 49),
            "dot_general: the output shares memory with rhs (o");
}

TEST(DotGeneralInto, InterleavedPanelsOfOneBufferAreLegal) {
  std::vector<float> memory(80, 1.0f);  // rows of 8: operands in columns 0..3, the output in 4..7
  const DotDimensionNumbers numbers = {.lhs_contracting = {1}, .rhs_contracting = {0}};
  dot_general_into(MutableTensorView(memory.data() + 4, {4, 4}, {8, 1}),
                   TensorView(memory.data(), {4, 4}, {8, 1}),
                   TensorView(memory.data() + 40, {4, 4}, {8, 1}), numbers);
  EXPECT_EQ(memory[4], 4.0f);
  EXPECT_EQ(memory[3], 1.0f);
}

TEST(DotGeneralInto, WritesOnlyTheElementsOfItsView) {
  Into c;
  dot_general_into(MutableTensorView(c.out.data() + 40, {2, 4}, {-20, 3}), c.a, c.b, c.numbers);
  const Tensor plain = matmul(c.a, c.b);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < 64; ++i) changed += c.out[i] != 7.0f;
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) {
      EXPECT_EQ(c.out[static_cast<std::size_t>(40 - 20 * i + 3 * j)], plain.data<float>()[i * 4 + j]);
    }
  }
  EXPECT_LE(changed, 8u);
}

TEST(DotGeneralInto, BetaZeroDoesNotReadC) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Into c;
  c.out.assign(64, nan);
  dot_general_into(MutableTensorView(c.out.data(), {2, 4}), c.a, c.b, c.numbers);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_FALSE(std::isnan(c.out[i]));
}

TEST(DotGeneralInto, AlphaZeroDoesNotReadTheOperands) {
  std::vector<float> out(8, 1.0f);
  const TensorView none_a(static_cast<const float*>(nullptr), {2, 3});
  const TensorView none_b(static_cast<const float*>(nullptr), {3, 4});
  const DotDimensionNumbers numbers = {.lhs_contracting = {1}, .rhs_contracting = {0}};
  dot_general_into(MutableTensorView(out.data(), {2, 4}), none_a, none_b, numbers, {},
                   {.alpha = 0, .beta = 2});
  EXPECT_EQ(out, std::vector<float>(8, 2.0f));
  const float signalling = std::bit_cast<float>(0x7F800001u);
  out.assign(8, signalling);
  dot_general_into(MutableTensorView(out.data(), {2, 4}), none_a, none_b, numbers, {},
                   {.alpha = 0, .beta = 1});
  EXPECT_EQ(std::bit_cast<std::uint32_t>(out[3]), 0x7F800001u);  // nothing was written
}

TEST(DotGeneralInto, RefusesElementsWithoutAnAddress) {
  const auto text = [](const std::string& name, const std::string& shape) {
    return name + " has shape " + shape +
           " but a null address; expected the address of its elements";
  };
  Into c;
  float* const nowhere = nullptr;
  const MutableTensorView out(c.out.data(), {2, 4});
  const TensorView none(nowhere, {2, 3}), none_c(nowhere, {2, 4});
  EXPECT_EQ(error_of([&] { matmul(none, c.b); }), text("matmul: lhs", "(2, 3)"));
  EXPECT_EQ(error_of([&] {
              matmul(none_c, TensorView(nowhere, {4, 1}));
            }),
            text("matmul: lhs", "(2, 4)"));
  EXPECT_EQ(c.error(MutableTensorView(nowhere, {2, 4})), text("dot_general: out", "(2, 4)"));
  EXPECT_EQ(c.error(out, {}, {.beta = 1, .c = none_c}), text("dot_general: c", "(2, 4)"));
  EXPECT_EQ(c.error(out, {}, {.bias = TensorView(nowhere, {4})}),
            text("dot_general: bias", "(4,)"));
  EXPECT_EQ(error_of([&] { convert(none, ElementType::kF64); }), text("convert: x", "(2, 3)"));
  EXPECT_TRUE(c.untouched());
  // Without elements there is nothing to have an address.
  EXPECT_EQ(matmul(TensorView(nowhere, {2, 0}), TensorView(nowhere, {0, 3})).shape(), (Dims{2, 3}));
  EXPECT_EQ(matmul(TensorView(nowhere, {0, 3}), TensorView(nowhere, {3, 2})).shape(), (Dims{0, 2}));
}

TEST(DotGeneralInto, BiasIsAddedBeforeTheOneRounding) {
  const float one = 1, near = 1.00390625f, minus = -1;
  std::uint16_t out = 0;
  dot_general_into(MutableTensorView(reinterpret_cast<BFloat16*>(&out), {1, 1}),
                   TensorView(&one, {1, 1}), TensorView(&near, {1, 1}),
                   {.lhs_contracting = {1}, .rhs_contracting = {0}}, {},
                   {.bias = TensorView(&minus, {1})});
  EXPECT_EQ(out, 0x3B80);  // 2^-8; rounding the product first would give 0
}

TEST(Matmul, FollowsNumPyForRankOneOperands) {
  const Tensor v = counted({3}), m = counted({3, 2}), batch = counted({4, 5, 3});
  EXPECT_EQ(matmul(v, v).shape(), (Dims{}));
  EXPECT_EQ(matmul(v, m).shape(), (Dims{2}));
  EXPECT_EQ(matmul(batch, v).shape(), (Dims{4, 5}));
  EXPECT_EQ(matmul(v, v).data<float>()[0], 25 + 16 + 9);
}

TEST(Matmul, BroadcastsBatchDimensions) {
  const Tensor a = counted({2, 1, 3, 4}), b = counted({5, 4, 2});
  const Tensor c = matmul(a, b);
  EXPECT_EQ(c.shape(), (Dims{2, 5, 3, 2}));
  const Tensor one = matmul(TensorView(a.data<float>() + 12, {3, 4}),
                            TensorView(b.data<float>() + 3 * 8, {4, 2}));
  const std::vector<float> all = values(c);
  EXPECT_EQ(std::vector<float>(all.begin() + (5 + 3) * 6, all.begin() + (5 + 4) * 6), values(one));
}

TEST(Matmul, RefusalsNameShapesAndSizes) {
  const Tensor a = counted({2, 3}), b = counted({4, 5});
  EXPECT_EQ(error_of([&] { matmul(a, b); }),
            "matmul: inner sizes disagree: lhs dim 1 has size 3, rhs dim 0 has size 4 (lhs shape "
            "(2, 3), rhs shape (4, 5)); they must be equal");
  EXPECT_EQ(error_of([&] { matmul(counted({2, 2, 3}), counted({3, 3, 4})); }),
            "matmul: batch sizes 2 and 3 do not broadcast (lhs shape (2, 2, 3), rhs shape (3, 3, "
            "4)); aligned from the last batch dimension on, they must be equal or 1");
  EXPECT_EQ(error_of([&] { matmul(counted({}), a); }),
            "matmul: an operand has rank 0 (lhs shape (), rhs shape (2, 3)); operands have rank 1 "
            "or more, multiply by a scalar with dot");
}

TEST(Dims, AreEmptyAfterAMove) {
  for (const std::size_t rank : {2u, 9u}) {  // in the object and on the heap
    Dims from;
    for (std::size_t i = 0; i < rank; ++i) from.push_back(static_cast<std::int64_t>(i));
    const Dims copy = from;
    Dims to = std::move(from);
    EXPECT_EQ(to, copy);
    EXPECT_EQ(to_string(from), "()");
    from.push_back(7);
    EXPECT_EQ(from, (Dims{7}));
    from = std::move(to);
    EXPECT_EQ(from, copy);
    EXPECT_TRUE(to.empty());
  }
}

TEST(Tensor, RefusalsNameShapeAndCount) {
  EXPECT_EQ(error_of([] { Tensor::of<float>({2, 2}, {1, 2, 3}); }),
            "Tensor::of: shape (2, 2) has 4 elements, but 3 values were given");
  EXPECT_EQ(error_of([] { Tensor(ElementType::kF32, {2, -1}); }),
            "tensor: shape (2, -1) has the negative size -1; sizes are 0 or more");
  EXPECT_EQ(error_of([] { Tensor(ElementType::kF32, {1LL << 40, 1LL << 40}); }),
            "tensor: shape (1099511627776, 1099511627776) has more than 2^63-1 elements");
  EXPECT_EQ(error_of([] { Tensor(ElementType::kF32, {1}).data<double>(); }),
            "Tensor::data: the elements are float32, but were asked for as float64");
}

}  // namespace
}  // namespace matprec
