#include "src/io/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

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
  const std::string long_name = folder / std::string(300, 'n');
  EXPECT_EQ(error_of([&] { io::require_writable(long_name); }),
            long_name + ": cannot be written: File name too long");
}

TEST(OutputFile, MayHaveTheLongestNameThereIs) {
  const TemporaryFolder folder;
  const std::string path = folder / std::string(255, 'n');
  EXPECT_EQ(error_of([&] { io::require_writable(path); }), "(no error)");
  io::OutputFile file(path);
  file.append(std::string_view("all"));
  file.finish();
  EXPECT_EQ(content_of(path), "all");
}

TEST(OutputFile, ReplacesOnlyRegularFiles) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe", link = folder / "link";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/null")}) {
    EXPECT_EQ(error_of([&] { io::require_writable(path); }),
              path + ": is no regular file; name one, or a new one");
  }
  std::filesystem::create_symlink("nothing", link);
  EXPECT_EQ(error_of([&] { io::require_writable(link); }),
            link + ": is a link to what is not there; remove it or make its target");
}

TEST(OutputFile, FollowsLinks) {
  const TemporaryFolder folder;
  const std::string link = folder / "link";
  std::filesystem::create_directory(folder / "inner");
  std::filesystem::create_symlink("inner/real", link);
  std::ofstream(folder / "inner/real") << "old";
  EXPECT_EQ(error_of([&] { io::require_writable(link); }), "(no error)");
  io::OutputFile file(link);
  file.append(std::string_view("new"));
  file.finish();
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(content_of(folder / "inner/real"), "new");
  EXPECT_EQ(files_in(folder), 2u);
}

}  // namespace
}  // namespace matprec
