// Commands that run every algorithm cannot do so while the environment replaces or forbids some.
#ifndef MATPREC_SRC_CLI_FREE_CHOICE_H_
#define MATPREC_SRC_CLI_FREE_CHOICE_H_

#include <string>

namespace matprec::cli {

// Errors: MATPREC_FORCE_PRECISION or MATPREC_REQUIRE is set. `command` opens the text.
void require_free_choice(const std::string& command);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_FREE_CHOICE_H_
