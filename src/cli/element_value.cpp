#include "src/cli/element_value.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "src/cli/number_text.h"

namespace matprec::cli {
namespace {

// A small float: a sign, exponent bits, fraction bits.
double decode_small(std::uint64_t bits, int exponent_bits, int fraction_bits, int bias) {
  const std::uint64_t field = bits >> fraction_bits & ((1u << exponent_bits) - 1);
  const std::uint64_t fraction = bits & ((1u << fraction_bits) - 1);
  const std::uint64_t hidden = field == 0 ? 0 : 1u << fraction_bits;
  const int exponent = static_cast<int>(field == 0 ? 1 : field) - bias - fraction_bits;
  const double magnitude = std::ldexp(static_cast<double>(fraction + hidden), exponent);
  return (bits >> (exponent_bits + fraction_bits) & 1) != 0 ? -magnitude : magnitude;
}

// The same where the top exponent is Inf and NaN.
double decode_ieee(std::uint64_t bits, int exponent_bits, int fraction_bits) {
  const std::uint64_t top = (1u << exponent_bits) - 1;
  if ((bits >> fraction_bits & top) != top) {
    return decode_small(bits, exponent_bits, fraction_bits, static_cast<int>(top / 2));
  }
  if ((bits & ((1u << fraction_bits) - 1)) != 0) return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return (bits >> (exponent_bits + fraction_bits) & 1) != 0 ? -infinity : infinity;
}

}  // namespace

std::uint64_t bits_at(const Tensor& tensor, std::int64_t i) {
  // Supported machines are little endian: the low bytes come first.
  const std::size_t size = size_of(tensor.type());
  std::uint64_t bits = 0;
  std::memcpy(&bits,
              static_cast<const std::byte*>(tensor.data()) + static_cast<std::size_t>(i) * size,
              size);
  return bits;
}

double decode(ElementType type, std::uint64_t bits) {
  switch (type) {
    case ElementType::kF64:
      return std::bit_cast<double>(bits);
    case ElementType::kF32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case ElementType::kBF16:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16)));
    case ElementType::kF16:
      return decode_ieee(bits, 5, 10);
    case ElementType::kF8E5M2:
      return decode_ieee(bits, 5, 2);
    case ElementType::kF8E4M3FN:
      if ((bits & 0x7F) != 0x7F) return decode_small(bits, 4, 3, 7);
      break;
    case ElementType::kF8E4M3FNUZ:
      if (bits != 0x80) return decode_small(bits, 4, 3, 8);
      break;
    case ElementType::kF8E5M2FNUZ:
      if (bits != 0x80) return decode_small(bits, 5, 2, 16);
      break;
    case ElementType::kS8:
      return static_cast<std::int8_t>(bits);
    case ElementType::kU8:
      return static_cast<std::uint8_t>(bits);
    case ElementType::kS32:
      return static_cast<std::int32_t>(bits);
    case ElementType::kC64:
    case ElementType::kC128:
      break;  // two numbers
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Tensor real_parts(const Tensor& tensor) {
  if (!is_complex(tensor.type())) return tensor;
  Dims shape = tensor.shape();
  shape.push_back(2);
  Tensor result(real_type(tensor.type()), shape);
  std::memcpy(result.data(), tensor.data(),
              static_cast<std::size_t>(result.size()) * size_of(result.type()));
  return result;
}

double value_at(const Tensor& tensor, std::int64_t i) {
  return decode(tensor.type(), bits_at(tensor, i));
}

Dims index_of(std::int64_t flat, const Dims& shape) {
  Dims index;
  index.resize(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  return index;
}

std::optional<ElementType> element_type_named(std::string_view name, bool short_names) {
  // In the order of ElementType.
  constexpr std::string_view kBrief[kElementTypeCount] = {
      "f64", "f32", "bf16", "f16", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ",
      "i8",  "ui8", "i32",  "complex<f32>", "complex<f64>"};
  for (std::size_t i = 0; i < kElementTypeCount; ++i) {
    const auto type = static_cast<ElementType>(i);
    if (name == to_string(type) || (short_names && name == kBrief[i])) return type;
  }
  return std::nullopt;
}

std::string described(ElementType type, std::uint64_t bits) {
  return shortest(decode(type, bits)) + " (0x" +
         hexadecimal(bits, static_cast<int>(2 * size_of(type))) + ")";
}

}  // namespace matprec::cli
