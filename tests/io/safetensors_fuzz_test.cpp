// Files that were cut, bent and patched together: each gives tensors that fill the file exactly, or
// an Error. Anything else is a crash, which this program, best built with
// -fsanitize=address,undefined, finds.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "matprec/tensor.h"
#include "src/io/file_error.h"
#include "src/io/safetensors.h"
#include "tests/io/fuzz.h"
#include "tests/io/npy_bytes.h"
#include "tests/io/safetensors_bytes.h"
#include "tests/support/temporary_folder.h"

namespace matprec {
namespace {

using testing::as_bytes;
using testing::header_of;
using testing::safetensors_bytes;
using testing::tensor_entry;

std::vector<std::string> sound_files() {
  const std::string data(24, '\x3f');
  return {safetensors_bytes(header_of({tensor_entry("w", "F32", "[2,3]", "[0,24]")}), data),
          safetensors_bytes("{\"__metadata__\":{\"format\":\"pt\"}," +
                                tensor_entry("a.b", "BF16", "[2,4]", "[8,24]") + "," +
                                tensor_entry("c", "F64", "[]", "[0,8]") + "}   ",
                            data),
          safetensors_bytes(header_of({tensor_entry("i", "I64", "[3]", "[0,24]"),
                                       tensor_entry("e", "F8_E4M3", "[0,9]", "[24,24]")}),
                            data),
          safetensors_bytes("{}", "")};
}

// True if it was a file. One line in the error, and the entries agree with the file.
bool is_sound(const std::string& file) {
  try {
    std::uint64_t bytes = 0;
    for (const io::SafetensorsEntry& entry : io::parse_safetensors(as_bytes(file), "f")) {
      EXPECT_EQ(entry.begin, bytes);
      bytes = entry.end;
      const auto type = io::element_type_of_safetensors(entry.dtype);
      if (!type) continue;
      EXPECT_EQ(static_cast<std::uint64_t>(element_count(entry.shape)) * size_of(*type),
                entry.end - entry.begin);
    }
    EXPECT_LE(bytes, file.size());
    return true;
  } catch (const io::FileError& e) {
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    return false;
  }
}

TEST(SafetensorsFuzz, EveryTruncationIsAnError) {
  testing::expect_every_truncation_is_an_error(sound_files(), is_sound);
}

TEST(SafetensorsFuzz, EveryByteMayTakeEveryValue) { testing::bend_every_byte(sound_files(), is_sound); }

// Pieces of the header, so that the edits get past the JSON parser; the length is set right again.
TEST(SafetensorsFuzz, RandomEditsOfTheHeaderNeverCrash) {
  std::mt19937 random(20240229);
  const std::vector<std::string> files = sound_files();
  const std::string pieces[] = {"{",
                                "}",
                                "[",
                                "]",
                                ",",
                                ":",
                                "\"",
                                "\"w\":",
                                "{}",
                                "[]",
                                "-1",
                                "0",
                                "1.5",
                                "null",
                                "true",
                                "1e999",
                                "\"F32\"",
                                "\"Q\"",
                                "\\u0000",
                                "\xff",
                                "24",
                                "8",
                                "\"shape\":",
                                "\"dtype\":",
                                "\"data_offsets\":",
                                "18446744073709551615",
                                "18446744073709551616",
                                "\"__metadata__\":",
                                "9223372036854775807"};
  int sound = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string& file = files[random() % files.size()];
    const std::size_t header_size = static_cast<unsigned char>(file[0]);
    ASSERT_EQ(file[1], 0);
    std::string header = file.substr(8, header_size);
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
      const std::size_t at = random() % (header.size() + 1);
      switch (random() % 4) {
        case 0:
          header.insert(at, pieces[random() % std::size(pieces)]);
          break;
        case 1:
          header.erase(at, random() % 8);
          break;
        case 2:
          header.replace(at, random() % 4, pieces[random() % std::size(pieces)]);
          break;
        default:
          header.insert(at, header.substr(random() % (header.size() + 1), random() % 40));
      }
    }
    sound += is_sound(safetensors_bytes(header, file.substr(8 + header_size))) ? 1 : 0;
  }
  EXPECT_GT(sound, 0);  // a name, for instance, may be any
}

TEST(SafetensorsFuzz, FilesOnDiskGiveTheSameAnswer) {
  std::mt19937 random(7);
  const testing::TemporaryFolder folder;
  for (int round = 0; round < 300; ++round) {
    std::string file = sound_files()[random() % 4];
    file[random() % file.size()] = static_cast<char>(random());
    const std::string path = folder.write("f.safetensors", file);
    bool read = true;
    try {
      const io::SafetensorsFile on_disk(path);
      for (const io::SafetensorsEntry& entry : on_disk.entries()) {
        if (io::element_type_of_safetensors(entry.dtype)) on_disk.read(entry);
      }
    } catch (const io::FileError&) {
      read = false;
    }
    EXPECT_EQ(read, is_sound(file));
  }
}

}  // namespace
}  // namespace matprec
