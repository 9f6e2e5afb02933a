// `matprec compare --plot`: what is drawn, and what is left where nothing can be.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "matprec/dot_algorithm.h"
#include "src/io/npy.h"
#include "tests/cli/run_program.h"
#include "tests/support/gnuplot.h"
#include "tests/support/rounding_rows.h"

namespace matprec {
namespace {

using testing::content_of;
using testing::exit_code_of;
using testing::ProgramRun;
using testing::run_matprec;
using testing::start_matprec;
using testing::TemporaryFolder;
using namespace std::chrono_literals;

std::string matrix(const TemporaryFolder& folder, const std::string& name, const Dims& shape,
                   float first) {
  Tensor tensor(ElementType::kF32, shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    tensor.data<float>()[i] = first + static_cast<float>(i) / 7;
  }
  io::write_npy(folder / name, tensor);
  return folder / name;
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

// A folder with a program of the name gnuplot.
std::string fake_gnuplot(const TemporaryFolder& folder, const std::string& commands) {
  const std::string path = folder.write("gnuplot", "#!/bin/sh\n" + commands);
  chmod(path.c_str(), 0700);
  return folder.path();
}

TEST(Plot, DrawsEveryAlgorithmOfEveryProduct) {
  MATPREC_NEEDS_GNUPLOT();
  const TemporaryFolder folder;
  const std::string a = matrix(folder, "a.npy", {5, 5}, 1);
  const ProgramRun run =
      run_matprec({"compare", a, a, "--gram", a, "--repeat", "1", "--plot", folder / "out.svg"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string svg = content_of(folder / "out.svg");
  EXPECT_EQ(svg.find("<?xml"), 0u);
  EXPECT_NE(svg.find("FMAs per element and step"), std::string::npos);
  EXPECT_NE(svg.find("row of the result"), std::string::npos);
  EXPECT_NE(svg.find("times its own transpose"), std::string::npos);
  for (const AlgorithmInfo& row : testing::rounding_rows()) {
    EXPECT_NE(svg.find("<text>" + std::string(row.short_name) + "<"), std::string::npos)
        << row.short_name;
  }
  EXPECT_EQ(files_in(folder.path()).size(), 2u);  // no temporary file is left
}

TEST(Plot, DrawsTheSameBytesTwice) {
  MATPREC_NEEDS_GNUPLOT();
  const TemporaryFolder folder;
  const std::string a = matrix(folder, "a.npy", {5, 5}, 1);
  for (const char* name : {"1.svg", "2.svg"}) {
    run_matprec({"compare", a, a, "--repeat", "1", "--plot", folder / name});
  }
  EXPECT_EQ(content_of(folder / "1.svg"), content_of(folder / "2.svg"));
  EXPECT_NE(content_of(folder / "1.svg"), "");
}

// Errors of 0, infinity and NaN have no place on a logarithmic axis.
TEST(Plot, DrawsWhatHasNoPoints) {
  MATPREC_NEEDS_GNUPLOT();
  const TemporaryFolder folder;
  const std::string zero = folder / "zero.npy", empty = folder / "empty.npy";
  io::write_npy(zero, Tensor(ElementType::kF32, {2, 2}));
  io::write_npy(empty, Tensor(ElementType::kF32, {0, 2}));
  const std::string large = matrix(folder, "large.npy", {2, 2}, 1e6f);
  const std::string vector = matrix(folder, "vector.npy", {2}, 1);
  const std::string line = matrix(folder, "line.npy", {1, 2}, 1);
  for (const std::vector<std::string>& pair :
       {std::vector{zero, zero}, {empty, zero}, {large, large}, {zero, vector}, {line, zero}}) {
    const ProgramRun run =
        run_matprec({"compare", pair[0], pair[1], "--repeat", "1", "--plot", folder / "out.svg"});
    EXPECT_EQ(run.exit_code, 0) << pair[0] << ' ' << pair[1] << '\n' << run.err;
  }
  run_matprec({"compare", large, zero, "--repeat", "1", "--plot", folder / "out.svg"});
  EXPECT_NE(content_of(folder / "out.svg").find("not drawn: "), std::string::npos);
}

TEST(Plot, TitlesAreNoCommands) {
  MATPREC_NEEDS_GNUPLOT();
  const TemporaryFolder folder;
  const std::string mark = folder / "mark";
  for (const std::string name :
       {"it's'; system('touch mark'); set title 'x.npy", "`touch mark`.npy", "\n!touch mark\n.npy",
        "\";system(\"touch mark\").npy", "@{a}_b^c\\.npy", "<&>\xff\xc3\xa9.npy"}) {
    const std::string a = matrix(folder, name, {3, 3}, 1);
    const ProgramRun run =
        run_matprec({"compare", a, a, "--repeat", "1", "--plot", folder / "out.svg"});
    EXPECT_EQ(run.exit_code, 0) << name << '\n' << run.err;
    EXPECT_FALSE(std::filesystem::exists("mark")) << name;
    EXPECT_FALSE(std::filesystem::exists(mark)) << name;
  }
  // The last name: escaped, and what is no UTF-8 replaced.
  EXPECT_NE(content_of(folder / "out.svg").find("&lt;&amp;>\uFFFD\u00e9.npy"),
            std::string::npos);
}

TEST(Plot, DrawsSeries) {
  MATPREC_NEEDS_GNUPLOT();
  const TemporaryFolder folder;
  const ProgramRun run = run_matprec({"compare", "--series", "k", "--series", "scale",
                                      "--algorithms", "bf16,fp16", "--plot", folder / "out.svg"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string svg = content_of(folder / "out.svg");
  EXPECT_NE(svg.find("64 x K times K x 64"), std::string::npos);
  EXPECT_NE(svg.find("normal numbers times 2^e"), std::string::npos);
  EXPECT_NE(svg.find("<text>16384<"), std::string::npos);
}

TEST(Plot, NamesThePackageOfAMissingGnuplot) {
  const TemporaryFolder folder, empty;
  const std::string a = matrix(folder, "a.npy", {3, 3}, 1);
  const ProgramRun run =
      run_matprec({"compare", a, a, "--plot", folder / "out.svg"}, {{"PATH", empty.path()}});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");  // refused before the first product
  EXPECT_EQ(
      run.err,
      "--plot: the program gnuplot, which draws the picture, is not in PATH; on Debian: apt-get "
      "install gnuplot-nox\n");
}

TEST(Plot, RefusesNamesThatCannotBeWritten) {
  const TemporaryFolder folder, programs;
  const std::string a = matrix(folder, "a.npy", {3, 3}, 1);
  const std::string path = fake_gnuplot(programs, "exit 1\n");
  const auto refusal = [&](const std::string& name) {
    const ProgramRun run = run_matprec({"compare", a, a, "--plot", name}, {{"PATH", path}});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, "");
    return run.err;
  };
  EXPECT_EQ(refusal("out.png"),
            "matprec compare: --plot \"out.png\" does not end in .svg, which is what is drawn\n");
  EXPECT_EQ(refusal(""),
            "matprec compare: --plot \"\" does not end in .svg, which is what is drawn\n");
  EXPECT_EQ(refusal(folder / "none/out.svg"),
            folder / "none/out.svg" + ": cannot be written: No such file or directory\n");
}

TEST(Plot, LeavesThePictureOfBeforeWhereGnuplotFails) {
  const TemporaryFolder folder, programs;
  const std::string a = matrix(folder, "a.npy", {3, 3}, 1);
  const std::string svg = folder.write("out.svg", "old");
  for (const char* commands : {"echo '<svg>'; echo 'line 1: no such thing' >&2; exit 1\n",
                               "echo '<svg>'; echo 'line 1: no such thing' >&2\n"}) {
    const std::string path = fake_gnuplot(programs, commands) + ":/bin:/usr/bin";
    const ProgramRun run =
        run_matprec({"compare", a, a, "--repeat", "1", "--plot", svg}, {{"PATH", path}});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.err.find("gnuplot: "), 0u) << run.err;
    EXPECT_TRUE(run.err.ends_with(": line 1: no such thing\n")) << run.err;
    EXPECT_EQ(content_of(svg), "old");
    EXPECT_EQ(files_in(folder.path()).size(), 2u);
  }
}

// True as soon as `condition` is, false after ten seconds.
template <class Condition>
bool soon(const Condition& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(Plot, LeavesNothingWhenItIsInterrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder, programs;
    const std::string a = matrix(folder, "a.npy", {3, 3}, 1);
    // Says which process it is, and then takes forever.
    const std::string started = programs / "started";
    const std::string path = fake_gnuplot(programs, "echo $$ > " + started + ".new; mv " + started +
                                                        ".new " + started + "; exec sleep 600\n") +
                             ":/bin:/usr/bin";
    const pid_t program =
        start_matprec({"compare", a, a, "--repeat", "1", "--plot", folder / "out.svg"},
                      {{"PATH", path}}, programs / "out", programs / "err");
    EXPECT_TRUE(soon([&] { return std::filesystem::exists(started); }));
    kill(program, signal);
    EXPECT_EQ(exit_code_of(program), -signal);  // a shell says 128 + signal
    EXPECT_EQ(files_in(folder.path()), std::vector<std::string>{"a.npy"});
    // A process that has ended has no command line, whether or not somebody waits for it.
    const std::string drawer = content_of(started);
    const std::string command = "/proc/" + drawer.substr(0, drawer.find('\n')) + "/cmdline";
    EXPECT_TRUE(soon([&] { return content_of(command).empty(); })) << command;
  }
}

}  // namespace
}  // namespace matprec
