// The header of a .npy file: magic, version, length, and a Python dictionary of three entries.
//
// Knows the text and the numbers it must agree with; opens no files.
#ifndef MATPREC_SRC_IO_NPY_HEADER_H_
#define MATPREC_SRC_IO_NPY_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "matprec/dims.h"

namespace matprec::io {

// Magic, version and the longer form of the header's length.
inline constexpr std::size_t kNpyPreamble = 12;

struct NpyHeader {
  std::string descr;
  std::size_t item_size = 0;
  bool fortran_order = false;
  Dims shape, strides;
  std::int64_t count = 0;
  std::uint64_t data_bytes = 0;
};

// Where the header's text lies in the file.
struct NpyHeaderExtent {
  std::size_t begin = 0, end = 0;
};

// From the file's first bytes (kNpyPreamble of them, or all of a shorter file). Errors: FileError.
NpyHeaderExtent npy_header_extent(std::span<const std::byte> preamble, std::uint64_t file_size,
                                  const std::string& name);

// From the header's text. Errors: FileError, also where the array's bytes are not exactly the
// `file_size - data_begin` that follow the header.
NpyHeader parse_npy_header(std::string_view text, std::uint64_t data_begin, std::uint64_t file_size,
                           const std::string& name);

}  // namespace matprec::io

#endif  // MATPREC_SRC_IO_NPY_HEADER_H_
