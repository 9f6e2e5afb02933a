// dot_general: the product that all others are written as.
//
//   mp::Tensor c = mp::dot_general(x, w, {.lhs_contracting = {2}, .rhs_contracting = {0}},
//                                  {.precision = "bf16x3"});
//
// StableHLO's dot_general: sums over the contracting dimensions, keeps the batch dimensions aligned. The
// result has the batch dimensions in lhs_batch order, then the other lhs dimensions, then the other rhs
// ones. Contracting dimensions are flattened in the order listed, last fastest; that is the order of the
// sum (docs/numerics.md, MP-ACC-1).
#ifndef MATPREC_DOT_GENERAL_H_
#define MATPREC_DOT_GENERAL_H_

#include <complex>
#include <optional>
#include <string_view>

#include "matprec/element_type.h"
#include "matprec/export.h"
#include "matprec/precision.h"
#include "matprec/source_location.h"
#include "matprec/tensor.h"

namespace matprec {

// Dimension numbers count from 0; none may be negative. Entry i of lhs_contracting belongs to entry i of
// rhs_contracting, likewise the batch lists; paired sizes are equal.
struct DotDimensionNumbers {
  Dims lhs_contracting = {};
  Dims rhs_contracting = {};
  Dims lhs_batch = {};
  Dims rhs_batch = {};
};

struct DotOptions {
  // What to run; nothing: by scope, process default, environment (policy.h).
  PrecisionRequest precision = {};
  // The result's element type, of the operands' kind (real float, complex, integer). Nothing: the wider
  // operand type; complex if one is; float32 for different narrow floats and whenever an 8-bit float meets
  // a narrow one; int32 for integers.
  std::optional<ElementType> preferred_element_type = std::nullopt;
  // What the backward products run, for the derivatives of this product.
  TransposePrecision transpose_algorithm = {};
  // A name for this product in traces.
  std::string_view label = {};
};

// What happens to the sum r before it is written; each present step is one rounding, in this order:
//   r = alpha * r;  r = fma(beta, c, r);  r = r + bias;  conversion to the output's type.
// In float32, or in float64 if the accumulation type, c or the output is float64 (complex128). Complex
// results take complex alpha, beta, c and bias (docs/numerics.md); integers take none of them.
struct DotEpilogue {
  std::complex<double> alpha = 1;  // 0: the operands are not read
  std::complex<double> beta = 0;   // 0: c is not read
  // What beta multiplies: same shape as the output, any type. Nothing: the output's old content.
  std::optional<TensorView> c = std::nullopt;
  // Broadcast to the output's shape (aligned at the last dimension; sizes equal or 1).
  std::optional<TensorView> bias = std::nullopt;
};

namespace detail {
// What defaults of arguments refer to: a call that says nothing makes none of these, which takes as long as a small
// product, and is known by their addresses.
MATPREC_API extern const DotOptions kNoOptions;
MATPREC_API extern const DotEpilogue kNoEpilogue;
}  // namespace detail

// The product as a new tensor.
// Errors, each with the dimension and the two values: dimension numbers negative or beyond the rank,
// repeated, both batch and contracting, of different counts; paired sizes that differ; a product that the
// requirement in force (policy.h) forbids; an invalid MATPREC_* variable.
MATPREC_API Tensor dot_general(const TensorView& lhs, const TensorView& rhs,
                               const DotDimensionNumbers& dimension_numbers,
                               const DotOptions& options = {},
                               SourceLocation where = SourceLocation::current());

// The product written into `out`, whose type is the result's type (preferred_element_type, if given, must
// equal it). Nothing is written on an error. Further errors: out's shape; an out that names an element
// twice, or provably shares memory with an operand or the bias, or with c unless it is c.
MATPREC_API void dot_general_into(const MutableTensorView& out, const TensorView& lhs,
                                  const TensorView& rhs,
                                  const DotDimensionNumbers& dimension_numbers,
                                  const DotOptions& options = detail::kNoOptions,
                                  const DotEpilogue& epilogue = detail::kNoEpilogue,
                                  SourceLocation where = SourceLocation::current());

namespace detail {
// dot_general_into under the name by which a front end's callers know the product, for errors and traces.
MATPREC_API void dot_general_into_as(std::string_view op, const MutableTensorView& out,
                                     const TensorView& lhs, const TensorView& rhs,
                                     const DotDimensionNumbers& dimension_numbers,
                                     const DotOptions& options, const DotEpilogue& epilogue,
                                     SourceLocation where);
}  // namespace detail

// NumPy's matmul: the last two dimensions multiply, the ones before broadcast; a rank-1 operand is a row
// on the left, a column on the right, and its dimension leaves the result. Options as dot_general.
// Errors: a rank-0 operand; inner sizes that differ; batch sizes that do not broadcast.
MATPREC_API Tensor matmul(const TensorView& lhs, const TensorView& rhs,
                          const DotOptions& options = {},
                          SourceLocation where = SourceLocation::current());

// The scalar oracle: the same product by plain loops over docs/numerics.md, in one thread, on no SIMD
// target. Slow, and equal to dot_general bit for bit. Integers take DotAlgorithm::kInteger and no other.
MATPREC_API void reference_dot_general_into(const MutableTensorView& out, const TensorView& lhs,
                                            const TensorView& rhs,
                                            const DotDimensionNumbers& dimension_numbers,
                                            DotAlgorithm algorithm,
                                            const DotEpilogue& epilogue = {});

// The element type that dot_general gives two operand types when none is preferred. Errors: an integer
// with a float.
MATPREC_API ElementType result_type(ElementType lhs, ElementType rhs);

}  // namespace matprec

#endif  // MATPREC_DOT_GENERAL_H_
