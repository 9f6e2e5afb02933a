#include "src/cli/element_value.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "src/cli/number_text.h"

namespace matprec::cli {
namespace {

double decode_half(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = static_cast<double>(bits & 1023);
  double magnitude = 0;
  if (exponent == 31) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, -24);
  } else {
    magnitude = std::ldexp(fraction + 1024, exponent - 25);
  }
  return (bits >> 15 & 1) != 0 ? -magnitude : magnitude;
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
      return decode_half(bits);
  }
  return std::numeric_limits<double>::quiet_NaN();
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
  struct Names {
    ElementType type;
    std::string_view brief;
  };
  for (const Names& entry : {Names{ElementType::kF64, "f64"}, Names{ElementType::kF32, "f32"},
                             Names{ElementType::kBF16, "bf16"}, Names{ElementType::kF16, "f16"}}) {
    if (name == to_string(entry.type) || (short_names && name == entry.brief)) return entry.type;
  }
  return std::nullopt;
}

std::string described(ElementType type, std::uint64_t bits) {
  return shortest(decode(type, bits)) + " (0x" +
         hexadecimal(bits, static_cast<int>(2 * size_of(type))) + ")";
}

}  // namespace matprec::cli
