#include "src/io/safetensors_json.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "src/io/file_error.h"

namespace matprec::io {
namespace {

constexpr std::size_t kMaxRank = 64;  // as for .npy

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

}  // namespace

std::vector<SafetensorsEntry> read_safetensors_json(std::string_view text,
                                                    const std::string& file) {
  HeaderReader reader(file);
  nlohmann::json::sax_parse(text, &reader);
  return reader.take();
}

}  // namespace matprec::io
