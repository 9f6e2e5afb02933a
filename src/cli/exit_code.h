// What the program's exit code says.
#ifndef MATPREC_SRC_CLI_EXIT_CODE_H_
#define MATPREC_SRC_CLI_EXIT_CODE_H_

namespace matprec::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailed = 1;    // a check, a case or a tolerance was not met
inline constexpr int kBadInput = 2;  // the command line, a file or a variable is wrong
inline constexpr int kIncomplete =
    3;  // all that could be run passed, but something could not be run

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_EXIT_CODE_H_
