#include "src/dot/overlap.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "tests/support/random_matrix.h"

namespace matprec::testing {
namespace {

using contraction::Overlap;
using contraction::overlaps_itself;
using contraction::share_memory;

// Byte offsets from `base` of every element, one entry an index.
std::vector<std::int64_t> element_offsets(const TensorView& view, const std::uint8_t* base) {
  std::vector<std::int64_t> offsets = {static_cast<const std::uint8_t*>(view.data()) - base};
  for (std::size_t d = 0; d < view.rank(); ++d) {
    std::vector<std::int64_t> next;
    for (const std::int64_t offset : offsets) {
      for (std::int64_t i = 0; i < view.shape()[d]; ++i) {
        const auto bytes = static_cast<std::int64_t>(size_of(view.type()));
        next.push_back(offset + i * view.strides()[d] * bytes);
      }
    }
    offsets = next;
  }
  return offsets;
}

std::uint8_t memory[8192];

TensorView random_view(Random& random, std::int64_t largest_stride) {
  constexpr ElementType kTypes[] = {ElementType::kF64, ElementType::kF32, ElementType::kBF16};
  Dims shape, strides;
  for (std::int64_t rank = random.below(4); rank > 0; --rank) {
    shape.push_back(random.below(10) == 0 ? 0 : 1 + random.below(4));
    strides.push_back(random.below(2 * largest_stride + 1) - largest_stride);
  }
  return {memory + 4096 + random.below(64), kTypes[random.below(3)], shape, strides};
}

TEST(Overlap, TwoViewsAgreeWithBruteForce) {
  Random random(1);
  int yes = 0;
  for (int i = 0; i < 20000; ++i) {
    const TensorView a = random_view(random, 20), b = random_view(random, 20);
    std::set<std::int64_t> bytes_of_a;
    for (const std::int64_t offset : element_offsets(a, memory)) {
      for (std::size_t p = 0; p < size_of(a.type()); ++p) {
        bytes_of_a.insert(offset + static_cast<std::int64_t>(p));
      }
    }
    bool expected = false;
    for (const std::int64_t offset : element_offsets(b, memory)) {
      for (std::size_t p = 0; p < size_of(b.type()); ++p) {
        expected = expected || bytes_of_a.count(offset + static_cast<std::int64_t>(p)) > 0;
      }
    }
    yes += expected ? 1 : 0;
    ASSERT_EQ(share_memory(a, b), expected ? Overlap::kYes : Overlap::kNo)
        << to_string(a.shape()) << to_string(a.strides()) << " and " << to_string(b.shape())
        << to_string(b.strides());
    ASSERT_EQ(share_memory(a, b), share_memory(b, a));
  }
  EXPECT_GT(yes, 2000);
  EXPECT_LT(yes, 18000);
}

TEST(Overlap, OneViewAgreesWithBruteForce) {
  Random random(2);
  int yes = 0;
  for (int i = 0; i < 20000; ++i) {
    const TensorView view = random_view(random, 12);
    const std::vector<std::int64_t> offsets = element_offsets(view, memory);
    const bool expected =
        std::set<std::int64_t>(offsets.begin(), offsets.end()).size() < offsets.size();
    yes += expected ? 1 : 0;
    ASSERT_EQ(overlaps_itself(view), expected ? Overlap::kYes : Overlap::kNo)
        << to_string(view.shape()) << to_string(view.strides());
  }
  EXPECT_GT(yes, 2000);
  EXPECT_LT(yes, 18000);
}

const float* at(std::int64_t index) { return reinterpret_cast<const float*>(memory) + index; }

TEST(Overlap, InterleavedPanelsOfOneBufferAreApart) {
  const TensorView left(at(0), {32, 16}, {32, 1}), right(at(16), {32, 16}, {32, 1});
  EXPECT_EQ(share_memory(left, right), Overlap::kNo);
  const TensorView wider(at(0), {32, 17}, {32, 1});
  EXPECT_EQ(share_memory(wider, right), Overlap::kYes);
}

TEST(Overlap, EvenAndOddElementsAreApart) {
  EXPECT_EQ(share_memory({at(0), {100}, {2}}, {at(1), {100}, {2}}), Overlap::kNo);
  EXPECT_EQ(share_memory({at(0), {100}, {2}}, {at(3), {30}, {3}}), Overlap::kYes);
}

TEST(Overlap, BytesOfDifferentElementSizesMeet) {
  const TensorView wide(memory, ElementType::kF64, {2}, {2});
  EXPECT_EQ(share_memory(wide, {memory + 6, ElementType::kBF16, {1}, {1}}), Overlap::kYes);
  EXPECT_EQ(share_memory(wide, {memory + 8, ElementType::kBF16, {4}, {1}}), Overlap::kNo);
  EXPECT_EQ(share_memory(wide, {memory + 8, ElementType::kBF16, {5}, {1}}), Overlap::kYes);
}

TEST(Overlap, AViewWithoutElementsSharesNothing) {
  const TensorView nothing(at(0), {0, 4}, {4, 1});
  EXPECT_EQ(share_memory(nothing, {at(0), {4}, {1}}), Overlap::kNo);
  EXPECT_EQ(overlaps_itself({at(0), {0, 4}, {0, 0}}), Overlap::kNo);
}

TEST(Overlap, AStrideOfZeroRepeatsAnElementUnlessTheSizeIsOne) {
  EXPECT_EQ(overlaps_itself({at(0), {3}, {0}}), Overlap::kYes);
  EXPECT_EQ(overlaps_itself({at(0), {1, 3}, {0, 1}}), Overlap::kNo);
}

TEST(Overlap, AHankelViewOverlapsItself) {
  EXPECT_EQ(overlaps_itself({at(0), {5, 4}, {1, 1}}), Overlap::kYes);
  EXPECT_EQ(overlaps_itself({at(0), {5, 4}, {4, 1}}), Overlap::kNo);
}

TEST(Overlap, LargeLeadingDimensionsAreExact) {
  const std::int64_t huge = 1'200'000'000'000;
  EXPECT_EQ(overlaps_itself({at(0), {100'000, 100}, {huge / 1'000'000, 1}}), Overlap::kNo);
  EXPECT_EQ(share_memory({at(0), {1000, 100}, {huge, 1}}, {at(100), {1000, 100}, {huge, 1}}),
            Overlap::kNo);
  EXPECT_EQ(share_memory({at(0), {1000, 101}, {huge, 1}}, {at(100), {1000, 100}, {huge, 1}}),
            Overlap::kYes);
}

TEST(Overlap, ViewsBeyondAnyMemoryDoNotOverflow) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(overlaps_itself({at(0), {most, most}, {most, least}}), Overlap::kUnproven);
  EXPECT_EQ(share_memory({at(0), {most}, {least}}, {at(0), {most}, {most}}), Overlap::kUnproven);
}

TEST(Overlap, AHardCaseGivesUpInsteadOfHanging) {
  // Many dimensions whose strides are close to each other: a subset-sum problem.
  Dims shape, strides;
  for (std::int64_t d = 0; d < 40; ++d) {
    shape.push_back(2);
    strides.push_back((std::int64_t{1} << 45) + 7919 * d * d * d * d + 104729 * d * d);
  }
  const TensorView even(at(0), shape, strides);
  const TensorView odd(at(1), shape, strides);
  const auto start = std::chrono::steady_clock::now();
  share_memory(even, odd);
  EXPECT_NE(overlaps_itself(even), Overlap::kNo);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

}  // namespace
}  // namespace matprec::testing
