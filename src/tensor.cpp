#include "matprec/tensor.h"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "matprec/error.h"
#include "src/error_text.h"

namespace matprec {

Dims row_major_strides(const Dims& shape) {
  Dims strides;
  strides.resize(shape.size());
  // A product beyond 64 bits wraps; element_count() refuses such a shape before it is used.
  std::uint64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = static_cast<std::int64_t>(step);
    step *= static_cast<std::uint64_t>(std::max<std::int64_t>(shape[i], 1));
  }
  return strides;
}

std::int64_t element_count(const Dims& shape) {
  std::int64_t count = 1;
  bool empty = false;
  for (std::int64_t size : shape) {
    if (size < 0) {
      throw Error("tensor: shape " + to_string(shape) + " has the negative size " +
                  std::to_string(size) + "; sizes are 0 or more");
    }
    empty = empty || size == 0;
  }
  if (empty) return 0;
  for (std::int64_t size : shape) {
    if (__builtin_mul_overflow(count, size, &count)) {
      throw Error("tensor: shape " + to_string(shape) + " has more than 2^63-1 elements");
    }
  }
  return count;
}

void Tensor::Free::operator()(void* data) const { std::free(data); }

Tensor::Tensor(ElementType type, const Dims& shape, Uninitialized)
    : type_(type), shape_(shape), size_(element_count(shape)) {
  if (!is_element_type(type)) check_enumerator("tensor", type);
  constexpr std::size_t kAlignment = 64;
  const std::size_t item = size_of(type);
  const std::size_t count = static_cast<std::size_t>(size_);
  if (count > (std::numeric_limits<std::size_t>::max() / 2) / item) {
    throw Error("tensor: shape " + to_string(shape) + " of " + std::string(to_string(type)) +
                " needs more bytes than can be addressed");
  }
  const std::size_t bytes = (count * item + kAlignment - 1) / kAlignment * kAlignment;
  data_.reset(std::aligned_alloc(kAlignment, std::max(bytes, kAlignment)));
  if (data_ == nullptr) {
    throw Error("tensor: no memory for the " + std::to_string(bytes) + " bytes of shape " +
                to_string(shape) + " of " + std::string(to_string(type)));
  }
}

Tensor::Tensor(ElementType type, const Dims& shape) : Tensor(type, shape, Uninitialized{}) {
  std::memset(data(), 0, static_cast<std::size_t>(size_) * size_of(type));
}

Tensor Tensor::uninitialized(ElementType type, const Dims& shape) {
  return Tensor(type, shape, Uninitialized{});
}

Tensor Tensor::copy_of(ElementType type, const Dims& shape, const void* values,
                       std::size_t count) {
  Tensor result(type, shape, Uninitialized{});
  if (static_cast<std::size_t>(result.size_) != count) {
    throw Error("Tensor::of: shape " + to_string(shape) + " has " + std::to_string(result.size_) +
                " elements, but " + std::to_string(count) + " values were given");
  }
  if (count > 0) std::memcpy(result.data(), values, count * size_of(type));
  return result;
}

Tensor::Tensor(const Tensor& other) : Tensor(other.type_, other.shape_, Uninitialized{}) {
  // What was moved from is empty and has no memory.
  if (size_ > 0) {
    std::memcpy(data(), other.data(), static_cast<std::size_t>(size_) * size_of(type_));
  }
}

Tensor::Tensor(Tensor&& other) noexcept
    : type_(other.type_),
      shape_(std::exchange(other.shape_, Dims{0})),
      size_(std::exchange(other.size_, 0)),
      data_(std::move(other.data_)) {}

Tensor& Tensor::operator=(const Tensor& other) {
  if (this != &other) *this = Tensor(other);
  return *this;
}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  type_ = other.type_;
  shape_ = std::exchange(other.shape_, Dims{0});
  size_ = std::exchange(other.size_, 0);
  data_ = std::move(other.data_);
  return *this;
}

Tensor::~Tensor() = default;

void Tensor::check_type(ElementType wanted) const {
  if (wanted != type_) {
    throw Error("Tensor::data: the elements are " + std::string(to_string(type_)) +
                ", but were asked for as " + std::string(to_string(wanted)));
  }
}

}  // namespace matprec
