// .safetensors files written by hand.
#ifndef MATPREC_TESTS_IO_SAFETENSORS_BYTES_H_
#define MATPREC_TESTS_IO_SAFETENSORS_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace matprec::testing {

// A number of 64 bits, the low byte first.
inline std::string little_endian(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

// The header's length (of the text as it stands), text, data.
inline std::string safetensors_bytes(const std::string& header, const std::string& data) {
  return little_endian(header.size()) + header + data;
}

// "name": {"dtype": ..., "shape": ..., "data_offsets": ...}
inline std::string tensor_entry(const std::string& name, const std::string& dtype,
                                const std::string& shape, const std::string& offsets) {
  // Appended piece by piece: g++ 12 warns wrongly about "x" + string.
  std::string text = "\"";
  text.append(name).append("\":{\"dtype\":\"").append(dtype).append("\",\"shape\":").append(shape);
  return text.append(",\"data_offsets\":").append(offsets).append("}");
}

// {..., ...}
inline std::string header_of(const std::vector<std::string>& entries) {
  std::string text = "{";
  for (const std::string& entry : entries) text.append(text.size() > 1 ? "," : "").append(entry);
  return text.append("}");
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_IO_SAFETENSORS_BYTES_H_
