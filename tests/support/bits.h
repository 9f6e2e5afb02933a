// Bit patterns in tests: reading, writing and showing them.
#ifndef MATPREC_TESTS_SUPPORT_BITS_H_
#define MATPREC_TESTS_SUPPORT_BITS_H_

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

namespace matprec::testing {

inline std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
inline std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
inline float from_bits(std::uint32_t pattern) { return std::bit_cast<float>(pattern); }

// "0x3F800001 (1.0000001)".
inline std::string show(float x) {
  char text[64];
  std::snprintf(text, sizeof text, "0x%08X (%.9g)", bits(x), static_cast<double>(x));
  return text;
}
inline std::string show(double x) {
  char text[64];
  std::snprintf(text, sizeof text, "0x%016llX (%.17g)", static_cast<unsigned long long>(bits(x)),
                x);
  return text;
}

// Success if both arrays hold the same bits; else the first difference.
template <class T>
::testing::AssertionResult same_bits(std::span<const T> got, std::span<const T> expected) {
  if (got.size() != expected.size()) {
    return ::testing::AssertionFailure()
           << "sizes differ: " << got.size() << " and " << expected.size();
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (bits(got[i]) != bits(expected[i])) {
      return ::testing::AssertionFailure() << "first difference at flat index " << i << ": got "
                                           << show(got[i]) << ", expected " << show(expected[i]);
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_BITS_H_
