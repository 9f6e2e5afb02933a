#include "src/io/safetensors.h"

#include <algorithm>

#include "src/io/file_error.h"

namespace matprec::io {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::string& path) : file_(path, "a .safetensors file") {
  std::vector<std::byte> head(std::min<std::uint64_t>(file_.size(), kSafetensorsPreamble));
  file_.read(0, head);
  std::vector<std::byte> text(safetensors_header_size(head, file_.size(), path));
  file_.read(kSafetensorsPreamble, text);
  data_begin_ = kSafetensorsPreamble + text.size();
  entries_ = parse_safetensors_header(text_of(text), file_.size() - data_begin_, path);
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &SafetensorsEntry::name);
  return found == entries_.end() ? nullptr : &*found;
}

std::vector<std::byte> SafetensorsFile::read(const SafetensorsEntry& entry) const {
  if (!element_type_of_safetensors(entry.dtype)) {
    throw FileError(path(), "tensor " + quoted_tensor_name(entry.name) + " holds " +
                                quoted_tensor_name(entry.dtype) +
                                "; expected F64, F32, F16, BF16, F8_E4M3, F8_E5M2, F8_E4M3FNUZ or F8_E5M2FNUZ");
  }
  std::vector<std::byte> bytes(entry.end - entry.begin);
  file_.read(data_begin_ + entry.begin, bytes);
  return bytes;
}

std::vector<SafetensorsEntry> parse_safetensors(std::span<const std::byte> file,
                                                const std::string& name) {
  const std::size_t size = safetensors_header_size(
      file.first(std::min(file.size(), kSafetensorsPreamble)), file.size(), name);
  const std::span<const std::byte> text = file.subspan(kSafetensorsPreamble, size);
  return parse_safetensors_header(text_of(text), file.size() - kSafetensorsPreamble - size, name);
}

}  // namespace matprec::io
