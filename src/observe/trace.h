// What the library says about products as they run: trace events, the verbose line, the one notice
// and the warning about unknown variables.
//
// Knows how to say it; what ran is told by those who ran it. Everything for stderr leaves in one
// write a line, so that lines of several threads do not mix.
#ifndef MATPREC_SRC_OBSERVE_TRACE_H_
#define MATPREC_SRC_OBSERVE_TRACE_H_

#include <atomic>

#include "matprec/element_type.h"
#include "matprec/explain.h"
#include "matprec/policy.h"

namespace matprec {

namespace detail {
extern constinit std::atomic<bool> has_trace_callback;
}  // namespace detail

// Whether report() would tell anybody: a callback is set or MATPREC_VERBOSE is 1. False while this
// thread runs a callback. Cheap; to be asked before an event is gathered. Errors: as environment().
bool tracing();

// Calls the callback, then prints the verbose line. Throws nothing: the product's result is
// complete by now and must not be lost.
void report(const TraceEvent& event);

// To be called once for each product, before it runs. Prints, once a process, the warning about
// unknown MATPREC_* variables, and the notice that a process default made a product less precise
// than float32. Errors: as environment().
void announce(const Resolution& resolution, ElementType lhs, ElementType rhs);

}  // namespace matprec

#endif  // MATPREC_SRC_OBSERVE_TRACE_H_
