// Conversions between element types, rounding to a precision in place of type, and splits into parts.
//
//   mp::Tensor narrow = mp::convert(x, mp::ElementType::kBF16);
//   mp::Tensor tf32 = mp::round_to(x, mp::PrecisionType::kTF32);              // still float32
//   std::vector<mp::Tensor> parts = mp::split(x, mp::PrecisionType::kBF16, 3);  // hi, mid, lo
//
// All round to nearest, ties to even; subnormals are kept; overflow gives an infinity, or NaN where the
// type has none (the 8-bit floats but float8_e5m2); a NaN stays a NaN of the same sign, made quiet. SIMD and scalar code give the same bits (docs/numerics.md). The caller's
// floating-point environment has no influence and is left as it was.
#ifndef MATPREC_CONVERT_H_
#define MATPREC_CONVERT_H_

#include <vector>

#include "matprec/dot_algorithm.h"
#include "matprec/element_type.h"
#include "matprec/export.h"
#include "matprec/tensor.h"

namespace matprec {

struct ConvertOptions {
  // What lies beyond the range of the new type, infinities included, becomes its largest finite value of
  // that sign (ONNX Cast's `saturate`); NaN stays NaN.
  bool saturate = false;
};

// A row-major tensor of the same shape in another type, each element rounded once. A real element
// becomes a complex one with the imaginary part +0. To an integer type floats are cut toward zero, with
// the nearest end of the range for what lies beyond it and 0 for NaN; an integer keeps its low bits
// (saturate: the nearest end). Errors: complex to real.
MATPREC_API Tensor convert(const TensorView& x, ElementType to, const ConvertOptions& options = {});

// The same into a view of equal shape. Errors: shapes differ; out names an element twice or shares memory
// with x (unless type, shape, strides and address are equal).
MATPREC_API void convert_into(const MutableTensorView& out, const TensorView& x,
                              const ConvertOptions& options = {});

// Each element rounded to the values of `precision`, the element type kept. Rounding float32 to
// kF32 or anything to a wider precision changes nothing but signalling NaNs. Errors: x integer or
// complex; kF8 and kS32, to which nothing is rounded in place of type.
MATPREC_API Tensor round_to(const TensorView& x, PrecisionType precision);

// x as a sum of `parts` values of `precision`, largest first, each a float32 tensor of x's shape:
// h = RNE(x), m = RNE(x - h), l = RNE(x - h - m); float64 input is rounded to float32 first. Where RNE
// would overflow, all parts round toward zero, so that they stay finite. Inf and NaN stand in the first
// part alone, the others are 0. Errors: parts outside 1..3; precision not kBF16, kTF32 or kF16; x
// integer or complex.
MATPREC_API std::vector<Tensor> split(const TensorView& x, PrecisionType precision, int parts);

}  // namespace matprec

#endif  // MATPREC_CONVERT_H_
