// One logical axis of a strided operand: several dimensions walked as one, last fastest.
//
// Knows sizes and strides in elements; knows nothing of what the elements are. Dimensions that lie as one
// (the outer stride is the inner stride times the inner size) are merged, so that nearly every axis ends
// as one size and one stride.
#ifndef MATPREC_SRC_GEMM_AXIS_H_
#define MATPREC_SRC_GEMM_AXIS_H_

#include <algorithm>
#include <cstdint>

#include "matprec/dims.h"

namespace matprec::gemm {

class Axis {
 public:
  // One element at offset 0.
  Axis() = default;
  Axis(std::int64_t size, std::int64_t stride) { add(size, stride); }

  // Appends a dimension, faster than all before it. Sizes whose product is beyond 64 bits occur
  // only together with a 0, as do strides of any value; such products may wrap, for nothing is read
  // then.
  void add(std::int64_t size, std::int64_t stride) {
    size_ = product(size_, size);
    if (size == 1) return;
    const std::size_t rank = sizes_.size();
    if (rank > 0 && strides_[rank - 1] == product(stride, size)) {
      sizes_[rank - 1] = product(sizes_[rank - 1], size);
      strides_[rank - 1] = stride;
      return;
    }
    sizes_.push_back(size);
    strides_.push_back(stride);
  }

  std::int64_t size() const { return size_; }
  bool uniform() const { return sizes_.size() <= 1; }
  // The distance of neighbours, if uniform() (any number for a single element: 1 is the kindest).
  std::int64_t stride() const { return sizes_.empty() ? 1 : strides_[0]; }

  // The elements [first, first + count) of it, as an axis.
  Axis slice(std::int64_t first, std::int64_t count) const {
    Axis part = *this;
    part.first_ += first;
    part.size_ = count;
    return part;
  }
  // The same elements where each is `factor` units apart of what it was.
  Axis scaled(std::int64_t factor) const {
    Axis result = *this;
    for (std::int64_t& stride : result.strides_) stride = product(stride, factor);
    // A single element has no stride to scale; its stride() is free to be anything.
    return result;
  }

  std::int64_t offset(std::int64_t index) const {
    index += first_;
    if (sizes_.size() == 1) return index * strides_[0];
    std::int64_t offset = 0;
    for (std::size_t i = sizes_.size(); i-- > 0;) {
      offset += index % sizes_[i] * strides_[i];
      index /= sizes_[i];
    }
    return offset;
  }

  // How many elements from `first` on lie one stride apart, and that stride.
  std::int64_t run(std::int64_t first, std::int64_t* stride) const {
    if (sizes_.size() <= 1) {
      *stride = this->stride();
      return size_ - first;
    }
    *stride = strides_.back();
    return std::min(size_ - first, sizes_.back() - (first_ + first) % sizes_.back());
  }

  // True if the `count` elements from `first` on lie `stride` apart, which is set.
  bool uniform_range(std::int64_t first, std::int64_t count, std::int64_t* stride) const {
    return count <= run(first, stride);
  }

 private:
  static std::int64_t product(std::int64_t a, std::int64_t b) {
    __builtin_mul_overflow(a, b, &a);
    return a;
  }

  std::int64_t size_ = 1;
  std::int64_t first_ = 0;  // of the elements of sizes_ and strides_
  Dims sizes_, strides_;
};

// Dimensions [first, first + count) of a shape walked with these strides.
inline Axis axis_over(const Dims& shape, const Dims& strides, std::size_t first,
                      std::size_t count) {
  Axis axis;
  for (std::size_t i = first; i < first + count; ++i) axis.add(shape[i], strides[i]);
  return axis;
}
// All of them: the elements in row-major order.
inline Axis axis_over(const Dims& shape, const Dims& strides) {
  return axis_over(shape, strides, 0, shape.size());
}

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_AXIS_H_
