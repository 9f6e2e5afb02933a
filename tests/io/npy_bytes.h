// .npy files written by hand, so that the reader is not tested with the writer of the same mind.
#ifndef MATPREC_TESTS_IO_NPY_BYTES_H_
#define MATPREC_TESTS_IO_NPY_BYTES_H_

#include <cstddef>
#include <cstring>
#include <span>
#include <string>

namespace matprec::testing {

// Magic, version, header length (of the text as it stands), text, data.
inline std::string npy_bytes(const std::string& text, const std::string& data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>(text.size() >> (8 * i) & 0xff);
  }
  return bytes + text + data;
}

inline std::string dictionary(const std::string& descr, const std::string& order,
                              const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

template <class T>
std::string raw(std::initializer_list<T> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

inline std::span<const std::byte> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_IO_NPY_BYTES_H_
