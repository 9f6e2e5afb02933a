// Files that were cut, bent and patched together: each gives an array that agrees with its own
// size, or an Error. Anything else is a crash, which this program, best built with
// -fsanitize=address,undefined, finds.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "src/io/npy.h"
#include "tests/io/fuzz.h"
#include "tests/io/npy_bytes.h"
#include "tests/support/temporary_folder.h"

namespace matprec {
namespace {

using testing::as_bytes;
using testing::dictionary;
using testing::npy_bytes;

std::vector<std::string> sound_files() {
  const std::string data(24, '\x3f');
  return {npy_bytes(dictionary("<f4", "False", "(2, 3)"), data),
          npy_bytes(dictionary("<f8", "True", "(3,)"), data, 2),
          npy_bytes(dictionary("<f2", "False", "(2, 2, 3)"), data, 3),
          npy_bytes(dictionary("|u1", "True", "(24,)"), data),
          npy_bytes(dictionary("<f4", "False", "()"), data.substr(0, 4)),
          npy_bytes(dictionary("<c16", "False", "(0, 9)"), "")};
}

// True if it was an array. One line in the error, and the array's numbers agree.
bool is_sound(const std::string& file) {
  try {
    const io::NpyArray array = io::parse_npy(as_bytes(file), "f");
    std::int64_t count = 1;
    for (const std::int64_t size : array.shape) count *= size;
    EXPECT_EQ(array.count, count);
    EXPECT_EQ(array.data.size(), static_cast<std::size_t>(count) * array.item_size);
    EXPECT_LE(array.data.size(), file.size());
    return true;
  } catch (const io::FileError& e) {
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    return false;
  }
}

TEST(NpyFuzz, EveryTruncationIsAnError) {
  testing::expect_every_truncation_is_an_error(sound_files(), is_sound);
}

TEST(NpyFuzz, EveryByteMayTakeEveryValue) { testing::bend_every_byte(sound_files(), is_sound); }

TEST(NpyFuzz, RandomEditsNeverCrash) {
  std::mt19937 random(20240229);
  const std::vector<std::string> files = sound_files();
  const std::string pieces[] = {"{",
                                "}",
                                "(",
                                ")",
                                ",",
                                "'",
                                "\"",
                                ":",
                                "[",
                                "L",
                                "-1",
                                "True",
                                "False",
                                "9223372036854775807",
                                "18446744073709551616",
                                "'shape'",
                                "'descr'",
                                "'<f4'",
                                "'>f8'",
                                "'|O'",
                                std::string(1, '\0'),
                                "\xff\xff\xff\xff"};
  for (int round = 0; round < 20000; ++round) {
    std::string file = files[random() % files.size()];
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
      const std::size_t at = random() % (file.size() + 1);
      switch (random() % 4) {
        case 0:
          file.insert(at, pieces[random() % std::size(pieces)]);
          break;
        case 1:
          file.erase(at, random() % 8);
          break;
        case 2:
          if (at < file.size()) file[at] = static_cast<char>(random());
          break;
        default:
          file.insert(at, file.substr(random() % (file.size() + 1), random() % 16));
      }
    }
    is_sound(file);
  }
}

TEST(NpyFuzz, FilesOnDiskGiveTheSameAnswer) {
  std::mt19937 random(7);
  const testing::TemporaryFolder folder;
  for (int round = 0; round < 300; ++round) {
    std::string file = sound_files()[random() % 6];
    file[random() % file.size()] = static_cast<char>(random());
    const std::string path = folder.write("f.npy", file);
    bool read = true;
    try {
      io::read_npy(path);
    } catch (const io::FileError&) {
      read = false;
    }
    EXPECT_EQ(read, is_sound(file));
  }
}

}  // namespace
}  // namespace matprec
