// The golden families whose types and operations are offered: nothing fails, and only what is known
// not to be offered is left out.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/cli/run_program.h"
#include "tests/support/golden.h"

namespace matprec {
namespace {

using testing::ProgramRun;
using testing::run_matprec;

using NotRun = std::map<std::string, std::size_t>;

// Every case either passes or is left out for one of these reasons, in these numbers.
void expect_passes(const std::string& family, const NotRun& expected) {
  const ProgramRun run =
      run_matprec({"conformance", (testing::golden_dir() / family).string(), "--json"});
  ASSERT_EQ(run.exit_code, expected.empty() ? 0 : 3) << run.err << run.out.substr(0, 4000);
  const io::Json report = run.json()["families"][0];
  EXPECT_TRUE(report["failed"].empty()) << report["failed"].dump(2);
  NotRun found;
  std::size_t total = static_cast<std::size_t>(report["passed"].integer());
  const io::Json& not_run = report["not_run"];
  for (const std::string& reason : not_run.keys()) {
    found[reason] = not_run[reason].size();
    total += not_run[reason].size();
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(report["cases"], total);
  EXPECT_EQ(testing::golden_manifest(family)["case_count"], total);
}

TEST(GoldenFamilies, AlgorithmsPass) {
  MATPREC_NEEDS_GOLDEN("algorithms");
  expect_passes("algorithms", {{"vendor rows (rounding rna)", 26}});
}

TEST(GoldenFamilies, RoundingPasses) {
  MATPREC_NEEDS_GOLDEN("rounding");
  expect_passes("rounding", {{"vendor rows (rounding rna)", 3}, {"float8_e4m3b11fnuz elements", 1}});
}

TEST(GoldenFamilies, StablehloPasses) {
  MATPREC_NEEDS_GOLDEN("stablehlo");
  expect_passes("stablehlo", {{"algorithm fp8 for operands that are no 8-bit floats", 1},
                              {"bool elements", 8},
                              {"float8_e3m4 elements", 1},
                              {"i64 elements", 5},
                              {"int16 elements", 28},
                              {"int64 elements", 8},
                              {"uint16 elements", 16},
                              {"uint32 elements", 13},
                              {"uint64 elements", 7}});
}

TEST(GoldenFamilies, AccumulationPasses) {
  MATPREC_NEEDS_GOLDEN("accumulation");
  expect_passes("accumulation", {{"vendor rows", 132}});
}

TEST(GoldenFamilies, ReportsPass) {
  MATPREC_NEEDS_GOLDEN("reports");
  expect_passes("reports", {{"vendor rows", 20},
                            {"op attention", 63},
                            {"op attention_verify", 2}});
}

TEST(GoldenFamilies, JaxOpsPass) {
  MATPREC_NEEDS_GOLDEN("jax_ops");
  expect_passes("jax_ops", {});
}

TEST(GoldenFamilies, RealPasses) {
  MATPREC_NEEDS_GOLDEN("real");
  expect_passes("real", {});
}

TEST(GoldenFamilies, OnnxPasses) {
  MATPREC_NEEDS_GOLDEN("onnx");
  expect_passes("onnx", {{"op onnx_attention", 62}});
}

}  // namespace
}  // namespace matprec
