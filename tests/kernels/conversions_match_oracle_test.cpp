// Conversions, rounding in place of type, and splits: SIMD code on every target against scalar integer
// rounding, at every lane and tail length.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "matprec/convert.h"
#include "matprec/error.h"
#include "src/gemm/rounding.h"
#include "tests/support/bits.h"
#include "tests/support/error_of.h"
#include "tests/support/every_target.h"
#include "tests/support/float_state.h"
#include "tests/support/random_matrix.h"

namespace matprec {
namespace {

using rounding::Format;

Format format_of(ElementType type) {
  constexpr Format kFormats[] = {rounding::kBinary64, rounding::kBinary32, rounding::kBFloat16,
                                 rounding::kBinary16};
  return kFormats[static_cast<std::size_t>(type)];
}

std::uint64_t load(const void* data, ElementType type, std::size_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(data) + i * size_of(type), size_of(type));
  return bits;
}

// Patterns of a type: all of a narrow one; otherwise every exponent with significands around the ties of
// every narrower format, and random ones.
std::vector<char> patterns(ElementType type) {
  std::vector<std::uint64_t> list;
  const Format format = format_of(type);
  if (size_of(type) == 2) {
    for (std::uint64_t bits = 0; bits < 65536; ++bits) list.push_back(bits);
  } else {
    testing::Random random(7);
    const int step = type == ElementType::kF64 ? 7 : 1;
    for (std::uint64_t field = 0; field <= format.top_field(); field += static_cast<std::uint64_t>(step)) {
      for (int cut : {format.fraction_bits - 7, format.fraction_bits - 10, format.fraction_bits - 23, 1}) {
        if (cut < 1) continue;
        const std::uint64_t half = std::uint64_t{1} << (cut - 1);
        const std::uint64_t kept = random.next() & ~((half << 1) - 1);
        for (std::uint64_t fraction : {kept + half, kept + half - 1, kept + half + 1, kept,
                                       ~std::uint64_t{0}, random.next(), std::uint64_t{1}}) {
          const std::uint64_t masked = fraction & ((std::uint64_t{1} << format.fraction_bits) - 1);
          const std::uint64_t bits = (field << format.fraction_bits) | masked;
          list.push_back(bits);
          list.push_back(bits | (std::uint64_t{1} << format.sign_position()));
        }
      }
    }
    // The whole range of float16 in a binary64, subnormals and overflow included.
    if (type == ElementType::kF64) {
      for (int i = 0; i < 20000; ++i) {
        const std::uint64_t field = 1023 - 30 + static_cast<std::uint64_t>(random.below(50));
        list.push_back((field << 52) | (random.next() & ((std::uint64_t{1} << 52) - 1)));
        list.push_back((field << 52) | ((random.next() >> 20 << 41) & ((std::uint64_t{1} << 52) - 1)));
      }
    }
  }
  std::vector<char> bytes(list.size() * size_of(type));
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::memcpy(bytes.data() + i * size_of(type), &list[i], size_of(type));
  }
  return bytes;
}

constexpr ElementType kTypes[] = {ElementType::kF64, ElementType::kF32, ElementType::kBF16,
                                  ElementType::kF16};
constexpr PrecisionType kWidths[] = {PrecisionType::kBF16, PrecisionType::kTF32, PrecisionType::kF16};

class ConversionsMatchOracle : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!testing::target_is_usable(GetParam())) GTEST_SKIP() << "this machine has no " << GetParam();
    set_target(GetParam());
  }
  void TearDown() override { set_target(""); }
};

TEST_P(ConversionsMatchOracle, EveryPairOfTypes) {
  for (ElementType from : kTypes) {
    const std::vector<char> in = patterns(from);
    const std::int64_t count = static_cast<std::int64_t>(in.size() / size_of(from));
    for (ElementType to : kTypes) {
      const Tensor out = convert(TensorView(in.data(), from, {count}), to);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const std::uint64_t x = load(in.data(), from, i);
        const std::uint64_t expected = rounding::convert_bits(x, format_of(from), format_of(to));
        ASSERT_EQ(load(out.data(), to, i), expected)
            << GetParam() << " " << to_string(from) << " to " << to_string(to) << " of bits 0x"
            << std::hex << x;
      }
    }
  }
}

TEST_P(ConversionsMatchOracle, RoundingInPlaceOfType) {
  const std::vector<char> in = patterns(ElementType::kF32);
  const std::int64_t count = static_cast<std::int64_t>(in.size() / 4);
  const float* x = reinterpret_cast<const float*>(in.data());
  for (PrecisionType width : kWidths) {
    const Tensor out = round_to(TensorView(x, {count}), width);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const float expected = rounding::round_to(x[i], width);
      ASSERT_EQ(testing::bits(out.data<float>()[i]), testing::bits(expected))
          << GetParam() << " " << to_string(width) << " of " << testing::show(x[i]);
    }
  }
}

TEST_P(ConversionsMatchOracle, RoundingOfFloat64InPlaceOfType) {
  const std::vector<char> in = patterns(ElementType::kF64);
  const std::int64_t count = static_cast<std::int64_t>(in.size() / 8);
  const double* x = reinterpret_cast<const double*>(in.data());
  for (PrecisionType width : kWidths) {
    const Tensor out = round_to(TensorView(x, {count}), width);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const double expected = rounding::round_to(x[i], width);
      ASSERT_EQ(testing::bits(out.data<double>()[i]), testing::bits(expected))
          << GetParam() << " " << to_string(width) << " of " << testing::show(x[i]);
    }
  }
}

TEST_P(ConversionsMatchOracle, SplitsIntoThreeParts) {
  const std::vector<char> in = patterns(ElementType::kF32);
  const std::int64_t count = static_cast<std::int64_t>(in.size() / 4);
  const float* x = reinterpret_cast<const float*>(in.data());
  for (PrecisionType width : kWidths) {
    const std::vector<Tensor> parts = split(TensorView(x, {count}), width, 3);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const rounding::Parts expected = rounding::split(x[i], width);
      const float wanted[] = {expected.high, expected.middle, expected.low};
      for (std::size_t p = 0; p < 3; ++p) {
        ASSERT_EQ(testing::bits(parts[p].data<float>()[i]), testing::bits(wanted[p]))
            << GetParam() << " " << to_string(width) << " part " << p << " of "
            << testing::show(x[i]);
      }
    }
  }
}

TEST_P(ConversionsMatchOracle, EveryTailLengthAndAlignment) {
  testing::Random random(3);
  std::vector<float> x(80);
  for (float& value : x) value = static_cast<float>(random.normal());
  for (std::int64_t start = 0; start < 4; ++start) {
    for (std::int64_t count = 1; count <= 33; ++count) {
      const Tensor out = convert(TensorView(x.data() + start, {count}), ElementType::kBF16);
      for (std::int64_t i = 0; i < count; ++i) {
        ASSERT_EQ(out.data<BFloat16>()[i].bits, rounding::to_bfloat16(x[static_cast<std::size_t>(start + i)]))
            << GetParam() << " start " << start << " count " << count << " at " << i;
      }
    }
  }
}

TEST_P(ConversionsMatchOracle, StridedAndNegativeViews) {
  std::vector<float> x(200);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 1.001f;
  std::vector<std::uint16_t> out(100, 0xFFFF);
  convert_into(MutableTensorView(reinterpret_cast<BFloat16*>(out.data()) + 90, {4, 5}, {-20, -3}),
               TensorView(x.data() + 3, {4, 5}, {40, 7}));
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 5; ++j) {
      const float from = x[static_cast<std::size_t>(3 + 40 * i + 7 * j)];
      EXPECT_EQ(out[static_cast<std::size_t>(90 - 20 * i - 3 * j)], rounding::to_bfloat16(from));
    }
  }
  EXPECT_EQ(std::count(out.begin(), out.end(), 0xFFFF), 80);  // gaps are left alone
}

TEST_P(ConversionsMatchOracle, HostileFloatEnvironmentChangesNothing) {
  const testing::HostileFloatState hostile;
  const float x[] = {0x1p-20f * 1.37f, 0x1.8p-24f, 1e-40f, 1.00390625f};
  const Tensor f16 = convert(TensorView(x, {4}), ElementType::kF16);
  const double wide[] = {1 + 0x1p-24 + 0x1p-50, 1e-310, 3.5, 1e-45};
  const Tensor f32 = convert(TensorView(wide, {4}), ElementType::kF32);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(f16.data<Float16>()[i].bits, rounding::to_float16(x[i]));
    EXPECT_EQ(testing::bits(f32.data<float>()[i]), testing::bits(rounding::to_float32(wide[i])));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConversionsMatchOracle, ::testing::ValuesIn(testing::every_target()),
                         [](const auto& target) { return target.param; });

TEST(Convert, InPlaceOverItselfIsLegal) {
  float x[] = {1.5f, 2.5f};
  convert_into(MutableTensorView(x, {2}), TensorView(x, {2}));
  EXPECT_EQ(x[1], 2.5f);
}

TEST(Convert, RefusesToWriteOverItsInput) {
  float x[8] = {};
  EXPECT_EQ(testing::error_of([&] { convert_into(MutableTensorView(x + 1, {4}), TensorView(x, {4})); }),
            "convert: out shares memory with x; write to memory of its own, or to x itself");
}

TEST(Convert, RefusesAnotherShape) {
  float x[8] = {};
  double out[8] = {};
  EXPECT_EQ(testing::error_of([&] { convert_into(MutableTensorView(out, {5}), TensorView(x, {4})); }),
            "convert: out has shape (5,), but x has (4,); they must be equal");
}

TEST(Split, RefusesFourParts) {
  float x[8] = {};
  EXPECT_EQ(testing::error_of([&] { split(TensorView(x, {4}), PrecisionType::kBF16, 4); }),
            "split: parts is 4, but must be 1, 2 or 3");
}

TEST(Split, RefusesPartsOfFloat32) {
  float x[8] = {};
  EXPECT_EQ(testing::error_of([&] { split(TensorView(x, {4}), PrecisionType::kF32, 2); }),
            "split: cannot split into parts of float32; known: bfloat16, tf32, float16");
}

}  // namespace
}  // namespace matprec
