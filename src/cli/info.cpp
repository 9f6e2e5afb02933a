// `matprec info`: what this machine and this environment give.
#include <cstdint>
#include <iostream>
#include <string>

#include "matprec/matprec.h"
#include "src/cli/command.h"
#include "src/cli/number_text.h"
#include "src/cli/table.h"
#include "src/io/json.h"

namespace matprec::cli {
namespace {

std::string version() {
  return std::to_string(MATPREC_VERSION_MAJOR) + "." + std::to_string(MATPREC_VERSION_MINOR) + "." +
         std::to_string(MATPREC_VERSION_PATCH);
}

std::int64_t in_mib(std::int64_t bytes) { return (bytes + (1 << 20) - 1) >> 20; }

void print_text() {
  using Align = Table::Align;
  const std::string here =
      to_string(effective());  // an invalid variable is an error before any output
  std::cout << "matprec " << version() << '\n'
            << "default here: " << here << '\n'
            << "platform:     " << to_string(platform()) << '\n'
            << "threads:      at most " << num_threads()
            << " a product, from a pool that starts with the first large product\n"
            << "memory:       at most " << in_mib(memory_limit(num_threads()))
            << " MiB extra a product; threads keep " << in_mib(memory_kept()) << " MiB now\n"
            << "target:       " << current_target() << "\n\n";
  Table all_targets({{"target", Align::kLeft},
                     {"usable", Align::kLeft},
                     {"FMA", Align::kLeft},
                     {"float lanes"},
                     {"", Align::kLeft}});
  for (const TargetInfo& target : targets()) {
    all_targets.add_row({std::string(target.name), target.usable ? "yes" : "no",
                         target.fma ? "hardware" : "software", std::to_string(target.float_lanes),
                         target.name == current_target() ? "in use" : ""});
  }
  std::cout << all_targets.text() << '\n';
  Table all_variables(
      {{"variable", Align::kLeft}, {"value", Align::kLeft}, {"meaning", Align::kLeft}});
  for (const VariableInfo& variable : variables()) {
    all_variables.add_row({std::string(variable.name), variable.set ? variable.value : "(unset)",
                           std::string(variable.meaning)});
  }
  std::cout << all_variables.text();
}

void print_json() {
  io::Json result = {{"version", version()},
                     {"default",
                      {{"algorithm", to_string(effective().algorithm)},
                       {"source", to_string(effective().source)}}},
                     {"platform", to_string(platform())},
                     {"threads", num_threads()},
                     {"memory", {{"limit", memory_limit(num_threads())}, {"kept", memory_kept()}}},
                     {"target", current_target()},
                     {"targets", io::Json::array()},
                     {"variables", io::Json::array()}};
  for (const TargetInfo& target : targets()) {
    result["targets"].push_back({{"name", target.name},
                                 {"usable", target.usable},
                                 {"fma", target.fma},
                                 {"float_lanes", target.float_lanes}});
  }
  for (const VariableInfo& variable : variables()) {
    result["variables"].push_back({{"name", variable.name},
                                   {"set", variable.set},
                                   {"value", variable.value},
                                   {"meaning", variable.meaning}});
  }
  std::cout << json_text(result) << '\n';
}

}  // namespace

Command info_command() {
  return report_command("info", "Version, SIMD targets, threads, MATPREC_* variables", print_text, print_json);
}

}  // namespace matprec::cli
