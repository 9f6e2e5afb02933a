#include "src/cli/conformance_support.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "src/cli/conformance_case.h"
#include "src/cli/element_value.h"

namespace matprec::cli {
namespace {

// Operand roundings and orders of particular vendors' units: rows of their own, not offered.
constexpr std::string_view kVendorRows[] = {"tf32_rna", "tf32_rz", "tf32x3_rna", "bf16x3_xla",
                                            "bf16x6_xla"};

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string text_attribute(const ManifestCase& test, const char* key) {
  const auto found = test.attributes.find(key);
  return found != nullptr && found->is_text() ? found->text() : "";
}

template <class Names>
bool contains(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != std::end(names);
}

std::optional<std::string> element_reason(const std::string& dtype) {
  if (element_type_named(dtype, false)) return std::nullopt;
  return dtype + " elements";
}

std::optional<std::string> algorithm_reason(const ManifestCase& test) {
  if (test.attributes.contains("hardware")) return "hardware models";
  const std::string algorithm = lower_case(text_attribute(test, "algorithm"));
  if (contains(kVendorRows, algorithm) || test.kind.find("vendor") != test.kind.npos) {
    return "vendor rows";
  }
  for (const char* key : {"rounding", "operand_rounding"}) {
    const std::string rounding = text_attribute(test, key);
    if (rounding == "rna") return "vendor rows (rounding rna)";
    if (!rounding.empty() && rounding != "rne" && rounding != "exact")
      return "rounding " + rounding;
  }
  return std::nullopt;
}

// StableHLO's short names of types that are none of matprec's.
std::optional<std::string> verify_reason(const ManifestCase& test) {
  for (const char* operand : {"lhs", "rhs", "result"}) {
    const auto found = test.attributes.find(operand);
    if (found == nullptr || !found->is_object()) continue;
    const std::string element = found->value_or("element", "");
    if (!element_type_named(element, true)) return element + " elements";
  }
  const auto algorithm = test.attributes.find("algorithm");
  if (algorithm == nullptr || !algorithm->is_object()) return std::nullopt;
  for (const char* operand : {"lhs_precision_type", "rhs_precision_type"}) {
    if (algorithm->value_or(operand, "").starts_with("f8")) {
      return "algorithm fp8 for operands that are no 8-bit floats";
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> reason_not_to_run(const ManifestCase& test) {
  if (!is_op(test.op)) return "op " + test.op;
  if (const auto reason = algorithm_reason(test)) return reason;
  if (test.op == "dot_general_verify") return verify_reason(test);
  for (const ManifestArray& input : test.inputs) {
    if (const auto reason = element_reason(input.dtype)) return reason;
  }
  for (const ManifestOutput& output : test.expected) {
    if (output.rule.type == RuleType::kInfo) continue;
    if (const auto reason = element_reason(output.produced_dtype)) return reason;
    if (const auto reason = element_reason(output.array.dtype)) return reason;
  }
  const auto types = test.attributes.find("operand_types");
  if (types != nullptr && types->is_array()) {
    for (const auto& type : *types) {
      if (!type.is_text()) continue;
      if (const auto reason = element_reason(type.text())) return reason;
    }
  }
  return std::nullopt;
}

}  // namespace matprec::cli
