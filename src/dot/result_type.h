// Which element types a product can have, given its operands' types.
#ifndef MATPREC_SRC_DOT_RESULT_TYPE_H_
#define MATPREC_SRC_DOT_RESULT_TYPE_H_

#include <string_view>

#include "matprec/dot_general.h"

namespace matprec::contraction {

// Errors: `out` is not of the operands' kind (integers give integers, real floats real floats, complex
// numbers complex ones).
void check_result_type(std::string_view op, ElementType out, ElementType lhs, ElementType rhs);

// Errors: alpha, beta, c or bias that a result of type `out` cannot take: any for integers, complex ones
// for a real result, integers for a float one.
void check_epilogue_types(std::string_view op, ElementType out, const DotEpilogue& epilogue);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_RESULT_TYPE_H_
