#include "src/error_text.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace matprec {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"high", "highest", "bf16x3", "bf16x6"};

TEST(NearestName, CountsOneEditForASwapOfNeighbours) {
  constexpr std::array<std::string_view, 2> kTwo = {"ab", "bca"};
  EXPECT_EQ(nearest_name("ba", kTwo), "ab");  // plain Levenshtein would call both equally far
}

TEST(NearestName, IgnoresCase) { EXPECT_EQ(nearest_name("HIGHES", kNames), "highest"); }

TEST(NearestName, TakesTheFirstOfEquals) { EXPECT_EQ(nearest_name("bf16x4", kNames), "bf16x3"); }

TEST(NearestName, IsQuickForAnOverlongValue) {
  EXPECT_EQ(nearest_name("bf16x6" + std::string(1 << 22, 'x'), kNames), "bf16x6");
}

TEST(InQuotes, EscapesWhatWouldBreakALine) {
  EXPECT_EQ(in_quotes("a\n\"b\\\x7f"), R"("a\x0a\"b\\\x7f")");
}

TEST(InQuotes, ShowsAnEmbeddedNul) { EXPECT_EQ(in_quotes(std::string("a\0b", 3)), R"("a\x00b")"); }

TEST(InQuotes, CutsALongValueAndSaysSo) {
  EXPECT_EQ(in_quotes(std::string(100, 'x')),
            "\"" + std::string(64, 'x') + "\"... (100 characters)");
}

TEST(UnknownValueText, NamesEntranceValueNamesAndNearest) {
  EXPECT_EQ(unknown_value_text("x", "hihg", kNames),
            "x: unknown value \"hihg\"; known: high, highest, bf16x3, bf16x6; nearest: high");
}

TEST(AtLocation, IsEmptyForAnUnknownPlace) { EXPECT_EQ(at_location({}), ""); }

TEST(AtLocation, ShowsFileAndLine) { EXPECT_EQ(at_location({"a.cpp", 7}), " at a.cpp:7"); }

}  // namespace
}  // namespace matprec
