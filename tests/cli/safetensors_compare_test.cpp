// The program on .safetensors files.
#include <gtest/gtest.h>

#include <string>

#include "src/io/npy.h"
#include "tests/cli/run_program.h"
#include "tests/io/npy_bytes.h"
#include "tests/io/safetensors_bytes.h"

namespace matprec {
namespace {

using io::Json;
using testing::header_of;
using testing::ProgramRun;
using testing::raw;
using testing::run_matprec;
using testing::safetensors_bytes;
using testing::TemporaryFolder;
using testing::tensor_entry;

std::string weights(const TemporaryFolder& folder) {
  return folder.write(
      "w.safetensors",
      safetensors_bytes(header_of({tensor_entry("layer.weight", "F32", "[3,2]", "[0,24]"),
                                   tensor_entry("half", "F16", "[1,1]", "[24,26]"),
                                   tensor_entry("steps", "I64", "[]", "[26,34]")}),
                        raw<float>({1.1f, 2.2f, 3.3f, 4.4f, 5.5f, 6.6f}) +
                            std::string("\x00\x3c", 2) + std::string(8, '\0')));
}

std::string hash_of(const std::vector<std::string>& operands) {
  std::vector<std::string> arguments = {"compare", "--json", "--reproducible", "--algorithms",
                                        "bf16x3"};
  arguments.insert(arguments.end(), operands.begin(), operands.end());
  const ProgramRun run = run_matprec(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.json()["comparisons"][0]["rows"][0]["hash"].text();
}

TEST(CompareSafetensors, GivesTheBitsOfTheSameNumbersInNpy) {
  const TemporaryFolder folder;
  const std::string w = weights(folder) + ":layer.weight";
  const std::string n = folder / "n.npy", x = folder / "x.npy";
  io::write_npy(n, Tensor::of<float>({3, 2}, {1.1f, 2.2f, 3.3f, 4.4f, 5.5f, 6.6f}));
  io::write_npy(x, Tensor::of<float>({1, 2}, {0.7f, 0.9f}));
  EXPECT_EQ(hash_of({x, w + ".T"}), hash_of({x, n, "--transpose-rhs"}));
  EXPECT_EQ(hash_of({x, w, "--transpose-rhs"}), hash_of({x, n + ".T"}));
  EXPECT_EQ(hash_of({"--gram", w}), hash_of({"--gram", n}));
  EXPECT_EQ(hash_of({"--gram", w + ".T"}), hash_of({n + ".T", n}));
  EXPECT_EQ(hash_of({"--distance", w}), hash_of({"--distance", n}));
}

TEST(CompareSafetensors, NamesFileAndTensorInErrors) {
  const TemporaryFolder folder;
  const std::string w = weights(folder);
  const ProgramRun run = run_matprec({"compare", w + ":layer.wieght", w + ":half"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err,
            w + ": holds no tensor \"layer.wieght\"; nearest first: \"layer.weight\" (3, 2) "
                "F32, \"half\" (1, 1) F16, \"steps\" () I64\n");
}

TEST(CompareSafetensors, ListsTheTensorsOfALoneFile) {
  const TemporaryFolder folder;
  const std::string w = weights(folder);
  const ProgramRun run = run_matprec({"compare", w});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err.find(w + ": holds 3 tensors; name one as " + w + ":NAME, of: "), 0u) << run.err;
}

TEST(ExplainSafetensors, TakesTheSameOperands) {
  const TemporaryFolder folder;
  const std::string w = weights(folder);
  const Json result =
      run_matprec({"explain", w + ":layer.weight.T", w + ":layer.weight", "--json"}).json();
  EXPECT_EQ(result["m"], 2);
  EXPECT_EQ(result["k"], 3);
}

TEST(Tensors, ListsWhatCanBeNamed) {
  const TemporaryFolder folder;
  const std::string w = weights(folder);
  const std::string blank(w.size(), ' ');
  EXPECT_EQ(run_matprec({"tensors", w}).out,
            "operand" + blank.substr(7) + "               type  shape\n" + w +
                ":layer.weight  F32   (3, 2)\n" + w + ":half          F16   (1, 1)\n" + w +
                ":steps         I64   ()\n");
  const Json result = run_matprec({"tensors", w, "--json"}).json();
  EXPECT_EQ(result["files"][0]["tensors"][0],
            Json({{"name", "layer.weight"}, {"type", "F32"}, {"shape", {3, 2}}}));
  EXPECT_EQ(run_matprec({"tensors", folder / "none.safetensors"}).exit_code, 2);
  EXPECT_EQ(run_matprec({"tensors", "w.bin"}).err,
            "w.bin: is no name of a .safetensors file, which ends so\n");
}

TEST(Tensors, ShowsNamesThatWouldSteerTheTerminalEscaped) {
  const TemporaryFolder folder;
  const auto shown = [&](const std::string& name) {
    const std::string w = folder.write(
        "w.safetensors", safetensors_bytes(header_of({tensor_entry(name, "F32", "[]", "[0,4]")}),
                                           std::string(4, '\0')));
    const std::string out = run_matprec({"tensors", w}).out;
    const std::size_t begin = out.find(w + ":") + w.size() + 1;
    return out.substr(begin, out.find("  F32") - begin);
  };
  EXPECT_EQ(shown("couche.\u00e9t\u00e9"), "couche.\u00e9t\u00e9");
  EXPECT_EQ(shown("a\u009b31mb"), "\"a\\u009b31mb\"");
  EXPECT_EQ(shown("a\u202eb"), "\"a\\u202eb\"");
  EXPECT_EQ(shown("a\u2066b"), "\"a\\u2066b\"");
  EXPECT_EQ(shown("\ufeffb"), "\"\\ufeffb\"");
}

}  // namespace
}  // namespace matprec
