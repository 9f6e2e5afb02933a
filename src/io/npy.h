// NumPy's .npy files: versions 1 to 3, C and Fortran order, checked against the file's size.
//
// Knows bytes, element descriptions and shapes; nothing of products. A file that is broken, or
// holds what cannot be read, is a FileError of one line: the file, what was found, what was
// expected.
#ifndef MATPREC_SRC_IO_NPY_H_
#define MATPREC_SRC_IO_NPY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matprec/dims.h"
#include "matprec/element_type.h"
#include "matprec/tensor.h"
#include "src/io/file_error.h"

namespace matprec::io {

// The array of a file. The elements lie in `data` in the file's own order, which `strides` (in
// elements) describes. `descr` is NumPy's: "<f4", "|u1", "<c16", ...; always one of those that are
// little endian.
struct NpyArray {
  std::string name;  // the file, for error texts
  std::string descr;
  std::size_t item_size = 0;
  Dims shape, strides;
  std::int64_t count = 0;
  std::vector<std::byte> data;
};

NpyArray read_npy(const std::string& path);
// The same for a file that lies in memory; `name` opens the error texts.
NpyArray parse_npy(std::span<const std::byte> file, const std::string& name);

// How a type is stored: "<f4", "<c8", "|i1", ...; bfloat16 and the 8-bit floats have no description of
// their own in NumPy and are stored as "<u2" and "|u1".
std::string_view npy_descr(ElementType type);
// The real float type that a description stands for; nothing for any other. "<u2" is bfloat16 only if `u2_is_bfloat16`.
std::optional<ElementType> element_type_of_descr(std::string_view descr, bool u2_is_bfloat16);
// The array as a view. Errors: elements that are no real floats.
TensorView view_of(const NpyArray& array, bool u2_is_bfloat16);

// Writes version 1, C order, as an OutputFile. Errors: whatever the system says.
void write_npy(const std::string& path, const Tensor& tensor);
void write_npy(const std::string& path, std::string_view descr, std::size_t item_size,
               const Dims& shape, std::span<const std::byte> data);

}  // namespace matprec::io

#endif  // MATPREC_SRC_IO_NPY_H_
