#include "src/io/npy_header.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "src/io/npy.h"

namespace matprec::io {
namespace {

constexpr std::size_t kMaxRank = 64;  // NumPy's own limit

// A cursor over the dictionary's text; every failure names the place.
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != text_.npos) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "'");
  }
  bool at_end() {
    skip_space();
    return at_ >= text_.size();
  }
  std::string string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("a quoted string");
    const std::size_t close = text_.find(quote, at_ + 1);
    if (close == text_.npos) fail("a closing quote");
    const std::string value(text_.substr(at_ + 1, close - at_ - 1));
    at_ = close + 1;
    return value;
  }
  bool boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    fail("True or False");
  }
  std::int64_t size() {
    skip_space();
    const std::size_t begin = at_;
    std::int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
          __builtin_add_overflow(value, std::int64_t{text_[at_] - '0'}, &value)) {
        throw FileError(name_, "a size in 'shape' is beyond 2^63-1");
      }
    }
    if (at_ == begin) fail("a size (a number without sign)");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long integers so
    return value;
  }
  Dims shape() {
    Dims sizes;
    expect('(');
    while (!accept(')')) {
      sizes.push_back(size());
      if (sizes.size() > kMaxRank) throw FileError(name_, "more than 64 dimensions");
      if (!accept(',')) {
        if (sizes.size() == 1) fail("',' (a tuple of one size is written (n,))");
        expect(')');
        break;
      }
    }
    return sizes;
  }
  [[noreturn]] void fail(const std::string& expected) {
    std::string found = at_ < text_.size() ? std::string(text_.substr(at_, 12)) : "its end";
    for (char& c : found) {
      if (c < ' ' || c > '~') c = '?';
    }
    throw FileError(name_, "header is no dictionary of NumPy's: expected " + expected +
                               " at byte " + std::to_string(at_) + " of the header text, found \"" +
                               found + "\"");
  }

 private:
  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

// Printable and short, whatever the file holds.
std::string shown(std::string_view text) {
  std::string result(text.substr(0, 40));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  return "'" + result + "'";
}

std::size_t item_size_of(const std::string& descr, const std::string& name) {
  constexpr std::string_view kKnown[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2",
                                         "u4", "u8", "f2", "f4", "f8", "c8", "c16"};
  const std::string_view type =
      std::string_view(descr).substr(std::min<std::size_t>(descr.size(), 1));
  const bool known = std::find(std::begin(kKnown), std::end(kKnown), type) != std::end(kKnown);
  if (!known) {
    throw FileError(name,
                    "elements of type " + shown(descr) +
                        " are not read; expected floats, integers, bools or complex numbers such "
                        "as '<f4', '<f8', '<f2'");
  }
  const std::size_t size = static_cast<std::size_t>(std::stoi(std::string(type.substr(1))));
  if (descr[0] == '>') {
    throw FileError(name, "big-endian elements (" + shown(descr) +
                              ") are not read; save them as '<" + std::string(type) +
                              "', in NumPy: a.astype('<" + std::string(type) + "')");
  }
  if (descr[0] != '<' && !(descr[0] == '|' && size == 1)) {
    throw FileError(name, "byte order of " + shown(descr) + " is unknown; expected '<" +
                              std::string(type) + "'");
  }
  return size;
}

// Fills strides, count and data_bytes. A size of 0 counts as 1 in strides, which are never used
// then.
void lay_out(NpyHeader& header, const std::string& name) {
  const std::size_t rank = header.shape.size();
  header.strides.resize(rank);
  std::int64_t stride = 1;
  bool empty = false;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t d = header.fortran_order ? i : rank - 1 - i;
    header.strides[d] = stride;
    empty = empty || header.shape[d] == 0;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(header.shape[d], 1), &stride)) {
      throw FileError(name, "shape " + to_string(header.shape) + " has more than 2^63-1 elements");
    }
  }
  header.count = empty ? 0 : stride;
  if (__builtin_mul_overflow(header.count, static_cast<std::int64_t>(header.item_size), &bytes)) {
    throw FileError(name, "shape " + to_string(header.shape) + " has more than 2^63-1 bytes");
  }
  header.data_bytes = static_cast<std::uint64_t>(bytes);
}

}  // namespace

NpyHeaderExtent npy_header_extent(std::span<const std::byte> preamble, std::uint64_t file_size,
                                  const std::string& name) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(preamble[i]); };
  if (preamble.size() < 10) {
    throw FileError(name, "no .npy file: " + std::to_string(file_size) +
                              " bytes, expected at least 10 of magic, version and header length");
  }
  for (std::size_t i = 0; i < kMagic.size(); ++i) {
    if (byte(i) != static_cast<unsigned char>(kMagic[i])) {
      throw FileError(name, "no .npy file: it does not begin with \\x93NUMPY");
    }
  }
  const std::size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0) {
    throw FileError(name, ".npy version " + std::to_string(major) + "." + std::to_string(minor) +
                              " is unknown; expected 1.0, 2.0 or 3.0");
  }
  const std::size_t begin = major == 1 ? 10 : 12;
  if (preamble.size() < begin) {
    throw FileError(name,
                    "truncated in the header length (" + std::to_string(file_size) + " bytes)");
  }
  std::size_t length = byte(8) | byte(9) << 8;
  if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > file_size - begin) {
    throw FileError(name, "header length " + std::to_string(length) +
                              " is beyond the file, of which " + std::to_string(file_size - begin) +
                              " bytes are left");
  }
  return {begin, begin + length};
}

NpyHeader parse_npy_header(std::string_view text, std::uint64_t data_begin, std::uint64_t file_size,
                           const std::string& name) {
  HeaderText cursor(text, name);
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<Dims> shape;
  cursor.expect('{');
  while (!cursor.accept('}')) {
    const std::string key = cursor.string();
    cursor.expect(':');
    const bool repeated = (key == "descr" && descr) || (key == "fortran_order" && fortran_order) ||
                          (key == "shape" && shape);
    if (repeated) throw FileError(name, "header names '" + key + "' twice");
    if (key == "descr") {
      if (cursor.accept('['))
        throw FileError(name, "structured elements are not read; expected '<f4'");
      descr = cursor.string();
    } else if (key == "fortran_order") {
      fortran_order = cursor.boolean();
    } else if (key == "shape") {
      shape = cursor.shape();
    } else {
      throw FileError(name, "header entry " + shown(key) +
                                " is unknown; expected 'descr', 'fortran_order' and 'shape'");
    }
    if (!cursor.accept(',')) {
      cursor.expect('}');
      break;
    }
  }
  if (!cursor.at_end()) cursor.fail("nothing after the dictionary");
  for (const auto& [key, present] : {std::pair{"descr", descr.has_value()},
                                     {"fortran_order", fortran_order.has_value()},
                                     {"shape", shape.has_value()}}) {
    if (!present) throw FileError(name, std::string("header lacks the entry '") + key + "'");
  }
  NpyHeader header;
  header.descr = *descr;
  header.item_size = item_size_of(*descr, name);
  header.fortran_order = *fortran_order;
  header.shape = *shape;
  lay_out(header, name);
  const std::uint64_t left = file_size - data_begin;
  if (header.data_bytes != left) {
    throw FileError(name, "shape " + to_string(header.shape) + " of '" + header.descr + "' needs " +
                              std::to_string(header.data_bytes) + " bytes of data, found " +
                              std::to_string(left) +
                              (left < header.data_bytes ? " (truncated)" : " (too long)"));
  }
  return header;
}

}  // namespace matprec::io
