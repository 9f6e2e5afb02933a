// What the backward products of any forward product share: which algorithm, which types.
#ifndef MATPREC_SRC_DOT_BACKWARD_H_
#define MATPREC_SRC_DOT_BACKWARD_H_

#include <string_view>

#include "matprec/derivatives.h"
#include "matprec/policy.h"
#include "matprec/tensor.h"

namespace matprec::contraction {

// Throws Error if the forward product was one of integers.
void refuse_integers(std::string_view op, const Resolution& forward);

// What a product of the result's cotangent, of type `out`, with the other operand runs: as asked for, else as the
// forward product, else, after 8-bit floats, float32.
Resolution backward(const PrecisionRequest& request, const Resolution& forward, ElementType out, ElementType other);

// Throws Error if this is no cotangent of a result of that shape and type.
void check_cotangent(std::string_view op, const TensorView& cotangent, const Dims& shape, ElementType out);

// The type of an operand's cotangent. Errors: one of another kind.
ElementType cotangent_type(std::string_view op, const CotangentOptions& options, ElementType operand);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_BACKWARD_H_
