// Options, errors and exit codes of the built program, and the commands that describe.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "matprec/dot_algorithm.h"
#include "matprec/version.h"
#include "src/io/npy.h"
#include "tests/cli/run_program.h"

namespace matprec {
namespace {

using testing::ProgramRun;
using testing::run_matprec;
using testing::TemporaryFolder;

void expect_refused(const ProgramRun& run, const std::string& line) {
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err, line + "\n");
  EXPECT_EQ(run.out, "");
}

TEST(CommandLine, HelpNamesEveryCommand) {
  const ProgramRun run = run_matprec({"--help"});
  EXPECT_EQ(run.exit_code, 0);
  for (const char* command : {"compare", "list", "info", "explain", "check", "conformance", "tensors"}) {
    EXPECT_NE(run.out.find(std::string("\n  ") + command), std::string::npos) << run.out;
  }
}

TEST(CommandLine, EveryCommandHasHelp) {
  for (const char* command : {"compare", "list", "info", "explain", "check", "conformance", "tensors"}) {
    const ProgramRun run = run_matprec({command, "--help"});
    EXPECT_EQ(run.exit_code, 0) << command;
    EXPECT_NE(run.out.find("--json"), std::string::npos) << run.out;
  }
}

TEST(CommandLine, TellsItsVersion) {
  const std::string version = std::to_string(MATPREC_VERSION_MAJOR) + "." +
                              std::to_string(MATPREC_VERSION_MINOR) + "." +
                              std::to_string(MATPREC_VERSION_PATCH);
  EXPECT_EQ(run_matprec({"--version"}).out, "matprec " + version + "\n");
}

TEST(CommandLine, NamesTheNearestOption) {
  expect_refused(
      run_matprec({"compare", "--toleranze", "1e-5"}),
      "matprec compare: unknown option --toleranze; nearest: --tolerance; see matprec compare "
      "--help");
}

TEST(CommandLine, NamesTheNearestCommand) {
  expect_refused(run_matprec({"comapre"}),
                 "matprec: unknown command \"comapre\"; nearest: compare; see matprec --help");
}

TEST(CommandLine, WantsACommand) {
  const ProgramRun run = run_matprec({});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
}

TEST(CommandLine, RefusesWhatIsNoNumber) {
  const ProgramRun run = run_matprec({"compare", "--tolerance", "tight", "a.npy", "b.npy"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("tight"), std::string::npos) << run.err;
}

TEST(CommandLine, ReportsAnInvalidVariable) {
  const ProgramRun run = run_matprec({"info"}, {{"MATPREC_DEFAULT_PRECISION", "bf17"}});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err.find("MATPREC_DEFAULT_PRECISION"), 0u) << run.err;
  EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
}

TEST(List, ShowsEveryAlgorithm) {
  const ProgramRun text = run_matprec({"list"});
  const ProgramRun json = run_matprec({"list", "--json"});
  const io::Json algorithms = json.json()["algorithms"];
  ASSERT_EQ(algorithms.size(), kAlgorithms.size());
  for (std::size_t i = 0; i < kAlgorithms.size(); ++i) {
    EXPECT_NE(text.out.find(kAlgorithms[i].name), std::string::npos);
    EXPECT_EQ(algorithms[i]["short_name"], kAlgorithms[i].short_name);
    EXPECT_EQ(algorithms[i]["fmas"], kAlgorithms[i].fmas);
  }
}

TEST(List, ShowsWhatLevelsMeanOnEveryPlatform) {
  const io::Json platforms = run_matprec({"list", "--json"}).json()["platforms"];
  EXPECT_EQ(platforms["tpu"]["highest"], "BF16_BF16_F32_X6");
  EXPECT_EQ(platforms["native"]["fastest"], "BF16_BF16_F32");
  EXPECT_EQ(platforms["gpu"]["high"], "TF32_TF32_F32");
  EXPECT_EQ(platforms["cpu"]["fastest"], "F32_F32_F32");
}

TEST(Info, ShowsTheLimitOfExtraMemoryAndWhatIsKept) {
  const io::Json info = run_matprec({"info", "--json"}, {{"MATPREC_NUM_THREADS", "3"}}).json();
  EXPECT_EQ(info["memory"]["limit"], 20 << 20);
  EXPECT_EQ(info["memory"]["kept"], 0);
  EXPECT_NE(run_matprec({"info"}, {{"MATPREC_NUM_THREADS", "3"}})
                .out.find("memory:       at most 20 MiB extra a product; threads keep 0 MiB now"),
            std::string::npos);
}

TEST(Info, ShowsVariablesInForce) {
  const io::Json info =
      run_matprec({"info", "--json"}, {{"MATPREC_NUM_THREADS", "3"}, {"MATPREC_PLATFORM", "tpu"}})
          .json();
  EXPECT_EQ(info["threads"], 3);
  EXPECT_EQ(info["platform"], "tpu");
  bool found = false;
  for (const io::Json& variable : info["variables"]) {
    if (variable["name"] != "MATPREC_NUM_THREADS") continue;
    found = true;
    EXPECT_EQ(variable["set"], true);
    EXPECT_EQ(variable["value"], "3");
  }
  EXPECT_TRUE(found);
}

TEST(Info, MarksTheTargetInUse) {
  const ProgramRun run = run_matprec({"info"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.out.find("in use"), std::string::npos) << run.out;
}

TEST(Explain, SaysWhoChose) {
  const io::Json scoped =
      run_matprec({"explain", "64", "64", "64", "--json"}, {{"MATPREC_DEFAULT_PRECISION", "tf32"}})
          .json();
  EXPECT_EQ(scoped["algorithm"], "TF32_TF32_F32");
  EXPECT_EQ(scoped["source"], "environment");
  const io::Json asked =
      run_matprec({"explain", "64", "32", "16", "--precision", "bf16x3", "--json"}).json();
  EXPECT_EQ(asked["algorithm"], "BF16_BF16_F32_X3");
  EXPECT_EQ(asked["source"], "argument");
  EXPECT_EQ(asked["m"], 64);
  EXPECT_EQ(asked["n"], 32);
  EXPECT_EQ(asked["k"], 16);
}

TEST(Explain, SaysWhenLevelsDoNotReachTheOperands) {
  const ProgramRun run =
      run_matprec({"explain", "8", "8", "8", "--lhs", "bf16", "--rhs", "bfloat16"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.out.find("levels and defaults do not reach bfloat16 x bfloat16 products"),
            std::string::npos);
}

TEST(Explain, ReadsShapesFromFiles) {
  const TemporaryFolder folder;
  io::write_npy(folder / "a.npy", Tensor(ElementType::kF32, {3, 5}));
  io::write_npy(folder / "b.npy", Tensor(ElementType::kF64, {5, 7}));
  const io::Json json =
      run_matprec({"explain", folder / "a.npy", folder / "b.npy", "--json"}).json();
  EXPECT_EQ(json["k"], 5);
  EXPECT_EQ(json["rhs_type"], "float64");
  EXPECT_EQ(json["algorithm"], "F64_F64_F64");
}

TEST(Explain, RefusesOtherOperands) {
  expect_refused(run_matprec({"explain", "64", "64"}),
                 "matprec explain: expected three sizes M N K or two files A.npy B.npy, got two sizes");
  expect_refused(
      run_matprec({"explain", "64", "64", "many"}),
      "matprec explain: K is \"many\"; expected a whole number from 0 to 2^63-1");
  expect_refused(run_matprec({"explain", "1", "1", "1", "--batch", "-1"}),
                 "matprec explain: --batch is \"-1\"; expected a whole number from 0 to 2^63-1");
  expect_refused(
      run_matprec({"explain", "a.npy", "b.npy", "--batch", "2"}),
      "matprec explain: --lhs, --rhs and --batch go with sizes; files say theirs themselves");
  expect_refused(run_matprec({"explain", "1", "1", "1", "--bf16"}),
                 "matprec explain: --bf16 is for files; with sizes say --lhs bfloat16");
  expect_refused(
      run_matprec({"explain", "1", "1", "1", "--lhs", "int7"}),
      "matprec explain: --lhs \"int7\" is no element type; known: float64, float32, bfloat16, float16, "
      "float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz, int8, uint8, int32, complex64, "
      "complex128");
  expect_refused(run_matprec({"explain", "1", "1", "1", "--lhs", "int8"}),
                 "no product of int8 and float32; an integer multiplies integers only: convert one of "
                 "them");
}

TEST(Check, PassesOnThisMachine) {
  const ProgramRun run = run_matprec({"check", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  const io::Json json = run.json();
  EXPECT_EQ(json["passed"], true);
  EXPECT_GE(json["targets"].size(), 1u);
}

TEST(Check, RefusesAForcedPrecision) {
  expect_refused(
      run_matprec({"check"}, {{"MATPREC_FORCE_PRECISION", "bf16"}}),
      "matprec check: MATPREC_FORCE_PRECISION=BF16_BF16_F32 replaces every algorithm, so there "
      "is nothing to compare; unset it for this command");
}

TEST(Check, RefusesARequirement) {
  expect_refused(run_matprec({"check"}, {{"MATPREC_REQUIRE", "bf16x3"}}),
                 "matprec check: MATPREC_REQUIRE=bf16x3 forbids the less precise algorithms, which "
                 "this command runs; unset it for this command");
}

}  // namespace
}  // namespace matprec
