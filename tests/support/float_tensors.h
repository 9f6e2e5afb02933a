// Float32 tensors of known values, and their values as a range.
#ifndef MATPREC_TESTS_SUPPORT_FLOAT_TENSORS_H_
#define MATPREC_TESTS_SUPPORT_FLOAT_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "matprec/tensor.h"
#include "tests/support/random_matrix.h"

namespace matprec::testing {

// 1, 2, 3, ... in row-major order.
inline Tensor counted(const Dims& shape) {
  Tensor t(ElementType::kF32, shape);
  std::iota(t.data<float>(), t.data<float>() + t.size(), 1.0f);
  return t;
}

inline Tensor normal(const Dims& shape, std::uint64_t seed) {
  Tensor t(ElementType::kF32, shape);
  Random random(seed);
  for (float& x : std::span(t.data<float>(), static_cast<std::size_t>(t.size()))) {
    x = static_cast<float>(random.normal());
  }
  return t;
}

inline std::span<const float> floats(const Tensor& t) {
  return {t.data<float>(), static_cast<std::size_t>(t.size())};
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_FLOAT_TENSORS_H_
