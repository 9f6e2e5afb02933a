// Derivatives of dot_general, under algorithms that the forward product settles.
//
//   auto [y, pullback] = mp::dot_general_vjp(x, w, {{1}, {0}}, {.precision = "bf16", .transpose_algorithm = "tf32"});
//   auto [dx, dw] = pullback(dy, {.type = mp::ElementType::kF32});
//
// A product's cotangents are products too: of the result's cotangent with the other operand. Which algorithm they
// run is decided when the forward product runs: transpose_algorithm of its options if given (one, or one for each
// cotangent), else the algorithm of the forward product itself, so that bfloat16 products round the cotangent to
// bfloat16; after ANY_F8_ANY_F8_F32, F32_F32_F32. No scope, default or thread that the pullback meets later
// changes it; MATPREC_FORCE_PRECISION decides about all of them. Complex numbers: the transposes, without conjugates.
#ifndef MATPREC_DERIVATIVES_H_
#define MATPREC_DERIVATIVES_H_

#include <optional>
#include <string>

#include "matprec/dot_general.h"
#include "matprec/element_type.h"
#include "matprec/explain.h"
#include "matprec/export.h"
#include "matprec/policy.h"
#include "matprec/source_location.h"
#include "matprec/tensor.h"

namespace matprec {

struct CotangentOptions {
  // Of both cotangents: the sums are rounded to it once. Nothing: each operand's own type.
  std::optional<ElementType> type = std::nullopt;
};

struct DotCotangents {
  Tensor lhs, rhs;  // of the operands' shapes
};

// Gives the cotangents of a product's operands, as often as one likes, in any thread. It refers to the operands:
// their memory must live and keep its values as long as it is called.
class MATPREC_API DotPullback {
 public:
  // `cotangent` has the shape of the result; its type is free. The sums run over the kept dimensions of the other
  // operand in their order, last fastest. Errors: another shape; a type of another kind (integer, complex for real
  // operands); those of dot_general.
  DotCotangents operator()(const TensorView& cotangent, const CotangentOptions& options = {}) const;
  // One of the two alone.
  Tensor lhs(const TensorView& cotangent, const CotangentOptions& options = {}) const;
  Tensor rhs(const TensorView& cotangent, const CotangentOptions& options = {}) const;

  const Resolution& forward() const { return forward_; }
  const Resolution& lhs_resolution() const { return lhs_resolution_; }  // of the product that gives lhs's cotangent
  const Resolution& rhs_resolution() const { return rhs_resolution_; }

 private:
  friend MATPREC_API struct DotVjp dot_general_vjp(const TensorView&, const TensorView&, const DotDimensionNumbers&,
                                                   const DotOptions&, SourceLocation);
  friend MATPREC_API struct DotVjpExplanation explain_vjp(const TensorView&, const TensorView&,
                                                          const DotDimensionNumbers&, const DotOptions&);
  DotPullback(const TensorView& lhs, const TensorView& rhs, const DotDimensionNumbers& numbers,
              const DotOptions& options, SourceLocation where);

  TensorView lhs_, rhs_;
  DotDimensionNumbers numbers_;
  Dims out_shape_;
  ElementType out_type_;
  std::string label_;
  SourceLocation where_;
  Resolution forward_, lhs_resolution_, rhs_resolution_;
};

struct DotVjp {
  Tensor out;
  DotPullback pullback;
};

// The product, and its pullback (vector-Jacobian product). Errors: dot_general's; integers.
MATPREC_API DotVjp dot_general_vjp(const TensorView& lhs, const TensorView& rhs,
                                   const DotDimensionNumbers& dimension_numbers, const DotOptions& options = {},
                                   SourceLocation where = SourceLocation::current());

struct DotJvp {
  Tensor out, tangent;
};

// The product, and its tangent lhs_tangent * rhs + lhs * rhs_tangent: both under the product's own algorithm and
// kept in its accumulation type, added, and rounded to the result's type once.
// Errors: dot_general's; a tangent whose shape is not its operand's; integers.
MATPREC_API DotJvp dot_general_jvp(const TensorView& lhs, const TensorView& rhs, const TensorView& lhs_tangent,
                                   const TensorView& rhs_tangent, const DotDimensionNumbers& dimension_numbers,
                                   const DotOptions& options = {},
                                   SourceLocation where = SourceLocation::current());

// What dot_general_vjp and its pullback would run here and now, for a cotangent of the result's type.
struct DotVjpExplanation {
  Explanation forward, lhs, rhs;  // the product, and those of the two cotangents
};
// No element is read: TensorView(nullptr, type, shape) stands for an operand. Errors: as dot_general_vjp's.
MATPREC_API DotVjpExplanation explain_vjp(const TensorView& lhs, const TensorView& rhs,
                                          const DotDimensionNumbers& dimension_numbers,
                                          const DotOptions& options = {});
// Three paragraphs.
MATPREC_API std::string to_string(const DotVjpExplanation& explanation);

}  // namespace matprec

#endif  // MATPREC_DERIVATIVES_H_
