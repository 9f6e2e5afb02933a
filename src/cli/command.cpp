#include "src/cli/command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "src/cli/exit_code.h"

namespace matprec::cli {

void add_report(CLI::App& program, Action& action, const std::string& name,
                const std::string& description, void (*print_text)(), void (*print_json)()) {
  CLI::App* command = program.add_subcommand(name, description);
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([&action, json, print_text, print_json] {
    action = [json, print_text, print_json] {
      *json ? print_json() : print_text();
      return kSuccess;
    };
  });
}

}  // namespace matprec::cli
