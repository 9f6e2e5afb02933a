// .safetensors files: which tensors one holds, and the bytes of those that are asked for.
//
// A file may be many times larger than memory: nothing is read but the header and the tensor named.
// A file that is broken is a FileError of one line: the file, the tensor, what was found, what was
// expected.
#ifndef MATPREC_SRC_IO_SAFETENSORS_H_
#define MATPREC_SRC_IO_SAFETENSORS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/io/input_file.h"
#include "src/io/safetensors_header.h"

namespace matprec::io {

class SafetensorsFile {
 public:
  // Reads and checks the header.
  explicit SafetensorsFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  // In the order of their bytes.
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }
  // Null if there is none of that name.
  const SafetensorsEntry* find(std::string_view name) const;
  // The elements of one of entries(), row-major and gapless, of the type that
  // element_type_of_safetensors() gives. Errors: it gives none.
  std::vector<std::byte> read(const SafetensorsEntry& entry) const;

 private:
  InputFile file_;
  std::uint64_t data_begin_ = 0;
  std::vector<SafetensorsEntry> entries_;
};

// The header of a file that lies in memory, checked in the same way; `name` opens the error texts.
std::vector<SafetensorsEntry> parse_safetensors(std::span<const std::byte> file,
                                                const std::string& name);

}  // namespace matprec::io

#endif  // MATPREC_SRC_IO_SAFETENSORS_H_
