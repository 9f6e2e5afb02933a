#include "src/io/safetensors_header.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "src/io/file_error.h"

namespace matprec::io {
namespace {

// The limit that the format's own library sets: a longer header is an attack or damage.
constexpr std::uint64_t kMaxHeader = 100'000'000;
constexpr std::size_t kMaxRank = 64;  // as for .npy

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

// Reads the text event by event. Only what a header may hold is accepted, so that no text, however
// deep or strange, builds more than the list of tensors.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}

  std::vector<SafetensorsEntry> take() { return std::move(entries_); }

  bool null() override { return value("null"); }
  bool boolean(bool b) override { return value(b ? "true" : "false"); }
  bool number_integer(number_integer_t number) override { return value(std::to_string(number)); }
  bool number_float(number_float_t, const string_t& text) override {
    return value(text.substr(0, 40));
  }
  bool binary(binary_t&) override { return value("bytes"); }

  bool number_unsigned(number_unsigned_t number) override {
    if (place_ == Place::kShape) return add_size(number);
    if (place_ == Place::kOffsets) return add_offset(number);
    return value(std::to_string(number));
  }
  bool string(string_t& text) override {
    if (place_ == Place::kMetadata) return true;
    if (place_ == Place::kField && field_ == "dtype") {
      entries_.back().dtype = text;
      place_ = Place::kTensor;
      return true;
    }
    return value(quoted_tensor_name(text));
  }
  bool start_object(std::size_t) override {
    if (place_ == Place::kBegin) return go(Place::kTensors);
    if (place_ == Place::kEntry) return go(in_metadata_ ? Place::kMetadata : Place::kTensor);
    return value("an object");
  }
  bool end_object() override {
    if (place_ == Place::kTensor) require_fields();
    return go(place_ == Place::kTensors ? Place::kEnd : Place::kTensors);
  }
  bool start_array(std::size_t) override {
    if (place_ == Place::kField && field_ == "shape") return go(Place::kShape);
    if (place_ == Place::kField && field_ == "data_offsets") return go(Place::kOffsets);
    return value("a list");
  }
  bool end_array() override {
    if (place_ == Place::kOffsets && offsets_ != 2) {
      fail("'data_offsets' holds " + std::to_string(offsets_) + " numbers; expected begin and end");
    }
    return go(Place::kTensor);
  }
  bool key(string_t& text) override {
    if (place_ == Place::kTensors) return begin_entry(text);
    if (place_ == Place::kTensor) return begin_field(text);
    const bool repeated = !metadata_keys_.insert(text).second;
    if (repeated)
      throw FileError(file_, "__metadata__ names " + quoted_tensor_name(text) + " twice");
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    throw FileError(file_, "the header is no JSON, from its byte " + std::to_string(position) +
                               " on; the file is damaged or no .safetensors file");
  }

 private:
  // kEntry: behind a tensor's name; kField: behind the name of one of its fields.
  enum class Place { kBegin, kTensors, kEntry, kTensor, kField, kShape, kOffsets, kMetadata, kEnd };

  bool go(Place place) {
    place_ = place;
    return true;
  }
  [[noreturn]] void fail(const std::string& problem) const {
    const std::string where = entries_.empty() || in_metadata_
                                  ? ""
                                  : "tensor " + quoted_tensor_name(entries_.back().name) + ": ";
    throw FileError(file_, where + problem);
  }
  // A value that must not stand where it stands.
  [[noreturn]] bool value(const std::string& found) const {
    switch (place_) {
      case Place::kBegin:
        throw FileError(file_, "the header is " + found + "; expected a JSON object");
      case Place::kMetadata:
        throw FileError(file_, "__metadata__ holds " + found + "; expected only strings");
      case Place::kEntry:
        fail((in_metadata_ ? "__metadata__ is " : "is ") + found + "; expected an object");
      case Place::kShape:
        fail("'shape' holds " + found + "; expected whole numbers from 0 on");
      case Place::kOffsets:
        fail("'data_offsets' holds " + found + "; expected whole numbers from 0 on");
      default:
        fail("'" + field_ + "' is " + found + "; expected " +
             (field_ == "dtype" ? "a string" : "a list of numbers"));
    }
  }

  bool begin_entry(const std::string& name) {
    if (!names_.insert(name).second) {
      throw FileError(file_, "the header names the tensor " + quoted_tensor_name(name) + " twice");
    }
    in_metadata_ = name == "__metadata__";
    if (!in_metadata_) entries_.push_back({.name = name, .dtype = {}, .shape = {}});
    seen_ = {};
    offsets_ = 0;
    return go(Place::kEntry);
  }
  bool begin_field(const std::string& name) {
    const auto* known = std::ranges::find(kFields, name);
    if (known == std::end(kFields)) {
      fail("the field " + quoted_tensor_name(name) +
           " is unknown; expected dtype, shape and data_offsets");
    }
    bool& seen = seen_[static_cast<std::size_t>(known - std::begin(kFields))];
    if (seen) fail("'" + name + "' stands there twice");
    seen = true;
    field_ = name;
    return go(Place::kField);
  }
  void require_fields() const {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (!seen_[i]) fail("lacks '" + std::string(kFields[i]) + "'");
    }
  }
  bool add_size(std::uint64_t size) {
    if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      fail("'shape' holds " + std::to_string(size) + ", beyond 2^63-1");
    }
    if (entries_.back().shape.size() == kMaxRank) fail("more than 64 dimensions");
    entries_.back().shape.push_back(static_cast<std::int64_t>(size));
    return true;
  }
  bool add_offset(std::uint64_t offset) {
    if (offsets_ < 2) (offsets_ == 0 ? entries_.back().begin : entries_.back().end) = offset;
    ++offsets_;
    return true;
  }

  static constexpr std::string_view kFields[] = {"dtype", "shape", "data_offsets"};

  const std::string& file_;
  std::vector<SafetensorsEntry> entries_;
  std::unordered_set<std::string> names_, metadata_keys_;
  Place place_ = Place::kBegin;
  bool in_metadata_ = false;
  std::string field_;
  std::array<bool, std::size(kFields)> seen_ = {};
  std::size_t offsets_ = 0;
};

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
  HeaderReader reader(file);
  nlohmann::json::sax_parse(text, &reader);
  std::vector<SafetensorsEntry> entries = reader.take();
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
  return nlohmann::json(std::string(name.substr(0, kShown)) + (cut ? "..." : ""))
      .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace matprec::io
