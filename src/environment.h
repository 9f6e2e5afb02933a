// The MATPREC_* variables, read once for everyone.
//
// Knows the variables and what each may hold; what they mean for a product, a target or a thread
// count is the business of the rooms that ask. An invalid value is an Error in every call of
// environment(), so that no entrance can pass it over.
#ifndef MATPREC_SRC_ENVIRONMENT_H_
#define MATPREC_SRC_ENVIRONMENT_H_

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matprec/policy.h"
#include "matprec/precision.h"

namespace matprec {

// A MATPREC_* variable that is set and that nothing reads.
struct UnknownVariable {
  std::string name;
  std::string_view nearest;  // the known variable with the nearest name
};

struct Environment {
  std::optional<PrecisionRequest> default_precision;  // never kDefault: that is as if unset
  std::optional<PrecisionRequest> forced;             // likewise
  std::optional<PrecisionRequest> require;
  std::optional<Platform> platform;
  std::string target;  // upper case, a name of a Highway target; "" when unset
  std::optional<int> num_threads;
  bool verbose = false;
  bool notice = true;
  std::vector<UnknownVariable> unknown;

  // No variable bears on the precision of a product or wants to be told of one.
  bool silent = false;
};

// The most threads that MATPREC_NUM_THREADS and set_num_threads() accept.
inline constexpr int kMostThreads = 1024;

namespace detail {
extern std::atomic<const Environment*> valid_environment;  // null until read, and while invalid
const Environment& read_environment();
}  // namespace detail

// The environment as it was at the first call; later changes have no effect. Lock-free, so that a
// child of fork() can always go on. Errors, at the first and every later call: a variable holds an
// invalid value.
inline const Environment& environment() {
  if (const Environment* e = detail::valid_environment.load(std::memory_order_acquire)) return *e;
  return detail::read_environment();
}

}  // namespace matprec

#endif  // MATPREC_SRC_ENVIRONMENT_H_
