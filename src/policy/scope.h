// What the scopes of this thread say.
//
// Knows the entries that guards leave and in which order; not what a level means, nor the other
// sources.
#ifndef MATPREC_SRC_POLICY_SCOPE_H_
#define MATPREC_SRC_POLICY_SCOPE_H_

#include <vector>

#include "src/policy/choice.h"

namespace matprec {

// The choice of the innermost precision scope, kDefault if it says "as outside any scope"; nullptr
// where there is no scope. Valid until this thread opens or asks for a scope again.
const Choice* scope_choice();

// The requirements in force on this thread, innermost first.
std::vector<Choice> scope_requirements();
bool has_scope_requirements();

}  // namespace matprec

#endif  // MATPREC_SRC_POLICY_SCOPE_H_
