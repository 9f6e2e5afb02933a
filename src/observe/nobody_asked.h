// Whether a product runs in the type of its operands and nobody wants to be told: what nearly every product of
// nearly every program comes down to, so that a product of a few elements need not ask one after the other.
#ifndef MATPREC_SRC_OBSERVE_NOBODY_ASKED_H_
#define MATPREC_SRC_OBSERVE_NOBODY_ASKED_H_

#include "src/environment.h"
#include "src/observe/trace.h"
#include "src/policy/process_default.h"
#include "src/policy/scope.h"

namespace matprec {

// True: for a call without an argument of its own resolve() gives the operands' natural algorithm, no
// requirement is in force, and neither announce() nor report() has anything to say. May be false though all
// of that holds, as it is before the environment was read.
inline bool nobody_asked() {
  const Environment* const e = detail::valid_environment.load(std::memory_order_acquire);
  return e != nullptr && e->silent && detail::this_threads_stack == nullptr &&
         detail::process_choice_in_force.load(std::memory_order_relaxed) == nullptr &&
         !detail::has_trace_callback.load(std::memory_order_relaxed);
}

}  // namespace matprec

#endif  // MATPREC_SRC_OBSERVE_NOBODY_ASKED_H_
