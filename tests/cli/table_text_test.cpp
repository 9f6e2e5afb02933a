#include <gtest/gtest.h>

#include <limits>

#include "src/cli/nearest.h"
#include "src/cli/number_text.h"
#include "src/cli/table.h"

namespace matprec::cli {
namespace {

TEST(Table, AlignsColumnsAndTrimsLines) {
  Table table({{"name", Table::Align::kLeft}, {"ms"}, {"note", Table::Align::kLeft}});
  table.add_row({"a", "1.5", "first"});
  table.add_row({"longer", "12.25"});
  EXPECT_EQ(table.text(),
            "name       ms  note\n"
            "a         1.5  first\n"
            "longer  12.25\n");
}

TEST(NumberText, ShortestReadsBackExactly) {
  EXPECT_EQ(shortest(1), "1.0");
  EXPECT_EQ(shortest(1.001953125), "1.001953125");
  EXPECT_EQ(shortest(static_cast<double>(1 + 0x1p-9f + 0x1p-17f + 0x1p-23f)), "1.0019608736038208");
}

TEST(NumberText, NamesWhatIsNotFinite) {
  EXPECT_EQ(scientific(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(scientific(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(json_number(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(json_number(0.5), 0.5);
}

TEST(Nearest, FindsTheWordWithFewestEdits) {
  EXPECT_EQ(nearest("--toleranze", {"--threads", "--tolerance", "--repeat"}), "--tolerance");
  EXPECT_EQ(nearest("x", {}), "");
}

}  // namespace
}  // namespace matprec::cli
