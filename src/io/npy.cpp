#include "src/io/npy.h"

#include <algorithm>
#include <utility>

#include "src/io/input_file.h"
#include "src/io/npy_header.h"

namespace matprec::io {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

NpyArray array_of(NpyHeader header, const std::string& name) {
  NpyArray array;
  array.name = name;
  array.descr = std::move(header.descr);
  array.item_size = header.item_size;
  array.shape = header.shape;
  array.strides = header.strides;
  array.count = header.count;
  array.data.resize(header.data_bytes);
  return array;
}

}  // namespace

NpyArray read_npy(const std::string& path) {
  const InputFile file(path, "a .npy file");
  std::vector<std::byte> head(std::min<std::uint64_t>(file.size(), kNpyPreamble));
  file.read(0, head);
  const NpyHeaderExtent extent = npy_header_extent(head, file.size(), path);
  std::vector<std::byte> text(extent.end - extent.begin);
  file.read(extent.begin, text);
  NpyArray array = array_of(parse_npy_header(text_of(text), extent.end, file.size(), path), path);
  file.read(extent.end, array.data);
  return array;
}

NpyArray parse_npy(std::span<const std::byte> file, const std::string& name) {
  const NpyHeaderExtent extent =
      npy_header_extent(file.first(std::min(file.size(), kNpyPreamble)), file.size(), name);
  const std::string_view text = text_of(file.subspan(extent.begin, extent.end - extent.begin));
  NpyArray array = array_of(parse_npy_header(text, extent.end, file.size(), name), name);
  std::ranges::copy(file.subspan(extent.end), array.data.begin());
  return array;
}

std::string_view npy_descr(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return "<f8";
    case ElementType::kF32:
      return "<f4";
    case ElementType::kBF16:
      return "<u2";
    case ElementType::kF16:
      return "<f2";
    case ElementType::kS8:
      return "|i1";
    case ElementType::kS32:
      return "<i4";
    case ElementType::kC64:
      return "<c8";
    case ElementType::kC128:
      return "<c16";
    case ElementType::kU8:
    case ElementType::kF8E4M3FN:
    case ElementType::kF8E5M2:
    case ElementType::kF8E4M3FNUZ:
    case ElementType::kF8E5M2FNUZ:
      return "|u1";
  }
  return "";
}

std::optional<ElementType> element_type_of_descr(std::string_view descr, bool u2_is_bfloat16) {
  if (descr == "<f8") return ElementType::kF64;
  if (descr == "<f4") return ElementType::kF32;
  if (descr == "<f2") return ElementType::kF16;
  if (descr == "<u2" && u2_is_bfloat16) return ElementType::kBF16;
  return std::nullopt;
}

TensorView view_of(const NpyArray& array, bool u2_is_bfloat16) {
  const std::optional<ElementType> type = element_type_of_descr(array.descr, u2_is_bfloat16);
  if (!type) {
    const bool complex = array.descr.find('c') != array.descr.npos;
    throw FileError(array.name, "holds '" + array.descr + "'; expected '<f8', '<f4' or '<f2'" +
                                    (array.descr == "<u2" ? ", or --bf16 to read '<u2' as bfloat16"
                                     : complex ? ", in NumPy: a.real and a.imag"
                                               : ", in NumPy: a.astype('<f4')"));
  }
  return TensorView(array.data.data(), *type, array.shape, array.strides);
}

}  // namespace matprec::io
