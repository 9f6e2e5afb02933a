#include "src/cli/operand.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "src/io/npy.h"
#include "tests/io/npy_bytes.h"
#include "tests/io/safetensors_bytes.h"
#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

namespace matprec::cli {
namespace {

using testing::error_of;
using testing::header_of;
using testing::raw;
using testing::safetensors_bytes;
using testing::TemporaryFolder;
using testing::tensor_entry;

Operand read(const std::string& argument) { return read_operand(argument, false); }

// The elements in the view's order.
std::vector<float> values_of(const Operand& operand) {
  const TensorView& view = operand.view;
  std::vector<float> values;
  for (std::int64_t i = 0; i < view.shape()[0]; ++i) {
    for (std::int64_t j = 0; j < view.shape()[1]; ++j) {
      values.push_back(
          static_cast<const float*>(view.data())[i * view.strides()[0] + j * view.strides()[1]]);
    }
  }
  return values;
}

const std::string kSix = raw<float>({1, 2, 3, 4, 5, 6});

// "w" and "w.T" are 2 x 3 of 1, 2, ..., 6 and of 6, 5, ..., 1; "stack" is 1 x 2 x 3; "line" is of
// one dimension; "count" holds integers.
std::string weights(const TemporaryFolder& folder, const std::string& name) {
  return folder.write(
      name, safetensors_bytes(header_of({tensor_entry("w", "F32", "[2,3]", "[0,24]"),
                                         tensor_entry("w.T", "F32", "[2,3]", "[24,48]"),
                                         tensor_entry("stack", "F32", "[1,2,3]", "[48,72]"),
                                         tensor_entry("line", "F32", "[2]", "[72,80]"),
                                         tensor_entry("count", "I64", "[1]", "[80,88]")}),
                              kSix + raw<float>({6, 5, 4, 3, 2, 1}) + kSix + raw<float>({1, 2}) +
                                  std::string(8, '\0')));
}

TEST(Operand, IsATensorOfAFile) {
  const TemporaryFolder folder;
  const std::string file = weights(folder, "w.safetensors");
  const Operand operand = read(file + ":w");
  EXPECT_EQ(operand.view.shape(), Dims({2, 3}));
  EXPECT_EQ(values_of(operand), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(described(operand), file + ":w (2, 3) float32");
}

TEST(Operand, IsTransposedByItsSuffix) {
  const TemporaryFolder folder;
  const std::string file = weights(folder, "w.safetensors");
  io::write_npy(folder / "a.npy", Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  for (const std::string& name : {folder / "a.npy.T", folder / "a.npy.mT", file + ":w.mT"}) {
    const Operand operand = read(name);
    EXPECT_EQ(operand.name, name);
    EXPECT_EQ(operand.view.shape(), Dims({3, 2})) << name;
    EXPECT_EQ(values_of(operand), (std::vector<float>{1, 4, 2, 5, 3, 6})) << name;
  }
  EXPECT_EQ(read(file + ":stack.mT").view.shape(), Dims({1, 3, 2}));
}

TEST(Operand, ExactNamesWinOverSuffixes) {
  const TemporaryFolder folder;
  const std::string file = weights(folder, "w.safetensors");
  EXPECT_EQ(values_of(read(file + ":w.T")), (std::vector<float>{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(values_of(read(file + ":w.T.T")), (std::vector<float>{6, 3, 5, 2, 4, 1}));
  io::write_npy(folder / "a.npy", Tensor::of<float>({2, 1}, {1, 2}));
  io::write_npy(folder / "a.npy.T", Tensor::of<float>({2, 1}, {3, 4}));
  EXPECT_EQ(values_of(read(folder / "a.npy.T")), (std::vector<float>{3, 4}));
}

TEST(Operand, RefusesTheTransposeOfWhatIsNoMatrix) {
  const TemporaryFolder folder;
  const std::string file = weights(folder, "w.safetensors");
  EXPECT_EQ(
      error_of([&] { read(file + ":stack.T"); }),
      file +
          ":stack: has shape (1, 2, 3); .T needs two dimensions, .mT exchanges the last two of "
          "more");
  EXPECT_EQ(error_of([&] { read(file + ":line.T"); }),
            file + ":line: has shape (2,); .T needs two dimensions");
  EXPECT_EQ(error_of([&] { read(file + ":line.mT"); }),
            file + ":line: has shape (2,); .mT needs two dimensions or more");
}

TEST(Operand, FindsTheTensorBehindPathsWithColons) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkdir((folder / "x.safetensors:y").c_str(), 0700), 0);
  const std::string file = weights(folder, "x.safetensors:y/a:b.safetensors");
  EXPECT_EQ(read(file + ":w").view.shape(), Dims({2, 3}));
  EXPECT_EQ(error_of([&] { read(file + ":v"); }).find(file + ": holds no tensor \"v\""), 0u);
  io::write_npy(folder / "c:d.npy", Tensor::of<float>({1, 1}, {1}));
  EXPECT_EQ(read(folder / "c:d.npy").view.shape(), Dims({1, 1}));
}

TEST(Operand, FindsTensorsWhoseNamesHoldColonsOrNothing) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "w.safetensors",
      safetensors_bytes(header_of({tensor_entry("a:b.safetensors:c", "F32", "[1,1]", "[0,4]"),
                                   tensor_entry("", "F32", "[1,1]", "[4,8]")}),
                        raw<float>({1, 2})));
  EXPECT_EQ(values_of(read(file + ":a:b.safetensors:c")), std::vector<float>{1});
  EXPECT_EQ(values_of(read(file + ":")), std::vector<float>{2});
}

TEST(Operand, ListsTheTensorsOfAFileWithoutAName) {
  const TemporaryFolder folder;
  const std::string file = weights(folder, "w.safetensors");
  EXPECT_EQ(
      error_of([&] { read(file); }),
      file + ": holds 5 tensors; name one as " + file +
          ":NAME, of: \"w\" (2, 3) F32, \"w.T\" (2, 3) F32, \"stack\" (1, 2, 3) F32, \"line\" "
          "(2,) F32, \"count\" (1,) I64 (matprec tensors shows all)");
}

TEST(Operand, ListsTheNearestNamesFirst) {
  const TemporaryFolder folder;
  const std::string file = weights(folder, "w.safetensors");
  EXPECT_EQ(error_of([&] {
              read(file + ":lien");
            }).find(file + ": holds no tensor \"lien\"; nearest first: \"line\" (2,) F32, "),
            0u);
}

TEST(Operand, ListsTenNamesAtMost) {
  const TemporaryFolder folder;
  std::vector<std::string> entries;
  for (int i = 0; i < 25; ++i) {
    entries.push_back(
        tensor_entry(std::string("t").append(std::to_string(i)), "F32", "[0]", "[0,0]"));
  }
  const std::string file = folder.write("w.safetensors", safetensors_bytes(header_of(entries), ""));
  const std::string error = error_of([&] { read(file + ":x"); });
  EXPECT_TRUE(error.ends_with(" and 15 more")) << error;
}

TEST(Operand, RefusesTensorsThatAreNoFloats) {
  const TemporaryFolder folder;
  const std::string file = weights(folder, "w.safetensors");
  EXPECT_EQ(
      error_of([&] { read(file + ":count"); }),
      file + ": tensor \"count\" holds \"I64\"; expected F64, F32, F16, BF16, F8_E4M3, F8_E5M2, F8_E4M3FNUZ or F8_E5M2FNUZ");
}

TEST(Operand, NamesTheFileThatIsMissing) {
  EXPECT_EQ(error_of([] { read("none.npy.T"); }),
            "none.npy: cannot be opened: No such file or directory");
  EXPECT_EQ(error_of([] { read("none.safetensors:w.T"); }),
            "none.safetensors: cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace matprec::cli
