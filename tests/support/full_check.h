// Whether a test that lacks something of this machine is skipped, or fails.
#ifndef MATPREC_TESTS_SUPPORT_FULL_CHECK_H_
#define MATPREC_TESTS_SUPPORT_FULL_CHECK_H_

#include <cstdlib>
#include <string_view>

namespace matprec::testing {

// The full check (.ci/run) sets CI=true and has everything: there, nothing may be skipped.
inline bool in_full_check() {
  const char* ci = std::getenv("CI");
  return ci != nullptr && std::string_view(ci) == "true";
}

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_FULL_CHECK_H_
