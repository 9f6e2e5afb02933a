// From a command line to the command that it names. Everything CLI11 is behind this.
#ifndef MATPREC_SRC_CLI_COMMAND_LINE_H_
#define MATPREC_SRC_CLI_COMMAND_LINE_H_

#include <vector>

#include "src/cli/command.h"

namespace matprec::cli {

// Runs the command that is named and returns its exit code; --help and --version print and return.
// A mistake in the command line is one line on stderr that says what was expected.
// Errors: those of the command; an output that cannot be written.
int run_command_line(int argc, char** argv, const std::vector<Command>& commands);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_COMMAND_LINE_H_
