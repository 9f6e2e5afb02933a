// `matprec tensors`: what .safetensors files hold, by the names that `compare` takes.
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/command.h"
#include "src/cli/exit_code.h"
#include "src/cli/number_text.h"
#include "src/cli/table.h"
#include "src/io/file_error.h"
#include "src/io/json.h"
#include "src/io/safetensors.h"

namespace matprec::cli {
namespace {

// Whether the character of UTF-8 that begins here steers a terminal instead of showing a letter:
// U+0000 to U+001F, U+007F to U+009F, U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF.
bool steers(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto last_in = [&](std::size_t i, unsigned from, unsigned to) {
    return at(i) >= from && at(i) <= to;
  };
  switch (at(0)) {
    case 0xC2:
      return last_in(1, 0x80, 0x9F);
    case 0xE2:
      return (at(1) == 0x80 && (last_in(2, 0x8B, 0x8F) || last_in(2, 0xA8, 0xAE))) ||
             (at(1) == 0x81 && last_in(2, 0xA0, 0xAF));
    case 0xEF:
      return at(1) == 0xBB && at(2) == 0xBF;
    default:
      return at(0) < ' ' || at(0) == 127;
  }
}

// As it is, which is what can be typed, unless it would steer the terminal.
std::string shown(const std::string& name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (steers(std::string_view(name).substr(i))) return io::quoted_tensor_name(name);
  }
  return name;
}

io::SafetensorsFile opened(const std::string& path) {
  if (!path.ends_with(".safetensors")) {
    throw io::FileError(path, "is no name of a .safetensors file, which ends so");
  }
  return io::SafetensorsFile(path);
}

void print_text(const std::vector<std::string>& files) {
  using Align = Table::Align;
  Table table({{"operand", Align::kLeft}, {"type", Align::kLeft}, {"shape", Align::kLeft}});
  for (const std::string& path : files) {
    const io::SafetensorsFile file = opened(path);
    for (const io::SafetensorsEntry& entry : file.entries()) {
      table.add_row({path + ":" + shown(entry.name), shown(entry.dtype), to_string(entry.shape)});
    }
  }
  std::cout << table.text();
}

void print_json(const std::vector<std::string>& files) {
  io::Json result = io::Json::array();
  for (const std::string& path : files) {
    const io::SafetensorsFile file = opened(path);
    io::Json tensors = io::Json::array();
    for (const io::SafetensorsEntry& entry : file.entries()) {
      tensors.push_back(
          {{"name", entry.name}, {"type", entry.dtype}, {"shape", json_dims(entry.shape)}});
    }
    result.push_back({{"file", path}, {"tensors", tensors}});
  }
  std::cout << json_text({{"files", result}}) << '\n';
}

}  // namespace

Command tensors_command() {
  struct Options {
    std::vector<std::string> files;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  return {"tensors",
          "What .safetensors files hold: names as compare takes them, types, shapes",
          {{"files", &options->files, "FILE.safetensors [more]", "", true},
           {"--json", &options->json, "Print JSON"}},
          [options] {
            options->json ? print_json(options->files) : print_text(options->files);
            return kSuccess;
          }};
}

}  // namespace matprec::cli
