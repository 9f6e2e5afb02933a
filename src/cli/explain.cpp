// `matprec explain`: what a product would run, who chose it, how, and with which error.
#include <charconv>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "matprec/matprec.h"
#include "src/cli/command.h"
#include "src/cli/element_value.h"
#include "src/cli/exit_code.h"
#include "src/cli/number_text.h"
#include "src/cli/operand.h"
#include "src/io/json.h"

namespace matprec::cli {
namespace {

struct Options {
  std::vector<std::string> operands;
  std::optional<std::string> precision, lhs, rhs, batch;
  bool bf16 = false, json = false;
};

ElementType parse_type(const std::optional<std::string>& name, const std::string& option) {
  if (!name) return ElementType::kF32;
  const std::optional<ElementType> type = element_type_named(*name, true);
  if (!type) {
    std::string known;
    for (std::size_t i = 0; i < kElementTypeCount; ++i) {
      known += (i == 0 ? "" : ", ") + std::string(to_string(static_cast<ElementType>(i)));
    }
    throw Error("matprec explain: " + option + " \"" + *name + "\" is no element type; known: " + known);
  }
  return *type;
}

std::optional<std::int64_t> size_of_text(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::int64_t parse_size(const std::string& text, const std::string& name) {
  if (const std::optional<std::int64_t> size = size_of_text(text)) return *size;
  throw Error("matprec explain: " + name + " is \"" + text +
              "\"; expected a whole number from 0 to 2^63-1");
}

Explanation explanation_of_files(const Options& options, const PrecisionRequest& request) {
  if (options.lhs || options.rhs || options.batch) {
    throw Error("matprec explain: --lhs, --rhs and --batch go with sizes; files say theirs themselves");
  }
  const Operand lhs = read_operand(options.operands[0], options.bf16);
  const Operand rhs = read_operand(options.operands[1], options.bf16);
  return explain(lhs.view, rhs.view, DotOptions{.precision = request});
}

Explanation explanation_of(const Options& options) {
  const std::vector<std::string>& operands = options.operands;
  const PrecisionRequest request =
      options.precision ? parse_precision(*options.precision, "--precision") : PrecisionRequest();
  const bool two_sizes =
      operands.size() == 2 && size_of_text(operands[0]) && size_of_text(operands[1]);
  if (operands.size() == 2 && !two_sizes) return explanation_of_files(options, request);
  if (operands.size() != 3) {
    throw Error(
        "matprec explain: expected three sizes M N K or two files A.npy B.npy, got " +
        (two_sizes ? "two sizes"
                   : counted(static_cast<std::int64_t>(operands.size()), "operand", "operands")));
  }
  if (options.bf16) throw Error("matprec explain: --bf16 is for files; with sizes say --lhs bfloat16");
  const ProductShape shape{.m = parse_size(operands[0], "M"),
                           .n = parse_size(operands[1], "N"),
                           .k = parse_size(operands[2], "K"),
                           .batch = options.batch ? parse_size(*options.batch, "--batch") : 1};
  return explain(request, parse_type(options.lhs, "--lhs"), parse_type(options.rhs, "--rhs"), shape);
}

void print_text(const Explanation& e) { std::cout << to_string(e) << '\n'; }

void print_json(const Explanation& e) {
  const io::Json result = {{"text", to_string(e)},
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
           {"--batch", &options->batch, "Number of products [1]", "N"},
           {"--bf16", &options->bf16, "Read '<u2' files as bfloat16"},
           {"--json", &options->json, "Print JSON"}},
          [options] {
            const Explanation explanation = explanation_of(*options);
            options->json ? print_json(explanation) : print_text(explanation);
            return kSuccess;
          }};
}

}  // namespace matprec::cli
