// Included by test programs that run the library in their own process: no MATPREC_* variable of the
// shell that started them reaches it.
#ifndef MATPREC_TESTS_SUPPORT_CLEAN_ENVIRONMENT_H_
#define MATPREC_TESTS_SUPPORT_CLEAN_ENVIRONMENT_H_

#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

namespace matprec::testing {

inline bool clear_matprec_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("MATPREC_")) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) unsetenv(name.c_str());
  return true;
}

inline const bool environment_is_clean = clear_matprec_variables();

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_CLEAN_ENVIRONMENT_H_
