// Elements of views, read and written one at a time, for the oracle. Duty: what the bits of an element
// mean and what a result becomes in them. Boundary: like the oracle shares no code with the kernels.
#ifndef MATPREC_SRC_GEMM_REFERENCE_ELEMENT_H_
#define MATPREC_SRC_GEMM_REFERENCE_ELEMENT_H_

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>

#include "matprec/tensor.h"
#include "src/gemm/rounding.h"

namespace matprec::gemm {

constexpr rounding::Format format_of(ElementType real) {
  switch (real) {
    case ElementType::kF64:
      return rounding::kBinary64;
    case ElementType::kBF16:
      return rounding::kBFloat16;
    case ElementType::kF16:
      return rounding::kBinary16;
    case ElementType::kF8E4M3FN:
      return rounding::kFloat8E4M3FN;
    case ElementType::kF8E5M2:
      return rounding::kFloat8E5M2;
    case ElementType::kF8E4M3FNUZ:
      return rounding::kFloat8E4M3FNUZ;
    case ElementType::kF8E5M2FNUZ:
      return rounding::kFloat8E5M2FNUZ;
    default:
      return rounding::kBinary32;
  }
}

// The NaN that a NaN result of a product is written as.
constexpr std::uint64_t canonical_nan(ElementType real) {
  const rounding::Format format = format_of(real);
  if (format.specials == rounding::Specials::kNegativeZeroIsNaN) return format.sign_bit();
  if (format.specials == rounding::Specials::kOneNaN) return format.sign_bit() - 1;
  return format.infinity() | format.quiet_bit();
}

// Supported machines are little endian: the low bytes of a number come first.
inline std::uint64_t load_bits(const void* data, std::int64_t offset, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(data) + offset * static_cast<std::int64_t>(size), size);
  return bits;
}
inline void store_bits(void* data, std::int64_t offset, std::size_t size, std::uint64_t bits) {
  std::memcpy(static_cast<char*>(data) + offset * static_cast<std::int64_t>(size), &bits, size);
}

// The element at an offset, exactly; the imaginary part of a real type is 0.
inline std::complex<double> read(const TensorView& view, std::int64_t offset) {
  const ElementType real = real_type(view.type());
  const auto part = [&](std::int64_t at) {
    return rounding::double_of(rounding::convert_bits(load_bits(view.data(), at, size_of(real)),
                                                      format_of(real), rounding::kBinary64));
  };
  if (!is_complex(view.type())) return part(offset);
  return {part(2 * offset), part(2 * offset + 1)};
}

// An integer modulo 2^32.
inline std::uint32_t read_integer(const TensorView& view, std::int64_t offset) {
  const std::uint64_t bits = load_bits(view.data(), offset, size_of(view.type()));
  const bool negative_byte = view.type() == ElementType::kS8 && bits >= 0x80;
  return static_cast<std::uint32_t>(bits) - (negative_byte ? 0x100u : 0u);
}

// Rounds a result to the view's type, once, and writes it; a NaN becomes the type's canonical one. In a
// complex view `part` 0 is the real part, 1 the imaginary one.
template <class T>
void write(const MutableTensorView& view, std::int64_t offset, T value, int part = 0) {
  const ElementType real = real_type(view.type());
  constexpr rounding::Format kFrom = sizeof(T) == 8 ? rounding::kBinary64 : rounding::kBinary32;
  const std::uint64_t bits =
      std::isnan(value) ? canonical_nan(real)
                        : rounding::convert_bits(rounding::bits_of(value), kFrom, format_of(real));
  store_bits(view.data(), is_complex(view.type()) ? 2 * offset + part : offset, size_of(real), bits);
}

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_REFERENCE_ELEMENT_H_
