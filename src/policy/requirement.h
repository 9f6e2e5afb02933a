// The least precision that a product must have, by ScopedRequirement and MATPREC_REQUIRE.
#ifndef MATPREC_SRC_POLICY_REQUIREMENT_H_
#define MATPREC_SRC_POLICY_REQUIREMENT_H_

#include <string_view>

#include "matprec/element_type.h"
#include "matprec/policy.h"

namespace matprec {

// To be called for every product before anything is written. Acts on float32 products only
// (reached_by_defaults). Errors: the algorithm ranks below a requirement in force; the text names
// `op`, the algorithm and who chose it, the strictest requirement and who set it, and what to do.
void check_requirement(const Resolution& resolution, ElementType lhs, ElementType rhs,
                       std::string_view op);

}  // namespace matprec

#endif  // MATPREC_SRC_POLICY_REQUIREMENT_H_
