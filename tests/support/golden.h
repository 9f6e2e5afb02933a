// Golden data for tests: manifests and the arrays they name, by a reader for exactly that subset of
// .npy (version 1.0, C order, little endian). Found in MATPREC_GOLDEN_DIR, else where the build was
// configured. Without the data a test is skipped; where CI=true it fails.
#ifndef MATPREC_TESTS_SUPPORT_GOLDEN_H_
#define MATPREC_TESTS_SUPPORT_GOLDEN_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "matprec/tensor.h"
#include "src/io/json.h"
#include "tests/support/full_check.h"

namespace matprec::testing {

inline std::filesystem::path golden_dir() {
  const char* set = std::getenv("MATPREC_GOLDEN_DIR");
  return set != nullptr && *set != '\0' ? set : MATPREC_DEFAULT_GOLDEN_DIR;
}

inline bool golden_is_missing(const std::string& family) {
  return !std::filesystem::exists(golden_dir() / family / "manifest.json");
}
// Opens every test on golden data.
#define MATPREC_NEEDS_GOLDEN(family)                                                \
  if (::matprec::testing::golden_is_missing(family)) {                              \
    ASSERT_FALSE(::matprec::testing::in_full_check())                          \
        << "CI=true, but there is no golden family " << family << " in "            \
        << ::matprec::testing::golden_dir();                                        \
    GTEST_SKIP() << "NOT CHECKED: no golden family " << family << " in "            \
                 << ::matprec::testing::golden_dir() << "; set MATPREC_GOLDEN_DIR"; \
  }

inline io::Json golden_manifest(const std::string& family) {
  std::ifstream file(golden_dir() / family / "manifest.json");
  return io::Json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
}

// An array of a manifest; `view` of the manifest applied.
struct GoldenArray {
  std::string dtype;
  Dims shape, strides;
  std::int64_t offset = 0;
  std::vector<std::uint8_t> bytes;

  std::optional<ElementType> type() const {
    for (std::size_t i = 0; i < kElementTypeCount; ++i) {
      const auto type = static_cast<ElementType>(i);
      if (to_string(type) == dtype) return type;
    }
    return std::nullopt;
  }
  TensorView view() const {
    const ElementType t = type().value();
    return {bytes.data() + offset * static_cast<std::int64_t>(size_of(t)), t, shape, strides};
  }
  MutableTensorView mutable_view() {
    const ElementType t = type().value();
    return {bytes.data() + offset * static_cast<std::int64_t>(size_of(t)), t, shape, strides};
  }
  // The file's data as T, without the view.
  template <class T>
  std::vector<T> as() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
};

inline Dims dims_of(const io::Json& list) {
  Dims dims;
  for (const io::Json& size : list) dims.push_back(size.integer());
  return dims;
}

inline Dims gapless_strides(const Dims& shape) {
  Dims strides = shape;
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

// The data part of a .npy file.
inline std::vector<std::uint8_t> npy_data(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint8_t> all((std::istreambuf_iterator<char>(file)), {});
  if (all.size() < 10 || std::memcmp(all.data(), "\x93NUMPY\x01\x00", 8) != 0) {
    throw std::runtime_error(path.string() + " is no .npy file of version 1.0");
  }
  const std::size_t header = std::size_t{all[8]} + 256u * std::size_t{all[9]};
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(10 + header));
  return all;
}

// `entry` is an element of a case's inputs or expected list.
inline GoldenArray golden_array(const std::string& family, const io::Json& entry) {
  GoldenArray array;
  array.dtype = entry["dtype"].text();
  array.bytes = npy_data(golden_dir() / family / entry["file"].text());
  array.shape = dims_of(entry["shape"]);
  array.strides = gapless_strides(array.shape);
  if (entry.contains("view")) {
    array.shape = dims_of(entry["view"]["shape"]);
    array.strides = dims_of(entry["view"]["strides"]);
    array.offset = entry["view"]["offset"].integer();
  }
  return array;
}

// The entry of that name, or null.
inline const io::Json* named(const io::Json& list, const std::string& name) {
  for (const io::Json& entry : list) {
    if (entry["name"] == name) return &entry;
  }
  return nullptr;
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_GOLDEN_H_
