#include "src/io/output_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

namespace matprec {
namespace {

using testing::error_of;
using testing::TemporaryFolder;

std::size_t files_in(const TemporaryFolder& folder) {
  const std::filesystem::directory_iterator entries(folder.path());
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OutputFile, AppearsWhenItIsComplete) {
  const TemporaryFolder folder;
  const std::string path = folder.write("out", "old");
  io::OutputFile file(path);
  file.append(std::string_view("new"));
  EXPECT_EQ(content_of(path), "old");
  file.finish();
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(OutputFile, LeavesNothingUnlessItIsFinished) {
  const TemporaryFolder folder;
  {
    io::OutputFile file(folder / "out");
    file.append(std::string_view("half"));
    EXPECT_EQ(files_in(folder), 1u);  // the temporary neighbour
  }
  EXPECT_EQ(files_in(folder), 0u);
}

TEST(OutputFile, LeavesNothingWhereASignalHandlerCleansUp) {
  const TemporaryFolder folder;
  io::OutputFile file(folder / "out");
  file.append(std::string_view("half"));
  io::remove_unfinished_file();
  EXPECT_EQ(files_in(folder), 0u);
}

TEST(OutputFile, SaysWhyItCannotBeWritten) {
  const TemporaryFolder folder;
  const std::string nowhere = folder / "none/out";
  const std::string problem = nowhere + ": cannot be written: No such file or directory";
  EXPECT_EQ(error_of([&] { io::OutputFile file(nowhere); }), problem);
  EXPECT_EQ(error_of([&] { io::require_writable(nowhere); }), problem);
  EXPECT_EQ(error_of([&] { io::require_writable(folder.path()); }),
            folder.path() + ": cannot be written: Is a directory");
  EXPECT_EQ(error_of([&] { io::require_writable(folder / "out"); }), "(no error)");
}

}  // namespace
}  // namespace matprec
