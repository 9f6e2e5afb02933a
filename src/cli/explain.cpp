// `matprec explain`: what a product would run, who chose it, how, and with which error.
#include <charconv>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "matprec/matprec.h"
#include "src/cli/command.h"
#include "src/cli/element_value.h"
#include "src/cli/exit_code.h"
#include "src/cli/number_text.h"
#include "src/cli/operand.h"

namespace matprec::cli {
namespace {

struct Options {
  std::vector<std::string> operands;
  std::string precision, lhs = "float32", rhs = "float32";
  std::int64_t batch = 1;
  bool bf16 = false, json = false;
};

ElementType parse_type(const std::string& name, const std::string& option) {
  const std::optional<ElementType> type = element_type_named(name, true);
  if (!type) {
    std::string known;
    for (std::size_t i = 0; i < kElementTypeCount; ++i) {
      known += (i == 0 ? "" : ", ") + std::string(to_string(static_cast<ElementType>(i)));
    }
    throw Error("matprec explain: " + option + " \"" + name + "\" is no element type; known: " + known);
  }
  return *type;
}

std::optional<std::int64_t> parse_size(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

Explanation explanation_of(const Options& options) {
  const PrecisionRequest request = options.precision.empty()
                                       ? PrecisionRequest()
                                       : parse_precision(options.precision, "--precision");
  const std::string expected =
      "matprec explain: expected three sizes M N K (0 or more) or two files A.npy B.npy";
  if (options.operands.size() == 2) {
    if (parse_size(options.operands[0]) && parse_size(options.operands[1])) {
      throw Error(expected + "; got two sizes");
    }
    const Operand lhs = read_operand(options.operands[0], options.bf16);
    const Operand rhs = read_operand(options.operands[1], options.bf16);
    return explain(lhs.view, rhs.view, DotOptions{.precision = request});
  }
  ProductShape shape{.batch = options.batch};
  if (options.operands.size() == 3) {
    const std::optional<std::int64_t> m = parse_size(options.operands[0]);
    const std::optional<std::int64_t> n = parse_size(options.operands[1]);
    const std::optional<std::int64_t> k = parse_size(options.operands[2]);
    if (m && n && k && options.batch >= 0) {
      shape.m = *m;
      shape.n = *n;
      shape.k = *k;
      return explain(request, parse_type(options.lhs, "--lhs"), parse_type(options.rhs, "--rhs"),
                     shape);
    }
  }
  throw Error(expected);
}

void print_text(const Explanation& e) { std::cout << to_string(e) << '\n'; }

void print_json(const Explanation& e) {
  const nlohmann::json result = {{"text", to_string(e)},
                                 {"algorithm", to_string(e.resolution.algorithm)},
                                 {"source", to_string(e.resolution.source)},
                                 {"request", to_string(e.resolution.request)},
                                 {"lhs_type", to_string(e.lhs_type)},
                                 {"rhs_type", to_string(e.rhs_type)},
                                 {"out_type", to_string(e.out_type)},
                                 {"m", e.shape.m},
                                 {"n", e.shape.n},
                                 {"k", e.shape.k},
                                 {"batch", e.shape.batch},
                                 {"target", e.target},
                                 {"path", e.path},
                                 {"threads", e.threads},
                                 {"fmas", e.fmas},
                                 {"error_factor", json_number(e.error_factor)},
                                 {"reached_by_defaults", e.reached},
                                 {"levels",
                                  {{"fastest", to_string(e.levels[0])},
                                   {"high", to_string(e.levels[1])},
                                   {"highest", to_string(e.levels[2])}}}};
  std::cout << json_text(result) << '\n';
}

}  // namespace

Command explain_command() {
  const auto options = std::make_shared<Options>();
  return {"explain",
          "What a product would run, who chose it, how fast and how exact",
          {{"operands", &options->operands, "M N K, or A.npy B.npy", ""},
           {"--precision", &options->precision, "What the call would ask for (any name)"},
           {"--lhs", &options->lhs, "Element type of the left operand [float32]"},
           {"--rhs", &options->rhs, "Element type of the right operand [float32]"},
           {"--batch", &options->batch, "Number of products [1]"},
           {"--bf16", &options->bf16, "Read '<u2' files as bfloat16"},
           {"--json", &options->json, "Print JSON"}},
          [options] {
            const Explanation explanation = explanation_of(*options);
            options->json ? print_json(explanation) : print_text(explanation);
            return kSuccess;
          }};
}

}  // namespace matprec::cli
