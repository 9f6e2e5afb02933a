// The subcommands as data: what a user can say to each, and what it then does. command_line.h reads
// a command line by them.
#ifndef MATPREC_SRC_CLI_COMMAND_H_
#define MATPREC_SRC_CLI_COMMAND_H_

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace matprec::cli {

// A whole number of 0 or more; `zero` says what 0 means.
struct WholeNumber {
  int* value;
  std::string zero;
};

// Where what was said goes: a switch; a text; texts, one an occurrence of an option, all of the
// operands; numbers of 0 or more.
using OptionValue = std::variant<bool*, std::string*, std::optional<std::string>*,
                                 std::vector<std::string>*, WholeNumber, std::optional<double>*>;

struct Option {
  std::string name;  // with dashes; without: the operands
  OptionValue value;
  std::string description;
  std::optional<std::string> value_name = std::nullopt;  // of its value in --help, by default its type
  bool required = false;
};

// `run` prints results on stdout, returns an exit code (exit_code.h), and throws Error for bad
// input. It owns what the options point to.
struct Command {
  std::string name, description;
  std::vector<Option> options;
  std::function<int()> run;
};

Command compare_command();
Command conformance_command();
Command explain_command();
Command list_command();
Command info_command();
Command check_command();
Command tensors_command();

// A command without operands, which prints as text or, with --json, as JSON.
Command report_command(const std::string& name, const std::string& description,
                       void (*print_text)(), void (*print_json)());

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_COMMAND_H_
