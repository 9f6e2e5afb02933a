// The default of the process: one choice that all threads see below their scopes.
#ifndef MATPREC_SRC_POLICY_PROCESS_DEFAULT_H_
#define MATPREC_SRC_POLICY_PROCESS_DEFAULT_H_

#include "src/policy/choice.h"

namespace matprec {

// The choice in force, never kDefault; nullptr where none is. It stays valid for ever.
const Choice* process_choice();

}  // namespace matprec

#endif  // MATPREC_SRC_POLICY_PROCESS_DEFAULT_H_
