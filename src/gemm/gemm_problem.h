// A batch of products C = epilogue(A * B) over strided operands, as gemm() takes it.
//
// Everything is validated and resolved before: sizes agree, memory may be touched as described, the
// algorithm is chosen. Strides count elements.
#ifndef MATPREC_SRC_GEMM_GEMM_PROBLEM_H_
#define MATPREC_SRC_GEMM_GEMM_PROBLEM_H_

#include <complex>
#include <cstdint>
#include <optional>

#include "matprec/dot_algorithm.h"
#include "matprec/element_type.h"
#include "src/gemm/axis.h"

namespace matprec::gemm {

struct PackedPanels;

// Elements to be read, as batch x outer x inner.
struct Source {
  const void* data = nullptr;
  ElementType type = ElementType::kF32;
  Axis batch, outer, inner;
  const PackedPanels* packed = nullptr;  // not null: the elements are read from these, not from `data`
};

struct GemmProblem {
  DotAlgorithm algorithm = DotAlgorithm::kF32_F32_F32;
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  Source lhs;  // m x k
  Source rhs;  // n x k: the outer axis runs over columns; at most one of the two is packed
  void* out = nullptr;
  ElementType out_type = ElementType::kF32;
  Axis out_batch, out_rows, out_columns;

  std::complex<double> alpha = 1, beta = 0;  // imaginary only if the output is complex
  std::optional<Source> c;     // m x n; read if beta is not 0
  std::optional<Source> bias;  // m x n
};

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_GEMM_PROBLEM_H_
