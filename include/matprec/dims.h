// A short list of 64-bit integers: shapes, strides, dimension numbers.
//
//   mp::Dims shape = {2, 3, 4};
//
// Up to six entries live in the object itself, so that a small product allocates nothing for its shapes.
#ifndef MATPREC_DIMS_H_
#define MATPREC_DIMS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace matprec {

class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<std::int64_t> values) : Dims(values.begin(), values.size()) {}
  explicit Dims(std::span<const std::int64_t> values) : Dims(values.data(), values.size()) {}
  explicit Dims(const std::vector<std::int64_t>& values) : Dims(values.data(), values.size()) {}
  Dims(const std::int64_t* values, std::size_t count) {
    resize(count);
    std::copy_n(values, count, data());
  }

  Dims(const Dims&) = default;
  Dims& operator=(const Dims&) = default;
  // What was moved from is empty.
  Dims(Dims&& other) noexcept { swap(other); }
  Dims& operator=(Dims&& other) noexcept {
    Dims taken(std::move(other));
    swap(taken);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::int64_t operator[](std::size_t i) const { return data()[i]; }
  std::int64_t& operator[](std::size_t i) { return data()[i]; }
  const std::int64_t* begin() const { return data(); }
  const std::int64_t* end() const { return data() + size_; }
  std::int64_t* begin() { return data(); }
  std::int64_t* end() { return data() + size_; }
  std::int64_t back() const { return data()[size_ - 1]; }

  void push_back(std::int64_t value) {
    resize(size_ + 1);
    data()[size_ - 1] = value;
  }
  // New entries are zero.
  void resize(std::size_t count) {
    if (count > kInline) {
      if (size_ <= kInline) heap_.assign(inline_, inline_ + size_);
      heap_.resize(count);
    } else if (size_ > kInline) {
      std::copy_n(heap_.data(), count, inline_);
    } else {
      for (std::size_t i = size_; i < count; ++i) inline_[i] = 0;
    }
    size_ = count;
  }
  friend bool operator==(const Dims& a, const Dims& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr std::size_t kInline = 6;
  void swap(Dims& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(inline_, other.inline_);
    heap_.swap(other.heap_);
  }
  const std::int64_t* data() const { return size_ > kInline ? heap_.data() : inline_; }
  std::int64_t* data() { return size_ > kInline ? heap_.data() : inline_; }

  std::size_t size_ = 0;
  std::int64_t inline_[kInline] = {};
  std::vector<std::int64_t> heap_;
};

// "(2, 3, 4)"; "()" when empty; "(5,)" for one entry.
inline std::string to_string(const Dims& dims) {
  std::string text = "(";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(dims[i]);
  }
  return text + (dims.size() == 1 ? ",)" : ")");
}

}  // namespace matprec

#endif  // MATPREC_DIMS_H_
