// The subcommands. Each adds its options to the program and leaves in `action` what is to be run.
//
// Commands print results on stdout, return an exit code (exit_code.h), and throw Error for bad
// input.
#ifndef MATPREC_SRC_CLI_COMMAND_H_
#define MATPREC_SRC_CLI_COMMAND_H_

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace matprec::cli {

using Action = std::function<int()>;

void add_compare(CLI::App& program, Action& action);
void add_conformance(CLI::App& program, Action& action);
void add_explain(CLI::App& program, Action& action);
void add_list(CLI::App& program, Action& action);
void add_info(CLI::App& program, Action& action);
void add_check(CLI::App& program, Action& action);
void add_tensors(CLI::App& program, Action& action);

// A command without operands, which prints as text or, with --json, as JSON.
void add_report(CLI::App& program, Action& action, const std::string& name,
                const std::string& description, void (*print_text)(), void (*print_json)());

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_COMMAND_H_
