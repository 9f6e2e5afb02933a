// `matprec list`: the algorithm table and what levels mean.
#include <iostream>
#include <string>

#include "matprec/matprec.h"
#include "src/cli/command.h"
#include "src/cli/number_text.h"
#include "src/cli/table.h"
#include "src/io/json.h"

namespace matprec::cli {
namespace {

constexpr Platform kPlatforms[] = {Platform::kNative, Platform::kTpu, Platform::kGpu,
                                   Platform::kCpu};
constexpr Precision kLevels[] = {Precision::kFastest, Precision::kHigh, Precision::kHighest};

std::string error_text(const AlgorithmInfo& row) {
  std::string text;
  for (const int exponent : row.error_exponents) {
    if (exponent == 0) continue;
    text += (text.empty() ? "2^" : " + 2^") + std::to_string(exponent);
  }
  return text.empty() ? "0" : text;
}

std::string alias_text(const AlgorithmInfo& row) {
  std::string text;
  for (const std::string_view alias : row.aliases) {
    if (!alias.empty()) text += (text.empty() ? "" : ", ") + std::string(alias);
  }
  return text;
}

void print_text() {
  using Align = Table::Align;
  Table algorithms({{"algorithm", Align::kLeft},
                    {"short", Align::kLeft},
                    {"operands", Align::kLeft},
                    {"sums", Align::kLeft},
                    {"parts"},
                    {"FMAs"},
                    {"error of a product", Align::kLeft},
                    {"rank"},
                    {"also", Align::kLeft}});  // last: it can be long
  for (const AlgorithmInfo& row : kAlgorithms) {
    algorithms.add_row({std::string(row.name), std::string(row.short_name),
                        std::string(to_string(row.operand)),
                        std::string(to_string(row.accumulation)), std::to_string(row.parts),
                        std::to_string(row.fmas), error_text(row), std::to_string(row.rank),
                        alias_text(row)});
  }
  std::cout
      << algorithms.text()
      << "\nparts: what an operand is split into; FMAs: per element and step; error: relative, "
         "in the normal range;\nrank: order of precision.\n\n";
  Table levels({{"platform", Align::kLeft},
                {"fastest", Align::kLeft},
                {"high", Align::kLeft},
                {"highest", Align::kLeft}});
  for (const Platform platform : kPlatforms) {
    std::vector<std::string> cells = {std::string(to_string(platform))};
    for (const Precision level : kLevels) {
      cells.emplace_back(to_string(algorithm_of(level, platform)));
    }
    levels.add_row(cells);
  }
  std::cout << levels.text();
}

void print_json() {
  io::Json algorithms = io::Json::array();
  for (const AlgorithmInfo& row : kAlgorithms) {
    io::Json aliases = io::Json::array();
    for (const std::string_view alias : row.aliases) {
      if (!alias.empty()) aliases.push_back(alias);
    }
    const DotAlgorithmFields fields = to_fields(row.algorithm);
    algorithms.push_back({{"name", row.name},
                          {"short_name", row.short_name},
                          {"aliases", aliases},
                          {"lhs_precision_type", to_string(fields.lhs_precision_type)},
                          {"rhs_precision_type", to_string(fields.rhs_precision_type)},
                          {"accumulation_type", to_string(fields.accumulation_type)},
                          {"lhs_component_count", fields.lhs_component_count},
                          {"rhs_component_count", fields.rhs_component_count},
                          {"num_primitive_operations", fields.num_primitive_operations},
                          {"allow_imprecise_accumulation", fields.allow_imprecise_accumulation},
                          {"parts", row.parts},
                          {"fmas", row.fmas},
                          {"error", error_text(row)},
                          {"rank", row.rank}});
  }
  io::Json platforms;
  for (const Platform platform : kPlatforms) {
    for (const Precision level : kLevels) {
      platforms[std::string(to_string(platform))][std::string(to_string(level))] =
          to_string(algorithm_of(level, platform));
    }
  }
  const io::Json result = {{"algorithms", algorithms}, {"platforms", platforms}};
  std::cout << json_text(result) << '\n';
}

}  // namespace

Command list_command() {
  return report_command("list", "Every algorithm and level: names, cost, error", print_text, print_json);
}

}  // namespace matprec::cli
