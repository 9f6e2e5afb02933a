// Views of caller-owned elements, and an owning tensor.
//
//   float data[6] = {1, 2, 3, 4, 5, 6};
//   mp::TensorView rows(data, {2, 3});                   // row-major
//   mp::TensorView columns(data, {3, 2}, {1, 3});        // its transpose: same elements, other strides
//   mp::Tensor c = mp::matmul(rows, columns);
//   float first = c.data<float>()[0];
//
// Strides count elements, not bytes. They may be negative, leave gaps, and (in views that are only read)
// be zero, which repeats an element. Element (i0, i1, ...) lies at data + i0*stride0 + i1*stride1 + ...
// A view does not own and does not check its memory. All numbers are 64-bit.
#ifndef MATPREC_TENSOR_H_
#define MATPREC_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "matprec/dims.h"
#include "matprec/element_type.h"
#include "matprec/export.h"

namespace matprec {

// The strides of a gapless row-major array of this shape (last dimension fastest).
MATPREC_API Dims row_major_strides(const Dims& shape);

// The product of the sizes; 1 for rank 0. Errors: a negative size, a count beyond 2^63-1.
MATPREC_API std::int64_t element_count(const Dims& shape);

// Elements to be read.
class TensorView {
 public:
  template <class T>
  TensorView(const T* data, const Dims& shape)
      : TensorView(static_cast<const void*>(data), element_type_of<T>, shape) {}
  template <class T>
  TensorView(const T* data, const Dims& shape, const Dims& strides)
      : TensorView(static_cast<const void*>(data), element_type_of<T>, shape, strides) {}
  TensorView(const void* data, ElementType type, const Dims& shape)
      : data_(data), type_(type), shape_(shape), strides_(row_major_strides(shape)) {}
  TensorView(const void* data, ElementType type, const Dims& shape, const Dims& strides)
      : data_(data), type_(type), shape_(shape), strides_(strides) {}

  const void* data() const { return data_; }
  ElementType type() const { return type_; }
  const Dims& shape() const { return shape_; }
  const Dims& strides() const { return strides_; }
  std::size_t rank() const { return shape_.size(); }

 private:
  const void* data_;
  ElementType type_;
  Dims shape_, strides_;
};

// Elements to be written. No stride may be zero (unless its size is below 2) and no two indices may
// name the same element.
class MutableTensorView {
 public:
  template <class T>
  MutableTensorView(T* data, const Dims& shape)
      : MutableTensorView(static_cast<void*>(data), element_type_of<T>, shape) {}
  template <class T>
  MutableTensorView(T* data, const Dims& shape, const Dims& strides)
      : MutableTensorView(static_cast<void*>(data), element_type_of<T>, shape, strides) {}
  MutableTensorView(void* data, ElementType type, const Dims& shape)
      : data_(data), type_(type), shape_(shape), strides_(row_major_strides(shape)) {}
  MutableTensorView(void* data, ElementType type, const Dims& shape, const Dims& strides)
      : data_(data), type_(type), shape_(shape), strides_(strides) {}

  void* data() const { return data_; }
  ElementType type() const { return type_; }
  const Dims& shape() const { return shape_; }
  const Dims& strides() const { return strides_; }
  std::size_t rank() const { return shape_.size(); }
  operator TensorView() const { return TensorView(data_, type_, shape_, strides_); }  // NOLINT

 private:
  void* data_;
  ElementType type_;
  Dims shape_, strides_;
};

// Owns a gapless row-major array, aligned to 64 bytes. Movable; copies copy the elements.
class MATPREC_API Tensor {
 public:
  // All elements zero. Errors: a negative size, more bytes than memory can hold.
  Tensor(ElementType type, const Dims& shape);
  Tensor(const Tensor& other);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(const Tensor& other);
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor();

  // A copy of `values` in row-major order. Errors: values.size() is not the shape's element count.
  template <class T>
  static Tensor of(const Dims& shape, std::span<const T> values) {
    return copy_of(element_type_of<T>, shape, values.data(), values.size());
  }
  template <class T>
  static Tensor of(const Dims& shape, std::initializer_list<T> values) {
    return copy_of(element_type_of<T>, shape, values.begin(), values.size());
  }
  // An array whose elements are left unset, for a writer that fills all of it.
  static Tensor uninitialized(ElementType type, const Dims& shape);

  ElementType type() const { return type_; }
  const Dims& shape() const { return shape_; }
  std::size_t rank() const { return shape_.size(); }
  std::int64_t size() const { return size_; }

  void* data() { return data_.get(); }
  const void* data() const { return data_.get(); }
  // The elements as T. Errors: T is not this tensor's element type.
  template <class T>
  T* data() {
    check_type(element_type_of<T>);
    return static_cast<T*>(data());
  }
  template <class T>
  const T* data() const {
    check_type(element_type_of<T>);
    return static_cast<const T*>(data());
  }

  operator TensorView() const { return TensorView(data(), type_, shape_); }         // NOLINT
  operator MutableTensorView() { return MutableTensorView(data(), type_, shape_); }  // NOLINT

 private:
  struct Uninitialized {};
  struct Free {
    void operator()(void* data) const;
  };
  Tensor(ElementType type, const Dims& shape, Uninitialized);
  static Tensor copy_of(ElementType type, const Dims& shape, const void* values, std::size_t count);
  void check_type(ElementType wanted) const;

  ElementType type_;
  Dims shape_;
  std::int64_t size_;
  std::unique_ptr<void, Free> data_;
};

}  // namespace matprec

#endif  // MATPREC_TENSOR_H_
