// The explanation of one product that is a dot_general.
#ifndef MATPREC_SRC_DOT_DESCRIBE_H_
#define MATPREC_SRC_DOT_DESCRIBE_H_

#include <string_view>

#include "matprec/explain.h"

namespace matprec::contraction {

// Reads no element. Errors: as dot_general's, their text beginning with `op`.
Explanation describe(const Resolution& resolution, const TensorView& lhs, const TensorView& rhs,
                     ElementType out, const DotDimensionNumbers& numbers, std::string_view op);

}  // namespace matprec::contraction

#endif  // MATPREC_SRC_DOT_DESCRIBE_H_
