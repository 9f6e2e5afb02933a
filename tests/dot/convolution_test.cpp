#include "matprec/convolution.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
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

// The dimensions of `view` in another order: dimension i of the result is dimension order[i].
TensorView reordered(const TensorView& view, const Dims& order) {
  Dims shape, strides;
  for (const std::int64_t dim : order) {
    shape.push_back(view.shape()[static_cast<std::size_t>(dim)]);
    strides.push_back(view.strides()[static_cast<std::size_t>(dim)]);
  }
  return {view.data(), view.type(), shape, strides};
}

Tensor copied(const TensorView& view) { return convert(view, view.type()); }

struct Case {
  Dims lhs, rhs;  // NHWC, HWIO
  Dims strides = {1, 1};
  std::array<std::array<std::int64_t, 2>, 2> padding = {};
  Dims lhs_dilation = {1, 1}, rhs_dilation = {1, 1};
  std::int64_t groups = 1;

  ConvOptions options() const {
    return {.strides = strides,
            .padding = ConvPadding::explicit_pairs({{padding[0][0], padding[0][1]}, {padding[1][0], padding[1][1]}}),
            .lhs_dilation = lhs_dilation,
            .rhs_dilation = rhs_dilation,
            .feature_groups = groups};
  }
};

const Case kCases[] = {
    {{2, 7, 6, 5}, {3, 2, 5, 4}},
    {{2, 7, 6, 5}, {3, 2, 5, 4}, {2, 3}},
    {{1, 7, 6, 3}, {3, 3, 3, 4}, {1, 1}, {{{1, 1}, {1, 1}}}},
    {{3, 5, 4, 2}, {2, 3, 2, 7}, {2, 1}, {{{0, 3}, {2, 1}}}},
    {{1, 9, 8, 2}, {3, 2, 2, 3}, {1, 2}, {{{1, 0}, {0, 2}}}, {1, 1}, {2, 3}},
    {{2, 4, 5, 3}, {3, 3, 3, 2}, {1, 1}, {{{2, 2}, {1, 2}}}, {2, 3}},
    {{2, 4, 5, 3}, {2, 2, 3, 2}, {3, 2}, {{{1, 0}, {0, 1}}}, {2, 2}, {1, 2}},
    {{1, 9, 8, 2}, {3, 2, 2, 3}, {1, 1}, {{{-2, -1}, {1, -3}}}},
    {{1, 5, 8, 2}, {1, 2, 2, 3}, {1, 1}, {{{-1, 1}, {-3, 2}}}, {3, 2}},
    {{2, 6, 5, 6}, {2, 3, 2, 9}, {1, 2}, {{{1, 1}, {0, 0}}}, {1, 1}, {1, 1}, 3},
    {{2, 5, 5, 4}, {3, 3, 1, 8}, {2, 2}, {{{1, 1}, {1, 1}}}, {1, 1}, {1, 1}, 4},  // depthwise
    {{2, 5, 6, 130}, {1, 1, 130, 33}},
    {{1, 12, 11, 40}, {3, 3, 40, 20}, {1, 1}, {{{1, 1}, {1, 1}}}},
    {{1, 2, 2, 3}, {3, 3, 3, 4}},                                     // the filter does not fit
    {{0, 4, 4, 3}, {3, 3, 3, 4}},
    {{2, 4, 4, 3}, {3, 3, 3, 0}},
    {{2, 4, 4, 0}, {3, 3, 0, 5}},
};

// The im2col matrix of one group, zeros where nothing of the input lies; its rows are (n, oh, ow).
Tensor im2col(const Case& c, const Tensor& lhs, std::int64_t group, Dims* positions) {
  std::array<std::int64_t, 2> out;
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t size = lhs.shape()[d + 1];
    const std::int64_t padded = (size == 0 ? 0 : (size - 1) * c.lhs_dilation[d] + 1) + c.padding[d][0] + c.padding[d][1];
    const std::int64_t filter = (c.rhs[d] - 1) * c.rhs_dilation[d] + 1;
    out[d] = padded < filter ? 0 : (padded - filter) / c.strides[d] + 1;
  }
  const std::int64_t features = c.rhs[2], steps = c.rhs[0] * c.rhs[1] * features;
  Tensor matrix(lhs.type(), {c.lhs[0] * out[0] * out[1], steps});
  const std::size_t item = size_of(lhs.type());
  std::int64_t row = 0;
  for (std::int64_t n = 0; n < c.lhs[0]; ++n) {
    for (std::int64_t oh = 0; oh < out[0]; ++oh) {
      for (std::int64_t ow = 0; ow < out[1]; ++ow, ++row) {
        std::int64_t step = 0;
        for (std::int64_t kh = 0; kh < c.rhs[0]; ++kh) {
          for (std::int64_t kw = 0; kw < c.rhs[1]; ++kw) {
            for (std::int64_t f = 0; f < features; ++f, ++step) {
              const std::int64_t h = oh * c.strides[0] + kh * c.rhs_dilation[0] - c.padding[0][0];
              const std::int64_t w = ow * c.strides[1] + kw * c.rhs_dilation[1] - c.padding[1][0];
              if (h < 0 || w < 0 || h % c.lhs_dilation[0] != 0 || w % c.lhs_dilation[1] != 0) continue;
              const std::int64_t y = h / c.lhs_dilation[0], x = w / c.lhs_dilation[1];
              if (y >= c.lhs[1] || x >= c.lhs[2]) continue;
              const std::int64_t from = ((n * c.lhs[1] + y) * c.lhs[2] + x) * c.lhs[3] + group * features + f;
              std::memcpy(static_cast<char*>(matrix.data()) + (row * steps + step) * static_cast<std::int64_t>(item),
                          static_cast<const char*>(lhs.data()) + from * static_cast<std::int64_t>(item), item);
            }
          }
        }
      }
    }
  }
  *positions = {c.lhs[0], out[0], out[1]};
  return matrix;
}

// The convolution as products of matrices, by dot_general alone.
Tensor by_products(const Case& c, const Tensor& lhs, const Tensor& rhs, const DotOptions& options) {
  const std::int64_t outputs = c.rhs[3] / c.groups, steps = c.rhs[0] * c.rhs[1] * c.rhs[2];
  Tensor result(ElementType::kF32, {});
  for (std::int64_t group = 0; group < c.groups; ++group) {
    Dims positions;
    const Tensor matrix = im2col(c, lhs, group, &positions);
    const std::int64_t rows = matrix.shape()[0];
    const TensorView filter(static_cast<const char*>(rhs.data()) + group * outputs * static_cast<std::int64_t>(size_of(rhs.type())),
                            rhs.type(), {steps, outputs}, {c.rhs[3], 1});
    const Tensor part = dot_general(matrix, filter, {{1}, {0}, {}, {}}, options);
    if (group == 0) result = Tensor(part.type(), {positions[0], positions[1], positions[2], c.rhs[3]});
    const std::size_t item = size_of(part.type());
    for (std::int64_t r = 0; r < rows && outputs > 0; ++r) {
      std::memcpy(static_cast<char*>(result.data()) + (r * c.rhs[3] + group * outputs) * static_cast<std::int64_t>(item),
                  static_cast<const char*>(part.data()) + r * outputs * static_cast<std::int64_t>(item),
                  item * static_cast<std::size_t>(outputs));
    }
  }
  return result;
}

TEST(Convolution, HasTheBitsOfTheIm2colProduct) {
  int number = 0;
  for (const Case& c : kCases) {
    const Tensor lhs = random_tensor(ElementType::kF32, c.lhs, 1), rhs = random_tensor(ElementType::kF32, c.rhs, 2);
    for (const char* precision : {"float32", "bf16", "bf16x3"}) {
      const DotOptions options{.precision = precision};
      EXPECT_TRUE(same(conv_general_dilated(lhs, rhs, c.options(), options), by_products(c, lhs, rhs, options)))
          << "case " << number << ", " << precision;
    }
    ++number;
  }
}

TEST(Convolution, OfEveryType) {
  const Case c = kCases[3];
  for (const ElementType type : {ElementType::kF64, ElementType::kBF16, ElementType::kF16, ElementType::kF8E4M3FN, ElementType::kC64}) {
    const Tensor lhs = random_tensor(type, c.lhs, 1), rhs = random_tensor(type, c.rhs, 2);
    EXPECT_TRUE(same(conv_general_dilated(lhs, rhs, c.options()), by_products(c, lhs, rhs, {}))) << to_string(type);
  }
}

TEST(Convolution, LayoutsChangeNoBit) {
  for (const Case& c : kCases) {
    const Tensor lhs = random_tensor(ElementType::kF32, c.lhs, 1), rhs = random_tensor(ElementType::kF32, c.rhs, 2);
    const Tensor expected = conv_general_dilated(lhs, rhs, c.options());
    ConvOptions options = c.options();
    options.lhs_layout = "NCHW", options.rhs_layout = "OIHW";
    const Tensor channels_first = copied(reordered(lhs, {0, 3, 1, 2})), outputs_first = copied(reordered(rhs, {3, 2, 0, 1}));
    const Tensor out = conv_general_dilated(channels_first, outputs_first, options);
    EXPECT_TRUE(same(copied(reordered(out, {0, 2, 3, 1})), expected));
    // Views with strides of their own.
    EXPECT_TRUE(same(conv_general_dilated(reordered(channels_first, {0, 2, 3, 1}), reordered(outputs_first, {2, 3, 1, 0}), c.options()),
                     expected));
    options.lhs_layout = "CWNH";
    const Tensor odd = conv_general_dilated(reordered(lhs, {3, 2, 0, 1}), outputs_first, options);
    EXPECT_TRUE(same(copied(reordered(odd, {2, 3, 1, 0})), expected));
  }
}

TEST(Convolution, InOneDimensionIsThatOfHeightOne) {
  const Tensor x = random_tensor(ElementType::kF32, {2, 11, 5}, 1), w = random_tensor(ElementType::kF32, {3, 5, 4}, 2);
  const Tensor out = conv_general_dilated(
      x, w, {.strides = {2}, .padding = ConvPadding::explicit_pairs({{1, 2}}), .rhs_dilation = {2}});
  const Tensor flat = conv_general_dilated(
      TensorView(x.data(), x.type(), {2, 1, 11, 5}), TensorView(w.data(), w.type(), {1, 3, 5, 4}),
      {.strides = {1, 2}, .padding = ConvPadding::explicit_pairs({{0, 0}, {1, 2}}), .rhs_dilation = {1, 2}});
  ASSERT_EQ(out.shape(), (Dims{2, 5, 4}));
  EXPECT_EQ(std::memcmp(out.data(), flat.data(), 2 * 5 * 4 * 4), 0);
  const Tensor turned = copied(reordered(x, {0, 2, 1})), filter = copied(reordered(w, {2, 1, 0}));
  const Tensor first = conv_general_dilated(turned, filter,
                                            {.strides = {2},
                                             .padding = ConvPadding::explicit_pairs({{1, 2}}),
                                             .rhs_dilation = {2},
                                             .lhs_layout = "NCW",
                                             .rhs_layout = "OIW"});
  EXPECT_TRUE(same(copied(reordered(first, {0, 2, 1})), out));
}

TEST(Convolution, PadsBySameAsXlaDoes) {
  // (size, filter, stride, dilation) -> (before, after): missing zeros are halved, the odd one stands at the end.
  struct Row {
    std::int64_t size, filter, stride, dilation, before, after;
  };
  for (const Row& r : {Row{5, 3, 1, 1, 1, 1}, {5, 2, 1, 1, 0, 1}, {6, 3, 2, 1, 0, 1}, {7, 3, 2, 1, 1, 1},
                       {5, 3, 1, 2, 2, 2}, {4, 1, 3, 1, 0, 0}, {9, 4, 2, 1, 1, 2}}) {
    const Tensor x = random_tensor(ElementType::kF32, {1, r.size, 3}, 1), w = random_tensor(ElementType::kF32, {r.filter, 3, 2}, 2);
    const ConvOptions same_padding{.strides = {r.stride}, .padding = ConvPadding::same(), .rhs_dilation = {r.dilation}};
    ConvOptions by_hand = same_padding;
    by_hand.padding = ConvPadding::explicit_pairs({{r.before, r.after}});
    const Tensor out = conv_general_dilated(x, w, same_padding);
    EXPECT_EQ(out.shape()[1], (r.size + r.stride - 1) / r.stride);
    EXPECT_TRUE(same(out, conv_general_dilated(x, w, by_hand))) << r.size << " " << r.filter << " " << r.stride;
  }
}

double dot_of(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) sum += a.data<double>()[i] * b.data<double>()[i];
  return sum;
}

// A convolution is linear in each operand: moving an element by one changes the objective by its cotangent.
TEST(ConvolutionDerivatives, AreThoseOfTheConvolution) {
  int number = 0;
  for (const Case& c : kCases) {
    const Tensor lhs = random_tensor(ElementType::kF64, c.lhs, 1), rhs = random_tensor(ElementType::kF64, c.rhs, 2);
    const ConvVjp vjp = conv_general_dilated_vjp(lhs, rhs, c.options());
    EXPECT_TRUE(same(vjp.out, conv_general_dilated(lhs, rhs, c.options())));
    const Tensor g = random_tensor(ElementType::kF64, vjp.out.shape(), 3);
    const auto [dlhs, drhs] = vjp.pullback(g);
    ASSERT_EQ(dlhs.shape(), c.lhs);
    ASSERT_EQ(drhs.shape(), c.rhs);
    const double before = dot_of(vjp.out, g);
    for (const bool left : {true, false}) {
      const Tensor& operand = left ? lhs : rhs;
      const Tensor& cotangent = left ? dlhs : drhs;
      for (std::int64_t i = 0; i < operand.size(); i += operand.size() > 300 ? 37 : 1) {
        Tensor moved = operand;
        moved.data<double>()[i] += 1;
        const Tensor out = left ? conv_general_dilated(moved, rhs, c.options()) : conv_general_dilated(lhs, moved, c.options());
        EXPECT_NEAR(dot_of(out, g) - before, cotangent.data<double>()[i], 1e-11)
            << "case " << number << (left ? ", lhs " : ", rhs ") << i;
      }
    }
    ++number;
  }
}

TEST(ConvolutionDerivatives, LayoutsAndStridesChangeNoBit) {
  for (const Case& c : kCases) {
    const Tensor lhs = random_tensor(ElementType::kF32, c.lhs, 1), rhs = random_tensor(ElementType::kF32, c.rhs, 2);
    const ConvVjp vjp = conv_general_dilated_vjp(lhs, rhs, c.options());
    const Tensor g = random_tensor(ElementType::kF32, vjp.out.shape(), 3);
    const auto [dlhs, drhs] = vjp.pullback(g);
    ConvOptions options = c.options();
    options.lhs_layout = "NCHW", options.rhs_layout = "OIHW";
    const ConvVjp turned = conv_general_dilated_vjp(reordered(lhs, {0, 3, 1, 2}), reordered(rhs, {3, 2, 0, 1}), options);
    const auto [dl, dr] = turned.pullback(reordered(g, {0, 3, 1, 2}));
    EXPECT_TRUE(same(copied(reordered(dl, {0, 2, 3, 1})), dlhs));
    EXPECT_TRUE(same(copied(reordered(dr, {2, 3, 1, 0})), drhs));
  }
}

TEST(ConvolutionDerivatives, RunWhatTheForwardSettled) {
  const Case& c = kCases[3];
  const Tensor lhs = random_tensor(ElementType::kF32, c.lhs, 1), rhs = random_tensor(ElementType::kF32, c.rhs, 2);
  std::vector<DotAlgorithm> ran;
  set_trace_callback([&](const TraceEvent& event) { ran.push_back(event.resolution.algorithm); });
  const ConvVjp vjp = conv_general_dilated_vjp(lhs, rhs, c.options(), {.precision = "bf16", .transpose_algorithm = {"tf32", "bf16x3"}});
  {
    const ScopedPrecision other("bf16x6");
    vjp.pullback(vjp.out);
  }
  set_trace_callback(nullptr);
  EXPECT_EQ(ran, (std::vector<DotAlgorithm>{DotAlgorithm::kBF16_BF16_F32, DotAlgorithm::kTF32_TF32_F32,
                                            DotAlgorithm::kBF16_BF16_F32_X3}));
  const Tensor narrow = random_tensor(ElementType::kBF16, c.lhs, 1), filter = random_tensor(ElementType::kBF16, c.rhs, 2);
  const ConvVjp types = conv_general_dilated_vjp(narrow, filter, c.options());
  EXPECT_EQ(types.pullback.lhs(types.out).type(), ElementType::kBF16);
  const Tensor wide = types.pullback.lhs(types.out, {.type = ElementType::kF32});
  EXPECT_TRUE(same(convert(wide, ElementType::kBF16), types.pullback.lhs(types.out)));
}

TEST(Convolution, RefusesWhatIsNone) {
  const Tensor x(ElementType::kF32, {2, 5, 6, 4}), w(ElementType::kF32, {3, 3, 4, 6});
  const auto error = [&](const ConvOptions& conv) { return error_of([&] { conv_general_dilated(x, w, conv); }); };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(error({.strides = {1}}), "strides is (1,); expected 2 numbers"));
  EXPECT_TRUE(has(error({.strides = {1, 0}}), "expected numbers of 1 or more"));
  EXPECT_TRUE(has(error({.rhs_dilation = {-1, 1}}), "rhs_dilation is (-1, 1)"));
  EXPECT_TRUE(has(error({.lhs_dilation = {1, std::int64_t{1} << 62}}), "too large"));
  EXPECT_TRUE(has(error({.padding = ConvPadding::explicit_pairs({{1, 1}})}), "padding has 1 pairs; expected 2"));
  EXPECT_TRUE(has(error({.padding = ConvPadding::explicit_pairs({{INT64_MAX, 1}, {0, 0}})}), "too large"));
  EXPECT_TRUE(has(error({.feature_groups = 0}), "feature_groups is 0"));
  EXPECT_TRUE(has(error({.feature_groups = 2}), "lhs has 4 input features and rhs has 4 of each of 2 groups"));
  EXPECT_TRUE(has(error({.lhs_layout = "NHWX"}), "lhs_layout is \"NHWX\"; expected the letters N, C, H, W"));
  EXPECT_TRUE(has(error({.rhs_layout = "HWII"}), "rhs_layout is \"HWII\""));
  EXPECT_TRUE(has(error({.lhs_layout = "NWC"}), "lhs_layout is \"NWC\""));
  const Tensor odd(ElementType::kF32, {3, 3, 2, 5}), flat(ElementType::kF32, {3, 4, 6}), number(ElementType::kF32, {2, 2});
  EXPECT_TRUE(has(error_of([&] { conv_general_dilated(x, odd, {.feature_groups = 2}); }), "5 output features, which 2 groups"));
  EXPECT_TRUE(has(error_of([&] { conv_general_dilated(x, flat); }), "expected both of rank 3"));
  EXPECT_TRUE(has(error_of([&] { conv_general_dilated(number, number); }), "expected both of rank 3"));
  EXPECT_TRUE(has(error_of([&] { conv_general_dilated(TensorView(nullptr, ElementType::kF32, {2, 5, 6, 4}), w); }), "null"));
  const Tensor xi(ElementType::kS8, {2, 5, 6, 4}), wi(ElementType::kS8, {3, 3, 4, 6});
  EXPECT_EQ(conv_general_dilated(xi, wi).type(), ElementType::kS32);
  EXPECT_TRUE(has(error_of([&] { conv_general_dilated_vjp(xi, wi); }), "integers"));
  const Tensor xc(ElementType::kC64, {2, 5, 6, 4});
  EXPECT_TRUE(has(error_of([&] { conv_general_dilated_vjp(xc, w); }), "complex64"));
  const ConvVjp vjp = conv_general_dilated_vjp(x, w);
  EXPECT_TRUE(has(error_of([&] { vjp.pullback(x); }), "cotangent has shape (2, 5, 6, 4), but the result has (2, 3, 4, 6)"));
}

}  // namespace
}  // namespace matprec
