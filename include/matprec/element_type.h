// The types an element of a tensor may have, and the C++ types they stand for.
//
//   mp::ElementType t = mp::element_type_of<float>;      // kF32
//   mp::size_of(mp::ElementType::kBF16) == 2
//
// BFloat16 and Float16 are storage only: they hold bits and have no arithmetic (a sum kept in bfloat16
// is the mistake this library exists to prevent). Convert with matprec/convert.h. A foreign type of the
// same bits joins by specialising ElementTypeOf.
#ifndef MATPREC_ELEMENT_TYPE_H_
#define MATPREC_ELEMENT_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "matprec/export.h"

namespace matprec {

enum class ElementType : std::uint8_t {
  kF64,   // IEEE binary64
  kF32,   // IEEE binary32
  kBF16,  // bfloat16: the upper half of a binary32
  kF16,   // IEEE binary16
};

// The bits of a bfloat16.
struct BFloat16 {
  std::uint16_t bits = 0;
  friend bool operator==(BFloat16, BFloat16) = default;
};

// The bits of an IEEE binary16.
struct Float16 {
  std::uint16_t bits = 0;
  friend bool operator==(Float16, Float16) = default;
};

template <class T>
struct ElementTypeOf;  // no definition: T is not an element type
template <>
struct ElementTypeOf<double> {
  static constexpr ElementType value = ElementType::kF64;
};
template <>
struct ElementTypeOf<float> {
  static constexpr ElementType value = ElementType::kF32;
};
template <>
struct ElementTypeOf<BFloat16> {
  static constexpr ElementType value = ElementType::kBF16;
};
template <>
struct ElementTypeOf<Float16> {
  static constexpr ElementType value = ElementType::kF16;
};
template <class T>
inline constexpr ElementType element_type_of = ElementTypeOf<T>::value;

// Bytes of one element.
constexpr std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return 8;
    case ElementType::kF32:
      return 4;
    case ElementType::kBF16:
    case ElementType::kF16:
      return 2;
  }
  return 0;
}

// "float64", "float32", "bfloat16", "float16".
constexpr std::string_view to_string(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return "float64";
    case ElementType::kF32:
      return "float32";
    case ElementType::kBF16:
      return "bfloat16";
    case ElementType::kF16:
      return "float16";
  }
  return "unknown";
}

}  // namespace matprec

#endif  // MATPREC_ELEMENT_TYPE_H_
