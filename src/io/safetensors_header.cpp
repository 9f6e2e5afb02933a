#include "src/io/safetensors_header.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "src/io/file_error.h"
#include "src/io/json.h"
#include "src/io/safetensors_json.h"

namespace matprec::io {
namespace {

// The limit that the format's own library sets: a longer header is an attack or damage.
constexpr std::uint64_t kMaxHeader = 100'000'000;

struct DtypeInfo {
  std::string_view name;
  std::uint64_t bits;
  std::optional<ElementType> type;
};
// The types the format defines; others are read over and cannot be asked for.
constexpr DtypeInfo kDtypes[] = {{"F64", 64, ElementType::kF64},
                                 {"F32", 32, ElementType::kF32},
                                 {"F16", 16, ElementType::kF16},
                                 {"BF16", 16, ElementType::kBF16},
                                 {"F8_E4M3", 8, ElementType::kF8E4M3FN},
                                 {"F8_E5M2", 8, ElementType::kF8E5M2},
                                 {"F8_E4M3FNUZ", 8, ElementType::kF8E4M3FNUZ},
                                 {"F8_E5M2FNUZ", 8, ElementType::kF8E5M2FNUZ},
                                 {"F8_E8M0", 8, std::nullopt},
                                 {"F6_E2M3", 6, std::nullopt},
                                 {"F6_E3M2", 6, std::nullopt},
                                 {"F4", 4, std::nullopt},
                                 {"C64", 64, std::nullopt},
                                 {"I64", 64, std::nullopt},
                                 {"U64", 64, std::nullopt},
                                 {"I32", 32, std::nullopt},
                                 {"U32", 32, std::nullopt},
                                 {"I16", 16, std::nullopt},
                                 {"U16", 16, std::nullopt},
                                 {"I8", 8, std::nullopt},
                                 {"U8", 8, std::nullopt},
                                 {"BOOL", 8, std::nullopt}};

const DtypeInfo* dtype_named(std::string_view name) {
  const auto* found = std::ranges::find(kDtypes, name, &DtypeInfo::name);
  return found == std::end(kDtypes) ? nullptr : found;
}

std::string range_text(const SafetensorsEntry& entry) {
  return "[" + std::to_string(entry.begin) + ", " + std::to_string(entry.end) + "]";
}

// The bytes that shape and dtype ask for; nothing if there are 2^61 or more.
std::optional<std::uint64_t> bytes_of(const SafetensorsEntry& entry, const DtypeInfo& dtype) {
  std::uint64_t bits = dtype.bits;
  bool empty = false;
  for (const std::int64_t size : entry.shape) {
    empty = empty || size == 0;
    // Strides multiply the other sizes even of an empty tensor.
    const std::uint64_t factor = static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1));
    if (__builtin_mul_overflow(bits, factor, &bits)) return std::nullopt;
  }
  return empty ? 0 : bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

void check_extent(const SafetensorsEntry& entry, std::uint64_t data_bytes,
                  const std::string& file) {
  const std::string tensor = "tensor " + quoted_tensor_name(entry.name) + ": ";
  if (entry.begin > entry.end) {
    throw FileError(file, tensor + "data_offsets " + range_text(entry) + " end before they begin");
  }
  if (entry.end > data_bytes) {
    throw FileError(file, tensor + "data_offsets " + range_text(entry) + " leave the " +
                              std::to_string(data_bytes) +
                              " bytes of data that the file has (truncated?)");
  }
  const DtypeInfo* dtype = dtype_named(entry.dtype);
  if (dtype == nullptr) return;
  const std::optional<std::uint64_t> needed = bytes_of(entry, *dtype);
  if (!needed) {
    throw FileError(file, tensor + "shape " + to_string(entry.shape) + " of " + entry.dtype +
                              " needs 2^61 bytes or more");
  }
  if (*needed != entry.end - entry.begin) {
    throw FileError(file, tensor + "shape " + to_string(entry.shape) + " of " + entry.dtype +
                              " needs " + std::to_string(*needed) + " bytes, but data_offsets " +
                              range_text(entry) + " hold " +
                              std::to_string(entry.end - entry.begin));
  }
}

// In the order of their bytes, the tensors fill the data exactly.
void check_tiling(const std::vector<SafetensorsEntry>& entries, std::uint64_t data_bytes,
                  const std::string& file) {
  std::uint64_t end = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != end) {
      throw FileError(
          file, "tensor " + quoted_tensor_name(entry.name) + ": data_offsets " + range_text(entry) +
                    (entry.begin < end ? " overlap those of another tensor, which end at "
                                       : " leave a gap behind byte ") +
                    std::to_string(end));
    }
    end = entry.end;
  }
  if (end != data_bytes) {
    throw FileError(file, "the tensors end at byte " + std::to_string(end) +
                              " of the data, the file at " + std::to_string(data_bytes) +
                              "; expected no bytes behind them");
  }
}

}  // namespace

std::size_t safetensors_header_size(std::span<const std::byte> preamble, std::uint64_t file_size,
                                    const std::string& file) {
  if (preamble.size() < kSafetensorsPreamble) {
    throw FileError(file, "no .safetensors file: " + std::to_string(file_size) +
                              " bytes, expected at least the 8 of the header's length");
  }
  std::uint64_t size = 0;
  for (std::size_t i = kSafetensorsPreamble; i-- > 0;) {
    size = size << 8 | std::to_integer<std::uint64_t>(preamble[i]);
  }
  const std::uint64_t left = file_size - kSafetensorsPreamble;
  if (size > kMaxHeader) {
    throw FileError(file, "header length " + std::to_string(size) +
                              " is beyond the format's limit of " + std::to_string(kMaxHeader) +
                              "; no .safetensors file?");
  }
  if (size > left) {
    throw FileError(file, "header length " + std::to_string(size) +
                              " is beyond the file, of which " + std::to_string(left) +
                              " bytes are left");
  }
  return static_cast<std::size_t>(size);
}

std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view text,
                                                       std::uint64_t data_bytes,
                                                       const std::string& file) {
  if (!text.starts_with('{')) {
    throw FileError(file, "the header does not begin with '{'; no .safetensors file?");
  }
  std::vector<SafetensorsEntry> entries = read_safetensors_json(text, file);
  std::ranges::stable_sort(entries, {}, [](const SafetensorsEntry& entry) {
    return std::tuple(entry.begin, entry.end);
  });
  for (const SafetensorsEntry& entry : entries) check_extent(entry, data_bytes, file);
  check_tiling(entries, data_bytes, file);
  return entries;
}

std::optional<ElementType> element_type_of_safetensors(std::string_view dtype) {
  const DtypeInfo* info = dtype_named(dtype);
  return info == nullptr ? std::nullopt : info->type;
}

std::string quoted_tensor_name(std::string_view name) {
  constexpr std::size_t kShown = 120;
  const bool cut = name.size() > kShown;
  // JSON's escapes keep any name on one line.
  return Json(std::string(name.substr(0, kShown)) + (cut ? "..." : "")).dump(-1, true);
}

}  // namespace matprec::io
