#include "src/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <limits>
#include <string>
#include <type_traits>

#include "matprec/error.h"
#include "matprec/version.h"
#include "src/cli/exit_code.h"
#include "src/cli/nearest.h"

namespace matprec::cli {
namespace {

std::string version_text() {
  return "matprec " + std::to_string(MATPREC_VERSION_MAJOR) + "." +
         std::to_string(MATPREC_VERSION_MINOR) + "." + std::to_string(MATPREC_VERSION_PATCH);
}

// All of the text is a number, and that is 0 or more (which a NaN is not). The error shows what was
// typed and says what was expected.
template <class T>
CLI::Validator not_negative(const std::string& expected) {
  return CLI::Validator(
      [expected](const std::string& text) {
        T value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool right = error == std::errc() && end == text.data() + text.size() && value >= 0;
        return right ? "" : "\"" + text + "\": expected " + expected;
      },
      "");
}

CLI::Option* add(CLI::App& command, const Option& option, const WholeNumber& number) {
  return command.add_option(option.name, *number.value, option.description)
      ->check(not_negative<int>("a whole number from 0 (" + number.zero + ") to " +
                                std::to_string(std::numeric_limits<int>::max())));
}

CLI::Option* add(CLI::App& command, const Option& option, std::optional<double>* value) {
  return command.add_option(option.name, *value, option.description)
      ->check(not_negative<double>("a number of 0 or more"));
}

CLI::Option* add(CLI::App& command, const Option& option, bool* value) {
  return command.add_flag(option.name, *value, option.description);
}

template <class T>
CLI::Option* add(CLI::App& command, const Option& option, T* value) {
  CLI::Option* added = command.add_option(option.name, *value, option.description);
  const bool texts = std::is_same_v<T, std::vector<std::string>>;
  // Or the option would swallow the operands behind it.
  if (texts && option.name.starts_with("-")) added->allow_extra_args(false);
  return added;
}

void add(CLI::App& program, const Command& command, const Command*& chosen) {
  CLI::App* app = program.add_subcommand(command.name, command.description);
  for (const Option& option : command.options) {
    CLI::Option* added =
        std::visit([&](const auto& value) { return add(*app, option, value); }, option.value);
    if (option.value_name) added->type_name(*option.value_name);
    added->required(option.required);
  }
  app->callback([&command, &chosen] { chosen = &command; });
}

std::string unknown_word(const CLI::App& program, const std::string& word) {
  const auto commands = program.get_subcommands();
  std::vector<std::string> known;
  std::string place = "matprec";
  const bool is_option = word.size() > 1 && word[0] == '-';
  if (commands.empty() && !is_option) {
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(command->get_name());
    }
    return place + ": unknown command \"" + word + "\"; nearest: " + nearest(word, known) +
           "; see matprec --help";
  }
  const CLI::App& command = commands.empty() ? program : *commands.front();
  if (!commands.empty()) place += " " + command.get_name();
  if (!is_option) return place + ": unexpected argument \"" + word + "\"; see " + place + " --help";
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  if (commands.empty()) {
    return place + ": " + word + " stands before the command; options stand behind it; see " + place +
           " --help";
  }
  return place + ": unknown option " + word + "; nearest: " + nearest(word, known) + "; see " +
         place + " --help";
}

}  // namespace

int run_command_line(int argc, char** argv, const std::vector<Command>& commands) {
  CLI::App program(
      "Matrix products whose precision can be chosen, seen and trusted.\n"
      "Exit code 0: done; 1: a check, case or tolerance failed; 2: bad input; 3: not all could be "
      "run.");
  program.name("matprec");
  program.set_version_flag("--version", version_text());
  program.require_subcommand(1);
  const Command* chosen = nullptr;
  for (const Command& command : commands) add(program, command, chosen);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return program.exit(e);  // --help and --version
  } catch (const CLI::ParseError& e) {
    const std::vector<std::string> unknown = program.remaining(true);
    if (!unknown.empty()) {
      std::cerr << unknown_word(program, unknown.front()) << '\n';
    } else {
      std::string place = "matprec";
      for (const CLI::App* command : program.get_subcommands()) place += " " + command->get_name();
      std::cerr << place << ": " << e.what() << "; see " << place << " --help\n";
    }
    return kBadInput;
  }
  const int code = chosen->run();
  std::cout.flush();
  if (!std::cout) throw Error("matprec: the output cannot be written");
  return code;
}

}  // namespace matprec::cli
