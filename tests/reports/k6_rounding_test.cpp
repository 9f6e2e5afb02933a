// Kind K6: truncation where rounding was expected, and the ways in which rounding goes wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "matprec/convert.h"
#include "matprec/runtime.h"
#include "tests/support/clean_environment.h"
#include "tests/support/products.h"

namespace matprec::testing {
namespace {

using enum DotAlgorithm;

// Runs body() once on every target that this machine can run.
template <class Body>
void on_every_target(const Body& body) {
  for (const TargetInfo& target : targets()) {
    if (!target.usable) continue;
    SCOPED_TRACE(std::string(target.name));
    set_target(target.name);
    body();
  }
  set_target("");
}

float as_bfloat16(float x) { return product_of(x, 1.0f, kBF16_BF16_F32); }

// universal#1133, universal#1134, groonga#2961 (IL-32)
TEST(Rounding, TakesTheNearestBFloat16AndTheEvenOneInATie) {
  EXPECT_EQ(as_bfloat16(.2691408770292272f), .26953125f);
  EXPECT_EQ(as_bfloat16(1.00390625f), 1.0f);
  EXPECT_EQ(as_bfloat16(1.01171875f), 1.015625f);
  EXPECT_EQ(as_bfloat16(-44.54772186f), -44.5f);
}
TEST(Rounding, EveryTieOnEveryTargetInEveryTailLength) {
  constexpr std::size_t kTies = 0x10000;
  std::vector<float> x(kTies);
  for (std::size_t i = 0; i < kTies; ++i) {
    x[i] = from_bits(static_cast<std::uint32_t>(i) << 16 | 0x8000u);
  }
  std::vector<BFloat16> got(kTies);
  on_every_target([&] {
    for (std::size_t length = 1; length <= 33; ++length) {
      std::fill(got.begin(), got.end(), BFloat16{0xDEAD});
      for (std::size_t first = 0; first < kTies; first += length) {
        const auto n = static_cast<std::int64_t>(std::min(length, kTies - first));
        convert_into(MutableTensorView(got.data() + first, {n}), TensorView(x.data() + first, {n}));
      }
      for (std::uint32_t i = 0; i < kTies; ++i) {
        if ((i & 0x7F80u) == 0x7F80u) {  // a NaN stays one, of its sign
          ASSERT_TRUE((got[i].bits & 0x7FC0u) == 0x7FC0u && (got[i].bits ^ i) < 0x8000u) << i;
        } else {
          ASSERT_EQ(got[i].bits, i + (i & 1u)) << "length " << length;
        }
      }
    }
  });
}

// runtime#130583, triton#11783, gorse#1240 (IL-33)
TEST(Rounding, ANanWithALowPayloadStaysANanInEveryLane) {
  on_every_target([] {
    for (const std::uint32_t pattern : {0x7F800001u, 0xFF800001u, 0x7FFFFFFFu}) {
      for (std::size_t lane = 0; lane < 33; ++lane) {
        std::vector<float> x(33, 1.0f);
        x[lane] = from_bits(pattern);
        const TensorView view(x.data(), {33});
        const Tensor wide = convert(convert(view, ElementType::kBF16), ElementType::kF32);
        const Tensor tf32 = round_to(view, PrecisionType::kTF32);
        for (const float got : {wide.data<float>()[lane], tf32.data<float>()[lane]}) {
          ASSERT_TRUE(std::isnan(got)) << show(got) << " at " << lane;
          ASSERT_EQ(std::signbit(got), pattern >> 31 == 1) << show(got) << " at " << lane;
        }
        ASSERT_EQ(wide.data<float>()[(lane + 1) % 33], 1.0f) << "the neighbour is untouched";
      }
    }
  });
}

// rocm-libraries#9176, aiter#5151, intel-xpu-backend-for-triton#3729 (IL-34)
TEST(Rounding, ErrorsDoNotAllHaveOneSign) {
  const Matrix a = filled(1, 4096, 1.005859375f), b = filled(4096, 1, 1);
  EXPECT_EQ(product(a, b, kBF16_BF16_F32).values[0], 4128);  // truncation would give 4096
  for (const DotAlgorithm exact : {kTF32_TF32_F32, kTF32_TF32_F32_X3, kBF16_BF16_F32_X3,
                                   kBF16_BF16_F32_X6, kBF16_BF16_F32_X9, kF32_F32_F32}) {
    EXPECT_EQ(product(a, b, exact).values[0], 4120) << to_string(exact);
  }
}

// pytorch#53635, Paddle#54208, cutlass#1289 (IL-35): the report's GPU printed 1025, ties away.
TEST(Rounding, TimesOneUnderTf32TakesTheEvenNeighbourInATie) {
  EXPECT_EQ(product_of(1024.5f, 1, kTF32_TF32_F32), 1024);
  EXPECT_EQ(product_of(1025.5f, 1, kTF32_TF32_F32), 1026);
  EXPECT_EQ(product_of(-44.54772186f, 1, kTF32_TF32_F32), -44.5625f);
}
TEST(Rounding, TimesOneUnderSeveralPartsReturnsTheNumber) {
  for (const DotAlgorithm algorithm :
       {kBF16_BF16_F32_X3, kTF32_TF32_F32_X3, kBF16_BF16_F32_X6, kBF16_BF16_F32_X9, kF32_F32_F32}) {
    EXPECT_EQ(product_of(1024.5f, 1, algorithm), 1024.5f) << to_string(algorithm);
    EXPECT_EQ(product_of(1025.5f, 1, algorithm), 1025.5f) << to_string(algorithm);
    if (algorithm == kBF16_BF16_F32_X3) continue;  // two bfloat16 parts hold 16 bits
    EXPECT_EQ(product_of(-44.54772186f, 1, algorithm), -44.54772186f) << to_string(algorithm);
  }
}

}  // namespace
}  // namespace matprec::testing
