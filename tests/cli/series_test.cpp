// `matprec compare --series`: errors of generated data.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "matprec/dot_algorithm.h"
#include "tests/cli/run_program.h"

namespace matprec {
namespace {

using io::Json;
using testing::ProgramRun;
using testing::run_matprec;

Json series(const std::string& name, const std::string& algorithms) {
  const ProgramRun run =
      run_matprec({"compare", "--series", name, "--algorithms", algorithms, "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.json()["series"][0];
}

double error_at(const Json& result, const std::string& short_name, int point) {
  const Json& points = result["points"];
  const auto at = std::ranges::find(points, Json(point)) - points.begin();
  for (const Json& row : result["rows"]) {
    if (row["short_name"] == short_name) {
      return row["relative_error"][static_cast<std::size_t>(at)].number();
    }
  }
  return -1;
}

// What each algorithm loses of an operand does not depend on K; what float32 sums lose grows up to
// the end of a chunk of 128 (docs/numerics.md, MP-ACC-1).
TEST(Series, ErrorOverTheLengthOfTheSums) {
  const Json result = series("k", "bf16,tf32,fp32");
  for (const int k : {16, 128, 16384}) {
    EXPECT_NEAR(error_at(result, "bf16", k), 2.4e-3, 3e-4) << k;
    EXPECT_NEAR(error_at(result, "tf32", k), 3e-4, 4e-5) << k;
  }
  EXPECT_GT(error_at(result, "fp32", 128), 2 * error_at(result, "fp32", 16));
  EXPECT_LT(error_at(result, "fp32", 16384), 1.2 * error_at(result, "fp32", 128));
}

// A power of two moves no rounding, until something leaves its type's range: float16 at 2^16 and
// from 2^-14 down, float32 where products do.
TEST(Series, ErrorOverTheSizeOfTheInputs) {
  const Json result = series("scale", "bf16,fp16,fp32");
  for (const int e : {-40, -20, 20, 60}) {
    EXPECT_EQ(error_at(result, "bf16", e), error_at(result, "bf16", 0)) << e;
    EXPECT_EQ(error_at(result, "fp32", e), error_at(result, "fp32", 0)) << e;
  }
  EXPECT_EQ(error_at(result, "fp16", 8), error_at(result, "fp16", 0));
  EXPECT_GT(error_at(result, "fp16", -20), 50 * error_at(result, "fp16", 0));
  EXPECT_EQ(error_at(result, "fp16", -40), 1);  // all inputs become 0
  EXPECT_EQ(error_at(result, "fp32", -80), 1);
  for (const Json& row : result["rows"]) EXPECT_EQ(row["relative_error"].back(), "inf");
}

TEST(Series, PrintsATable) {
  const ProgramRun run =
      run_matprec({"compare", "--series", "k", "--algorithms", "bf16,fp32", "--reproducible"});
  EXPECT_EQ(run.out.find("relative error ||C-R|| / ||R|| of 64 x K times K x 64, normal numbers\n\n"
                         "    K     bf16     fp32\n   16  "),
            0u)
      << run.out;
  EXPECT_EQ(std::ranges::count(run.out, '\n'), 3 + 11);
}

TEST(Series, RefusesWhatItCannotDo) {
  const auto refusal = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "compare");
    const ProgramRun run = run_matprec(arguments);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, "");
    return run.err;
  };
  EXPECT_EQ(refusal({"--series", "scal"}),
            "matprec compare: --series \"scal\" is unknown; known: k, scale; nearest: scale\n");
  EXPECT_EQ(refusal({"--series", "k", "a.npy", "b.npy"}),
            "matprec compare: --series makes its own matrices and takes no files\n");
  EXPECT_EQ(refusal({"--series", "k", "--repeat", "3"}),
            "matprec compare: --repeat is for times, and none are taken with --series\n");
  EXPECT_EQ(
      refusal({"--series", "k", "--tolerance", "1e-3"}),
      "matprec compare: --series makes its own matrices; there is no --tolerance to judge them "
      "by\n");
}

}  // namespace
}  // namespace matprec
