// The JSON text of a .safetensors header as a list, field by field.
//
// Knows what may stand where; not whether the numbers agree with each other or with the file
// (safetensors_header.h).
#ifndef MATPREC_SRC_IO_SAFETENSORS_JSON_H_
#define MATPREC_SRC_IO_SAFETENSORS_JSON_H_

#include <string>
#include <string_view>
#include <vector>

#include "src/io/safetensors_header.h"

namespace matprec::io {

// In the order of the text, without __metadata__. Errors: FileError.
std::vector<SafetensorsEntry> read_safetensors_json(std::string_view text, const std::string& file);

}  // namespace matprec::io

#endif  // MATPREC_SRC_IO_SAFETENSORS_JSON_H_
