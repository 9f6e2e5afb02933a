#include "src/dot/conjugate.h"

#include <cstddef>

#include "src/dot/strided_copy.h"

namespace matprec::contraction {

Tensor conjugated(const TensorView& view) {
  Tensor copy = row_major_copy(view);
  if (!is_complex(copy.type())) return copy;
  // The sign is the top bit of the last byte: the machines are little-endian.
  const std::size_t item = size_of(copy.type());
  std::byte* bytes = static_cast<std::byte*>(copy.data());
  for (std::int64_t i = 0; i < copy.size(); ++i, bytes += item) bytes[item - 1] ^= std::byte{0x80};
  return copy;
}

}  // namespace matprec::contraction
