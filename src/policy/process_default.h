// The default of the process: one choice that all threads see below their scopes.
#ifndef MATPREC_SRC_POLICY_PROCESS_DEFAULT_H_
#define MATPREC_SRC_POLICY_PROCESS_DEFAULT_H_

#include <atomic>

#include "src/policy/choice.h"

namespace matprec {

namespace detail {
struct KeptChoice;
extern constinit std::atomic<const KeptChoice*> process_choice_in_force;
}  // namespace detail

// The choice in force, never kDefault; nullptr where none is. It stays valid for ever.
const Choice* process_choice();

}  // namespace matprec

#endif  // MATPREC_SRC_POLICY_PROCESS_DEFAULT_H_
