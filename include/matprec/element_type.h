// The types an element of a tensor may have, and the C++ types they stand for.
//
//   mp::ElementType t = mp::element_type_of<float>;      // kF32
//   mp::size_of(mp::ElementType::kBF16) == 2
//
// The types of 16 bits and fewer that are no integers are storage only: they hold bits and have no
// arithmetic (a sum kept in bfloat16 is the mistake this library exists to prevent). Convert with
// matprec/convert.h. A foreign type of the same bits joins by specialising ElementTypeOf.
#ifndef MATPREC_ELEMENT_TYPE_H_
#define MATPREC_ELEMENT_TYPE_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "matprec/export.h"

#if __cplusplus < 202002L
#error "matprec needs C++20: compile with -std=c++20 or later"
#endif

namespace matprec {

enum class ElementType : std::uint8_t {
  kF64,         // IEEE binary64
  kF32,         // IEEE binary32
  kBF16,        // bfloat16: the upper half of a binary32
  kF16,         // IEEE binary16
  kF8E4M3FN,    // 4 exponent bits, bias 7, no Inf, NaN S.1111.111, largest 448
  kF8E5M2,      // 5 exponent bits, bias 15, IEEE-like, largest 57344
  kF8E4M3FNUZ,  // 4 exponent bits, bias 8, no Inf, no -0, NaN 0x80, largest 240
  kF8E5M2FNUZ,  // 5 exponent bits, bias 16, no Inf, no -0, NaN 0x80, largest 57344
  kS8,
  kU8,
  kS32,
  kC64,   // two binary32: real part, imaginary part
  kC128,  // two binary64
};

// The number of element types; every enumerator is below it.
inline constexpr std::size_t kElementTypeCount = 13;

// Bits without arithmetic.
struct BFloat16 {
  std::uint16_t bits = 0;
  friend bool operator==(BFloat16, BFloat16) = default;
};
struct Float16 {
  std::uint16_t bits = 0;
  friend bool operator==(Float16, Float16) = default;
};
struct Float8E4M3FN {
  std::uint8_t bits = 0;
  friend bool operator==(Float8E4M3FN, Float8E4M3FN) = default;
};
struct Float8E5M2 {
  std::uint8_t bits = 0;
  friend bool operator==(Float8E5M2, Float8E5M2) = default;
};
struct Float8E4M3FNUZ {
  std::uint8_t bits = 0;
  friend bool operator==(Float8E4M3FNUZ, Float8E4M3FNUZ) = default;
};
struct Float8E5M2FNUZ {
  std::uint8_t bits = 0;
  friend bool operator==(Float8E5M2FNUZ, Float8E5M2FNUZ) = default;
};

template <class T>
struct ElementTypeOf;  // no definition: T is not an element type

namespace detail {
template <ElementType kType>
struct ElementTypeConstant {
  static constexpr ElementType value = kType;
};
}  // namespace detail

template <>
struct ElementTypeOf<double> : detail::ElementTypeConstant<ElementType::kF64> {};
template <>
struct ElementTypeOf<float> : detail::ElementTypeConstant<ElementType::kF32> {};
template <>
struct ElementTypeOf<BFloat16> : detail::ElementTypeConstant<ElementType::kBF16> {};
template <>
struct ElementTypeOf<Float16> : detail::ElementTypeConstant<ElementType::kF16> {};
template <>
struct ElementTypeOf<Float8E4M3FN> : detail::ElementTypeConstant<ElementType::kF8E4M3FN> {};
template <>
struct ElementTypeOf<Float8E5M2> : detail::ElementTypeConstant<ElementType::kF8E5M2> {};
template <>
struct ElementTypeOf<Float8E4M3FNUZ> : detail::ElementTypeConstant<ElementType::kF8E4M3FNUZ> {};
template <>
struct ElementTypeOf<Float8E5M2FNUZ> : detail::ElementTypeConstant<ElementType::kF8E5M2FNUZ> {};
template <>
struct ElementTypeOf<std::int8_t> : detail::ElementTypeConstant<ElementType::kS8> {};
template <>
struct ElementTypeOf<std::uint8_t> : detail::ElementTypeConstant<ElementType::kU8> {};
template <>
struct ElementTypeOf<std::int32_t> : detail::ElementTypeConstant<ElementType::kS32> {};
template <>
struct ElementTypeOf<std::complex<float>> : detail::ElementTypeConstant<ElementType::kC64> {};
template <>
struct ElementTypeOf<std::complex<double>> : detail::ElementTypeConstant<ElementType::kC128> {};
template <class T>
inline constexpr ElementType element_type_of = ElementTypeOf<T>::value;

namespace detail {
struct ElementTypeInfo {
  std::string_view name;
  std::size_t size;
};
// In the order of ElementType.
inline constexpr ElementTypeInfo kElementTypes[kElementTypeCount] = {
    {"float64", 8},         {"float32", 4},
    {"bfloat16", 2},        {"float16", 2},
    {"float8_e4m3fn", 1},   {"float8_e5m2", 1},
    {"float8_e4m3fnuz", 1}, {"float8_e5m2fnuz", 1},
    {"int8", 1},            {"uint8", 1},
    {"int32", 4},           {"complex64", 8},
    {"complex128", 16},
};
}  // namespace detail

constexpr bool is_element_type(ElementType type) {
  return static_cast<std::size_t>(type) < kElementTypeCount;
}

// Bytes of one element; 0 for a number that is no enumerator.
constexpr std::size_t size_of(ElementType type) {
  return is_element_type(type) ? detail::kElementTypes[static_cast<std::size_t>(type)].size : 0;
}

// The name by which NumPy and ml_dtypes know the type: "float32", "bfloat16", "float8_e4m3fn", ...;
// "unknown" for a number that is no enumerator.
constexpr std::string_view to_string(ElementType type) {
  return is_element_type(type) ? detail::kElementTypes[static_cast<std::size_t>(type)].name
                               : "unknown";
}

constexpr bool is_float8(ElementType type) {
  return type >= ElementType::kF8E4M3FN && type <= ElementType::kF8E5M2FNUZ;
}
constexpr bool is_integer(ElementType type) {
  return type >= ElementType::kS8 && type <= ElementType::kS32;
}
constexpr bool is_complex(ElementType type) {
  return type == ElementType::kC64 || type == ElementType::kC128;
}
// The type of the real and the imaginary part; a real type is its own.
constexpr ElementType real_type(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  if (type == ElementType::kC128) return ElementType::kF64;
  return type;
}

}  // namespace matprec

#endif  // MATPREC_ELEMENT_TYPE_H_
