// The header of a .safetensors file: a JSON object that says of each tensor its type, shape and
// place.
//
// Knows the text and the numbers it must agree with; opens no files. Written from the format's
// public description (https://huggingface.co/docs/safetensors/index#format).
#ifndef MATPREC_SRC_IO_SAFETENSORS_HEADER_H_
#define MATPREC_SRC_IO_SAFETENSORS_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matprec/dims.h"
#include "matprec/element_type.h"

namespace matprec::io {

// The header's length, a little-endian number of 64 bits.
inline constexpr std::size_t kSafetensorsPreamble = 8;

struct SafetensorsEntry {
  std::string name;
  std::string dtype;  // "F32", "BF16", "I64", ... as the file writes it
  Dims shape;
  std::uint64_t begin = 0, end = 0;  // bytes, counted from the end of the header
};

// From the file's first bytes (kSafetensorsPreamble of them, or all of a shorter file): the length
// of the header's text. Errors: FileError, also where the text would leave the file.
std::size_t safetensors_header_size(std::span<const std::byte> preamble, std::uint64_t file_size,
                                    const std::string& file);

// The tensors in the order of their bytes. Errors: FileError where the text is not a header, or
// where the tensors do not fill the `data_bytes` behind it exactly, without gap or overlap.
std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view text,
                                                       std::uint64_t data_bytes,
                                                       const std::string& file);

// Nothing for what is no floating-point type of matprec's.
std::optional<ElementType> element_type_of_safetensors(std::string_view dtype);

// A tensor's name as error texts show it: quoted, printable ASCII, short.
std::string quoted_tensor_name(std::string_view name);

}  // namespace matprec::io

#endif  // MATPREC_SRC_IO_SAFETENSORS_HEADER_H_
