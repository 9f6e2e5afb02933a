// `matprec compare` on small matrices whose answers are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "matprec/dot_algorithm.h"
#include "src/io/npy.h"
#include "tests/cli/run_program.h"
#include "tests/support/rounding_rows.h"

namespace matprec {
namespace {

using io::Json;
using testing::ProgramRun;
using testing::run_matprec;
using testing::TemporaryFolder;

constexpr float kInf = std::numeric_limits<float>::infinity();

std::string normal_matrix(const TemporaryFolder& folder, const std::string& name, const Dims& shape,
                          unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Tensor tensor(ElementType::kF32, shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data<float>()[i] = normal(random);
  io::write_npy(folder / name, tensor);
  return folder / name;
}

std::string matrix(const TemporaryFolder& folder, const std::string& name, const Dims& shape,
                   std::initializer_list<float> values) {
  io::write_npy(folder / name, Tensor::of<float>(shape, values));
  return folder / name;
}

Json compared(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compare");
  arguments.insert(arguments.end(), {"--json", "--repeat", "1"});
  const ProgramRun run = run_matprec(arguments);
  EXPECT_EQ(run.err, "");
  return run.json();
}

Json row_of(const Json& comparison, const std::string& short_name) {
  for (const Json& row : comparison["rows"]) {
    if (row["short_name"] == short_name) return row;
  }
  return {};
}

TEST(Compare, GivesEveryAlgorithmARow) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {8, 8}, 1);
  const Json rows = compared({a, a})["comparisons"][0]["rows"];
  ASSERT_EQ(rows.size(), testing::rounding_rows().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]["algorithm"], testing::rounding_rows()[i].name);
    EXPECT_EQ(rows[i]["fmas"], testing::rounding_rows()[i].fmas);
  }
}

TEST(Compare, BeginsWithWhatRunsByDefault) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {4, 4}, 1);
  const ProgramRun plain = run_matprec({"compare", a, a, "--repeat", "1"});
  EXPECT_EQ(plain.out.find("default here: F32_F32_F32"), 0u) << plain.out;
  const ProgramRun set =
      run_matprec({"compare", a, a, "--repeat", "1"}, {{"MATPREC_DEFAULT_PRECISION", "tf32"}});
  EXPECT_EQ(set.out.find("default here: TF32_TF32_F32, chosen by MATPREC_DEFAULT_PRECISION"), 0u)
      << set.out;
}

TEST(Compare, TablesFitInto120Columns) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {300, 40}, 1);
  const ProgramRun run =
      run_matprec({"compare", "--gram", a, "--repeat", "1", "--tolerance", "1e-5"});
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(folder.path()) == line.npos) {
      EXPECT_LE(line.size(), 120u) << line;
    }
  }
}

// The bands of docs/numerics.md for normal data at 64 x 64 x 64.
TEST(Compare, MeasuresTheErrorThatEachAlgorithmHas) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {64, 64}, 1);
  const std::string b = normal_matrix(folder, "b.npy", {64, 64}, 2);
  const Json comparison = compared({a, b})["comparisons"][0];
  struct Band {
    const char* name;
    double low, high;
  };
  for (const Band& band :
       {Band{"bf16", 1.8e-3, 3e-3}, Band{"tf32", 2.2e-4, 3.7e-4}, Band{"bf16x3", 2e-6, 1e-5},
        Band{"tf32x3", 5e-8, 6e-7}, Band{"bf16x6", 1e-9, 5e-7}, Band{"fp32", 1e-9, 5e-7}}) {
    const Json row = row_of(comparison, band.name);
    const double error = row["relative_error"].number();
    EXPECT_GE(error, band.low) << band.name;
    EXPECT_LE(error, band.high) << band.name;
    EXPECT_DOUBLE_EQ(row["digits"].number(), -std::log10(error)) << band.name;
  }
}

TEST(Compare, ShowsTheFingerprintOfWhatRan) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {4, 4}, 1);
  const Json comparison = compared({a, a})["comparisons"][0];
  EXPECT_EQ(row_of(comparison, "bf16")["fingerprint"], 1.0);
  EXPECT_EQ(row_of(comparison, "tf32")["fingerprint"], 1.001953125);
  EXPECT_EQ(row_of(comparison, "bf16x3")["fingerprint"], 1.0019683837890625);
  for (const char* name : {"bf16x6", "bf16x9", "fp32"}) {
    EXPECT_EQ(row_of(comparison, name)["fingerprint"], 1.0019608736038208) << name;
  }
}

TEST(Compare, MarksRowsOfEqualBits) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {20, 20}, 1);
  const ProgramRun run = run_matprec({"compare", a, a, "--repeat", "1"});
  const Json comparison = compared({a, a})["comparisons"][0];
  EXPECT_EQ(row_of(comparison, "bf16x9")["hash"], row_of(comparison, "fp32")["hash"]);
  EXPECT_EQ(row_of(comparison, "bf16x9")["same_bits_as"], "fp32");
  EXPECT_EQ(row_of(comparison, "fp32")["same_bits_as"], nullptr);
  EXPECT_EQ(row_of(comparison, "bf16")["same_bits_as"], nullptr);
  EXPECT_NE(run.out.find("same bits as fp32"), std::string::npos) << run.out;
}

TEST(Compare, HashesDoNotDependOnThreadsOrTarget) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {70, 200}, 1);
  const std::string b = normal_matrix(folder, "b.npy", {200, 90}, 2);
  const std::string slowest = run_matprec({"info", "--json"}).json()["targets"].back()["name"].text();
  const auto hashes = [&](const std::string& threads, const std::string& target) {
    const ProgramRun run = run_matprec({"compare", a, b, "--json", "--repeat", "1", "--threads",
                                        threads, "--algorithms", "bf16x3,fp32"},
                                       {{"MATPREC_TARGET", target}});
    std::vector<std::string> result;
    const Json document = run.json();
    for (const Json& row : document["comparisons"][0]["rows"]) result.push_back(row["hash"].text());
    return result;
  };
  EXPECT_EQ(hashes("1", ""), hashes("3", slowest));
}

TEST(Compare, TimesFp32AgainstItselfAsOne) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {8, 8}, 1);
  const Json row = row_of(compared({a, a})["comparisons"][0], "fp32");
  EXPECT_EQ(row["ratio_to_fp32"], 1.0);
  EXPECT_GT(row["milliseconds"].number(), 0);
}

TEST(Compare, NamesTheCheapestRowWithinTheTolerance) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {64, 64}, 1);
  const auto enough = [&](const std::string& tolerance, const std::string& algorithms) {
    const ProgramRun run = run_matprec({"compare", a, a, "--json", "--repeat", "1", "--tolerance",
                                        tolerance, "--algorithms", algorithms});
    return std::pair(run.exit_code, run.json()["enough"]);
  };
  EXPECT_EQ(enough("1e-2", "bf16,tf32,bf16x3,fp32"), std::pair(0, Json("BF16_BF16_F32")));
  EXPECT_EQ(enough("1e-3", "bf16,tf32,bf16x3,fp32"), std::pair(0, Json("TF32_TF32_F32")));
  EXPECT_EQ(enough("1e-5", "bf16,tf32,bf16x3,bf16x6"), std::pair(0, Json("BF16_BF16_F32_X3")));
  EXPECT_EQ(enough("1e-5", "bf16,tf32,bf16x3,fp32"), std::pair(0, Json("F32_F32_F32")));
  EXPECT_EQ(enough("1e-9", "bf16,tf32"), std::pair(1, Json()));
}

TEST(Compare, TransposesOnRequest) {
  const TemporaryFolder folder;
  const std::string a = matrix(folder, "a.npy", {1, 2}, {1, 2});
  const std::string b = matrix(folder, "b.npy", {3, 2}, {1, 0, 0, 1, 1, 1});
  const Json comparison = compared({a, b, "--transpose-rhs"})["comparisons"][0];
  EXPECT_EQ(comparison["result_shape"], Json({1, 3}));
  EXPECT_EQ(row_of(comparison, "fp32")["relative_error"], 0.0);
}

TEST(Compare, FortranOrderGivesTheSameBits) {
  const TemporaryFolder folder;
  const std::string c = matrix(folder, "c.npy", {2, 2}, {1.1f, 2.2f, 3.3f, 4.4f});
  const Tensor columns = Tensor::of<float>({2, 2}, {1.1f, 3.3f, 2.2f, 4.4f});
  io::write_npy(folder / "f.npy", columns);
  std::string bytes = testing::content_of(folder / "f.npy");
  bytes.replace(bytes.find("False"), 5, "True ");
  const std::string f = folder.write("f.npy", bytes);
  EXPECT_EQ(row_of(compared({c, c})["comparisons"][0], "fp32")["hash"],
            row_of(compared({f, f})["comparisons"][0], "fp32")["hash"]);
}

// pytorch#42479: |x|^2 + |y|^2 - 2xy for 5000 and 6500 is 2250000, 2393936 in one bfloat16 pass.
TEST(Compare, ShowsWhatTheDistanceFormulaLoses) {
  const TemporaryFolder folder;
  const std::string x = matrix(folder, "x.npy", {2, 1}, {5000, 6500});
  const Json comparison = compared({"--distance", x})["comparisons"][0];
  EXPECT_EQ(comparison["kind"], "distance");
  EXPECT_EQ(row_of(comparison, "fp32")["relative_error"], 0.0);
  EXPECT_GT(row_of(comparison, "bf16")["relative_error"].number(), 0.01);
}

TEST(Compare, GramIsTheProductWithTheTranspose) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {5, 9}, 3);
  EXPECT_EQ(row_of(compared({"--gram", a})["comparisons"][0], "bf16x3")["hash"],
            row_of(compared({a, a, "--transpose-rhs"})["comparisons"][0], "bf16x3")["hash"]);
}

TEST(Compare, PrintsJsonWhateverBytesAFileNameHolds) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "\xff.npy", {2, 2}, 1);
  const std::string title = compared({a, a})["comparisons"][0]["title"].text();
  EXPECT_NE(title.find("\uFFFD.npy (2, 2) float32 times "), std::string::npos) << title;
}

TEST(Compare, FindsNothingGoodEnoughWhereNothingCanBeCompared) {
  const TemporaryFolder folder;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::string a = matrix(folder, "a.npy", {2, 1}, {nan, nan});
  const std::string b = matrix(folder, "b.npy", {1, 1}, {1});
  const ProgramRun run = run_matprec({"compare", a, b, "--tolerance", "1", "--json"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.json()["comparisons"][0]["rows"][0]["relative_error"], "nan");
  EXPECT_TRUE(run.json()["enough"].is_null());
}

TEST(Compare, ComparesEmptyResultsOfLongSums) {
  const TemporaryFolder folder;
  const std::string a = matrix(folder, "a.npy", {0, 5000}, {});
  EXPECT_EQ(compared({"--gram", a})["comparisons"][0]["entries"], 0);
}

TEST(Compare, TakesSeveralPairs) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {4, 4}, 1);
  const std::string b = normal_matrix(folder, "b.npy", {4, 6}, 2);
  const Json result = compared({a, a, a, b, "--gram", b});
  ASSERT_EQ(result["comparisons"].size(), 3u);
  EXPECT_EQ(result["comparisons"][1]["result_shape"], Json({4, 6}));
}

TEST(Compare, CompensatesTheReferenceWhereSumsCancel) {
  const TemporaryFolder folder;
  // 2^60 + 1 - 2^60 is 0 in plain float64.
  const std::string a = matrix(folder, "a.npy", {1, 3}, {0x1p60f, 1, -0x1p60f});
  const std::string b = matrix(folder, "b.npy", {3, 1}, {1, 1, 1});
  const Json comparison = compared({a, b})["comparisons"][0];
  EXPECT_EQ(row_of(comparison, "fp32")["relative_error"], 1.0);  // fp32 says 0, the reference 1
  EXPECT_EQ(row_of(comparison, "fp32")["worst"]["condition"], 0x1p61);
  EXPECT_NE(comparison["reference"].text().find("compensated"), std::string::npos);
}

TEST(Compare, ReadsBfloat16OnRequest) {
  const TemporaryFolder folder;
  io::write_npy(folder / "a.npy", Tensor::of<BFloat16>({1, 1}, {BFloat16{0x3fc0}}));
  const Json comparison =
      compared({folder / "a.npy", folder / "a.npy", "--bf16"})["comparisons"][0];
  EXPECT_EQ(comparison["result_type"], "float32");
  EXPECT_EQ(row_of(comparison, "bf16")["relative_error"], 0.0);
  const ProgramRun refused = run_matprec({"compare", folder / "a.npy", folder / "a.npy"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--bf16"), std::string::npos) << refused.err;
}

TEST(Compare, CountsWhatIsNotFinite) {
  const TemporaryFolder folder;
  const std::string a = matrix(folder, "a.npy", {2, 1}, {kInf, 1});
  const std::string b = matrix(folder, "b.npy", {1, 2}, {1, NAN});
  const Json comparison = compared({a, b})["comparisons"][0];
  EXPECT_EQ(comparison["reference_not_finite"], 3);  // Inf*1, Inf*NaN, 1*NaN; 1*1 is finite
  EXPECT_EQ(row_of(comparison, "fp32")["relative_error"], 0.0);
  const ProgramRun text = run_matprec({"compare", a, b, "--repeat", "1"});
  EXPECT_NE(text.out.find("The reference is not finite (NaN or infinite) in 3 of 4 entries"),
            std::string::npos)
      << text.out;
}

TEST(Compare, TellsWhereAnAlgorithmOverflows) {
  const TemporaryFolder folder;
  const std::string a = matrix(folder, "a.npy", {1, 1}, {1e6f});  // beyond float16
  const std::string b = matrix(folder, "b.npy", {1, 1}, {1});
  const Json row = row_of(compared({a, b})["comparisons"][0], "fp16");
  EXPECT_EQ(row["relative_error"], "inf");
  EXPECT_EQ(row["digits"], nullptr);
  EXPECT_EQ(row["entries_lost"], 1);
  const ProgramRun text = run_matprec({"compare", a, b, "--repeat", "1"});
  EXPECT_NE(text.out.find("fp16: 1 entry overflowed: infinite or NaN where the reference is finite; the first at (0, 0)"),
            std::string::npos)
      << text.out;
}

TEST(Compare, TellsApartWhatOnlyTheReferenceOverflows) {
  const TemporaryFolder folder;
  // The reference is infinite, for its operand is; float16 has NaN there, from infinity times zero.
  const std::string a = matrix(folder, "a.npy", {1, 1}, {kInf});
  const std::string b = matrix(folder, "b.npy", {1, 1}, {1e-30f});
  const ProgramRun text = run_matprec({"compare", a, b, "--repeat", "1", "--algorithms", "fp16"});
  EXPECT_NE(text.out.find("fp16: 1 entry became or stopped being NaN or infinite, unlike"),
            std::string::npos)
      << text.out;
}

TEST(Compare, TellsTheErrorOfEveryRow) {
  const TemporaryFolder folder;
  // bfloat16 keeps 1 and loses 1 + 2^-9.
  const std::string a = matrix(folder, "a.npy", {2, 1}, {1, 1 + 0x1p-9f});
  const std::string b = matrix(folder, "b.npy", {1, 2}, {1, 2});
  const Json comparison = compared({a, b})["comparisons"][0];
  EXPECT_EQ(comparison["result_rows"], 2);
  EXPECT_EQ(comparison["result_rows_per_point"], 1);
  const Json errors = row_of(comparison, "bf16")["error_by_row"];
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0], 0.0);
  EXPECT_DOUBLE_EQ(errors[1].number(), 0x1p-9 / (1 + 0x1p-9));
}

TEST(Compare, PrintsTheSameBytesTwiceOnRequest) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {20, 20}, 1);
  for (const std::vector<std::string>& format :
       {std::vector<std::string>{}, std::vector<std::string>{"--json"}}) {
    std::vector<std::string> arguments = {"compare", a, a, "--reproducible"};
    arguments.insert(arguments.end(), format.begin(), format.end());
    const std::string slowest = run_matprec({"info", "--json"}).json()["targets"].back()["name"].text();
    const ProgramRun first = run_matprec(arguments);
    const ProgramRun second = run_matprec(
        arguments, {{"MATPREC_TARGET", slowest}, {"MATPREC_NUM_THREADS", "3"}});
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_EQ(first.out, second.out);
  }
}

TEST(Compare, HandlesZeroResultsAndEmptyOnes) {
  const TemporaryFolder folder;
  const std::string zero = matrix(folder, "zero.npy", {2, 2}, {0, 0, 0, 0});
  const Json document = compared({zero, zero});
  for (const Json& row : document["comparisons"][0]["rows"]) {
    EXPECT_EQ(row["relative_error"], 0.0);
    EXPECT_EQ(row["digits"], nullptr);
  }
  const std::string empty = matrix(folder, "empty.npy", {0, 2}, {});
  const ProgramRun run = run_matprec({"compare", empty, zero, "--repeat", "1"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.out.find("The result (0, 2) is empty: nothing to compare."), std::string::npos)
      << run.out;
  const std::string no_steps = matrix(folder, "no_steps.npy", {2, 0}, {});
  EXPECT_EQ(row_of(compared({no_steps, empty})["comparisons"][0], "fp32")["relative_error"], 0.0);
}

void expect_refused(const std::vector<std::string>& arguments, const std::string& line) {
  const ProgramRun run = run_matprec(arguments);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err, line + "\n");
  EXPECT_EQ(run.out, "");
}

TEST(Compare, RefusesBadInputInOneLine) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {4, 3}, 1);
  const std::string broken = folder.write("broken.npy", "\x93NUMPY");
  const std::string row = matrix(folder, "row.npy", {2}, {1, 2});
  expect_refused(
      {"compare", a, broken},
      broken + ": no .npy file: 6 bytes, expected at least 10 of magic, version and header length");
  expect_refused(
      {"compare"},
      "matprec compare: no matrices; give A.npy B.npy, or --gram A.npy, or --distance A.npy, or "
      "--series k");
  expect_refused(
      {"compare", a},
      "matprec compare: \"" + a +
          "\" has no partner; give files in pairs A.npy B.npy, or --gram A.npy, or --distance "
          "A.npy");
  expect_refused({"compare", "--gram", a, "--transpose-rhs"},
                 "matprec compare: --transpose-rhs is for pairs A.npy B.npy, and there are none");
  expect_refused({"compare", "--series", "k", "--bf16"},
                 "matprec compare: --bf16 is for files, and there are none");
  expect_refused({"compare", "", ""}, "\"\": cannot be opened: No such file or directory");
  expect_refused({"compare", "no\nfile", a}, "no?file: cannot be opened: No such file or directory");
  expect_refused({"compare", "--distance", row},
                 row + ": has shape (2,); --distance needs a matrix with a point in each row");
  expect_refused({"compare", "--gram", row},
                 row + ": has shape (2,); a transpose needs two dimensions or more");
  expect_refused({"compare", a, a, "--tolerance", "-1"},
                 "matprec compare: --tolerance: \"-1\": expected a number of 0 or more; see matprec "
                 "compare --help");
  expect_refused({"compare", a, a, "--threads", "x"},
                 "matprec compare: --threads: \"x\": expected a whole number from 0 (as many as the "
                 "library would use) to 2147483647; see matprec compare --help");
  expect_refused({"compare", a, a, "--repeat", "-1"},
                 "matprec compare: --repeat: \"-1\": expected a whole number from 0 (as many as fit "
                 "into half a second) to 2147483647; see matprec compare --help");
}

TEST(Compare, ReportsShapesThatDoNotFit) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {4, 3}, 1);
  const ProgramRun run = run_matprec({"compare", a, a});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
  EXPECT_NE(run.err.find('3'), std::string::npos) << run.err;
  EXPECT_NE(run.err.find('4'), std::string::npos) << run.err;
}

TEST(Compare, RefusesUnknownAlgorithms) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {4, 4}, 1);
  const ProgramRun run = run_matprec({"compare", a, a, "--algorithms", "bf16,bf16x4"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err.find("--algorithms"), 0u) << run.err;
  EXPECT_NE(run.err.find("bf16x4"), std::string::npos) << run.err;
}

TEST(Compare, RefusesAnEmptyNameInTheListOfAlgorithms) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {4, 4}, 1);
  for (const char* list : {"bf16,,fp32", ",bf16", "bf16,", ""}) {
    const ProgramRun run = run_matprec({"compare", a, a, "--algorithms", list});
    EXPECT_EQ(run.exit_code, 2) << list;
    EXPECT_EQ(run.err.find("--algorithms: unknown value \"\""), 0u) << list << '\n' << run.err;
  }
}

TEST(Compare, RefusesAForcedPrecision) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {4, 4}, 1);
  const ProgramRun run = run_matprec({"compare", a, a}, {{"MATPREC_FORCE_PRECISION", "bf16"}});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err.find("matprec compare: MATPREC_FORCE_PRECISION=BF16_BF16_F32 replaces"), 0u)
      << run.err;
}

TEST(Compare, RefusesARequirement) {
  const TemporaryFolder folder;
  const std::string a = normal_matrix(folder, "a.npy", {4, 4}, 1);
  const ProgramRun run = run_matprec({"compare", a, a}, {{"MATPREC_REQUIRE", "tf32"}});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err.find("matprec compare: MATPREC_REQUIRE=tf32 forbids"), 0u) << run.err;
}

}  // namespace
}  // namespace matprec
