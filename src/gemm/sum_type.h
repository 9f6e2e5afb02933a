// The C++ types that sums are computed in, and which of them an algorithm's are.
#ifndef MATPREC_SRC_GEMM_SUM_TYPE_H_
#define MATPREC_SRC_GEMM_SUM_TYPE_H_

#include <cstdint>

#include "matprec/dot_algorithm.h"
#include "matprec/element_type.h"

namespace matprec::gemm {

// The element type whose array is an array of sums. Unsigned: integers wrap around.
constexpr ElementType type_of(float) { return ElementType::kF32; }
constexpr ElementType type_of(double) { return ElementType::kF64; }
constexpr ElementType type_of(std::uint32_t) { return ElementType::kS32; }

// body(T{}) for the type of an algorithm's sums.
template <class Body>
decltype(auto) with_sum_type(DotAlgorithm algorithm, const Body& body) {
  switch (info(algorithm).accumulation) {
    case PrecisionType::kF64:
      return body(double{});
    case PrecisionType::kS32:
      return body(std::uint32_t{});
    default:
      return body(float{});
  }
}

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_SUM_TYPE_H_
