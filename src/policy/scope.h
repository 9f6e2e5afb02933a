// What the scopes of this thread say.
//
// Knows the entries that guards leave and in which order; not what a level means, nor the other
// sources.
#ifndef MATPREC_SRC_POLICY_SCOPE_H_
#define MATPREC_SRC_POLICY_SCOPE_H_

#include <vector>

#include "src/policy/choice.h"

namespace matprec {

namespace detail {
struct ScopeStack;
// nullptr until a first guard is made on this thread. In the static TLS block, because every
// product looks here and the general model costs more than all the rest of resolve().
extern constinit thread_local ScopeStack* this_threads_stack
    __attribute__((tls_model("initial-exec")));
const Choice* innermost_choice();
}  // namespace detail

// The choice of the innermost precision scope, kDefault if it says "as outside any scope"; nullptr
// where there is no scope. Valid until this thread opens or asks for a scope again.
inline const Choice* scope_choice() {
  return detail::this_threads_stack == nullptr ? nullptr : detail::innermost_choice();
}

// The requirements in force on this thread, innermost first.
std::vector<Choice> scope_requirements();
bool has_scope_requirements();

}  // namespace matprec

#endif  // MATPREC_SRC_POLICY_SCOPE_H_
