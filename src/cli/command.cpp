#include "src/cli/command.h"

#include <memory>

#include "src/cli/exit_code.h"

namespace matprec::cli {

Command report_command(const std::string& name, const std::string& description,
                       void (*print_text)(), void (*print_json)()) {
  const auto json = std::make_shared<bool>(false);
  return {name,
          description,
          {{"--json", json.get(), "Print JSON"}},
          [json, print_text, print_json] {
            *json ? print_json() : print_text();
            return kSuccess;
          }};
}

}  // namespace matprec::cli
