#include "src/dot/strided_copy.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/gemm/axis.h"

namespace matprec::contraction {

Tensor row_major_copy(const TensorView& view) {
  const gemm::Axis axis = gemm::axis_over(view.shape(), view.strides());
  Tensor copy = Tensor::uninitialized(view.type(), view.shape());
  const std::size_t item = size_of(view.type());
  const auto bytes = [item](std::int64_t elements) {
    return elements * static_cast<std::int64_t>(item);
  };
  std::byte* to = static_cast<std::byte*>(copy.data());
  for (std::int64_t first = 0; first < copy.size();) {
    std::int64_t stride = 0;
    const std::int64_t count = axis.run(first, &stride);
    const std::byte* from = static_cast<const std::byte*>(view.data()) + bytes(axis.offset(first));
    if (stride == 1) {
      std::memcpy(to, from, item * static_cast<std::size_t>(count));
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(to + bytes(i), from + bytes(i * stride), item);
      }
    }
    to += bytes(count);
    first += count;
  }
  return copy;
}

}  // namespace matprec::contraction
