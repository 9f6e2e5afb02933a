// Strided copies and conjugates, bit for bit.
#include "src/dot/conjugate.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "src/dot/strided_copy.h"
#include "tests/support/bits.h"

namespace matprec {
namespace {

using contraction::conjugated;
using contraction::row_major_copy;

TEST(RowMajorCopy, KeepsTheBytesOfEveryElementType) {
  for (std::size_t t = 0; t < kElementTypeCount; ++t) {
    const ElementType type = static_cast<ElementType>(t);
    const std::size_t item = size_of(type);
    std::vector<std::uint8_t> bytes(24 * item);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
    // Element (i, j) is number 23 - 7j - 2i: backwards, with gaps.
    const Tensor copy =
        row_major_copy(TensorView(bytes.data() + 23 * item, type, {3, 2}, {-2, -7}));
    EXPECT_EQ(copy.type(), type);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        const auto* got = static_cast<const std::uint8_t*>(copy.data()) + (2 * i + j) * item;
        EXPECT_EQ(std::memcmp(got, bytes.data() + (23 - 7 * j - 2 * i) * item, item), 0)
            << to_string(type) << " " << i << " " << j;
      }
    }
  }
}

TEST(RowMajorCopy, RepeatsAlongStridesOfZeroAndTakesScalarsAndEmptyViews) {
  const float x[] = {1, 2};
  const Tensor twice = row_major_copy(TensorView(x, {2, 2}, {0, 1}));
  EXPECT_EQ(twice.data<float>()[2], 1);
  EXPECT_EQ(twice.data<float>()[3], 2);
  EXPECT_EQ(row_major_copy(TensorView(x + 1, {})).data<float>()[0], 2);
  EXPECT_EQ(row_major_copy(TensorView(nullptr, ElementType::kF32, {2, 0})).size(), 0);
}

TEST(Conjugated, TurnsTheSignOfImaginaryPartsAlone) {
  const std::complex<float> x[] = {{1, 2}, {-3, -0.0f}, {0, 0}};
  const Tensor c = conjugated(TensorView(x, {3}));
  const float* got = static_cast<const float*>(c.data());
  const float expected[] = {1, -2, -3, 0.0f, 0, -0.0f};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(testing::bits(got[i]), testing::bits(expected[i])) << i;
  }
}

TEST(Conjugated, KeepsThePayloadOfANaN) {
  const std::uint32_t parts[] = {0x7F800001, 0xFFC12345};
  const Tensor c = conjugated(TensorView(parts, ElementType::kC64, {1}));
  EXPECT_EQ(testing::bits(static_cast<const float*>(c.data())[0]), 0x7F800001u);
  EXPECT_EQ(testing::bits(static_cast<const float*>(c.data())[1]), 0x7FC12345u);
}

TEST(Conjugated, ReadsStridedDoubles) {
  const std::complex<double> x[] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  const Tensor c = conjugated(TensorView(x + 3, {2}, {-2}));
  const double* got = static_cast<const double*>(c.data());
  const double expected[] = {7, -8, 3, -4};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(got[i], expected[i]) << i;
}

TEST(Conjugated, LeavesRealElementsAsTheyAre) {
  const float x[] = {1, -2};
  const Tensor c = conjugated(TensorView(x, {2}));
  EXPECT_EQ(c.data<float>()[0], 1);
  EXPECT_EQ(c.data<float>()[1], -2);
}

}  // namespace
}  // namespace matprec
