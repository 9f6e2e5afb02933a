// Checks for options that are numbers: an error shows what was typed and says what was expected.
#ifndef MATPREC_SRC_CLI_NUMBER_OPTION_H_
#define MATPREC_SRC_CLI_NUMBER_OPTION_H_

#include <CLI/CLI.hpp>
#include <string>

namespace matprec::cli {

// For int options of 0 or more. `zero` says what 0 means.
CLI::Validator whole_number(const std::string& zero);
// For double options of 0 or more.
CLI::Validator number_not_negative();

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_NUMBER_OPTION_H_
