// Commands that run every algorithm cannot do so while MATPREC_FORCE_PRECISION replaces each of
// them.
#ifndef MATPREC_SRC_CLI_FORCED_PRECISION_H_
#define MATPREC_SRC_CLI_FORCED_PRECISION_H_

#include <string>

namespace matprec::cli {

// Errors: a precision is forced. `command` opens the text.
void require_unforced(const std::string& command);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_FORCED_PRECISION_H_
