// What every reader of files is put through: cut files and bent bytes.
#ifndef MATPREC_TESTS_IO_FUZZ_H_
#define MATPREC_TESTS_IO_FUZZ_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace matprec::testing {

// is_sound(bytes) reads a file and says whether it was one.
template <class IsSound>
void expect_every_truncation_is_an_error(const std::vector<std::string>& files,
                                         const IsSound& is_sound) {
  for (const std::string& file : files) {
    EXPECT_TRUE(is_sound(file));
    for (std::size_t size = 0; size < file.size(); ++size) {
      EXPECT_FALSE(is_sound(file.substr(0, size))) << size;
    }
  }
}

// Each byte of each file takes every value. Some must leave a file: data bytes may be anything.
template <class IsSound>
void bend_every_byte(const std::vector<std::string>& files, const IsSound& is_sound) {
  int sound = 0;
  for (const std::string& file : files) {
    for (std::size_t at = 0; at < file.size(); ++at) {
      std::string bent = file;
      for (int value = 0; value < 256; ++value) {
        bent[at] = static_cast<char>(value);
        sound += is_sound(bent) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(sound, 0);
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_IO_FUZZ_H_
