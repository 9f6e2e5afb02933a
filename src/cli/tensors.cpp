// `matprec tensors`: what .safetensors files hold, by the names that `compare` takes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/cli/command.h"
#include "src/cli/exit_code.h"
#include "src/cli/number_text.h"
#include "src/cli/table.h"
#include "src/io/safetensors.h"

namespace matprec::cli {
namespace {

// As it is, which is what can be typed, unless it would write to the terminal what is no letter.
std::string shown(const std::string& name) {
  const bool plain =
      std::ranges::none_of(name, [](char c) { return (c >= 0 && c < ' ') || c == 127; });
  return plain ? name : io::quoted_tensor_name(name);
}

void print_text(const std::vector<std::string>& files) {
  using Align = Table::Align;
  Table table({{"operand", Align::kLeft}, {"type", Align::kLeft}, {"shape", Align::kLeft}});
  for (const std::string& path : files) {
    const io::SafetensorsFile file(path);
    for (const io::SafetensorsEntry& entry : file.entries()) {
      table.add_row({path + ":" + shown(entry.name), shown(entry.dtype), to_string(entry.shape)});
    }
  }
  std::cout << table.text();
}

void print_json(const std::vector<std::string>& files) {
  nlohmann::json result = nlohmann::json::array();
  for (const std::string& path : files) {
    const io::SafetensorsFile file(path);
    nlohmann::json tensors = nlohmann::json::array();
    for (const io::SafetensorsEntry& entry : file.entries()) {
      tensors.push_back(
          {{"name", entry.name}, {"type", entry.dtype}, {"shape", json_dims(entry.shape)}});
    }
    result.push_back({{"file", path}, {"tensors", tensors}});
  }
  std::cout << json_text({{"files", result}}) << '\n';
}

}  // namespace

void add_tensors(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "tensors", "What .safetensors files hold: names as compare takes them, types, shapes");
  const auto files = std::make_shared<std::vector<std::string>>();
  const auto json = std::make_shared<bool>(false);
  command->add_option("files", *files, "FILE.safetensors [more]")->type_name("")->required();
  command->add_flag("--json", *json, "Print JSON");
  command->callback([&action, files, json] {
    action = [files, json] {
      *json ? print_json(*files) : print_text(*files);
      return kSuccess;
    };
  });
}

}  // namespace matprec::cli
