// Who decides: the one function that dispatch, trace, explain and the CLI read.
#include <array>
#include <cstddef>
#include <string>

#include "matprec/error.h"
#include "matprec/policy.h"
#include "src/environment.h"
#include "src/error_text.h"
#include "src/policy/choice.h"
#include "src/policy/meaning.h"
#include "src/policy/process_default.h"
#include "src/policy/scope.h"

namespace matprec {
namespace {

constexpr std::array<std::string_view, 7> kSourceNames = {
    "forced", "argument", "operands", "scope", "process", "environment", "built-in"};

// Inline as far as the comparison: every product comes through here.
void check_operand(ElementType type) {
  if (!is_element_type(type)) check_enumerator("resolve", type);
}

// `text` about two operand types.
Error operand_error(std::string text, ElementType lhs, ElementType rhs, std::string_view advice) {
  text += " " + std::string(to_string(lhs)) + " and " + std::string(to_string(rhs)) + "; ";
  return Error(text + std::string(advice));
}

DotAlgorithm by_operands(ElementType lhs, ElementType rhs) {
  if (is_integer(lhs) && is_integer(rhs)) return DotAlgorithm::kInteger;
  if (is_integer(lhs) || is_integer(rhs)) throw integer_with_float(lhs, rhs);
  if (real_type(lhs) == ElementType::kF64 || real_type(rhs) == ElementType::kF64) {
    return DotAlgorithm::kF64_F64_F64;
  }
  if (is_float8(lhs) && is_float8(rhs)) return DotAlgorithm::kANY_F8_ANY_F8_F32;
  if (lhs == rhs && lhs == ElementType::kBF16) return DotAlgorithm::kBF16_BF16_F32;
  if (lhs == rhs && lhs == ElementType::kF16) return DotAlgorithm::kF16_F16_F32;
  return DotAlgorithm::kF32_F32_F32;
}

// What lies further out than the argument, for a product that defaults reach.
Resolution by_defaults(const Environment& e) {
  const Choice* const scope = scope_choice();
  if (scope != nullptr && !scope->request.is_default()) {
    return {meaning_of(scope->request, e), Source::kScope, scope->request, scope->where};
  }
  if (const Choice* const process = process_choice()) {
    return {meaning_of(process->request, e), Source::kProcess, process->request, process->where};
  }
  if (e.default_precision) {
    return {meaning_of(*e.default_precision, e), Source::kEnvironment, *e.default_precision, {}};
  }
  return {DotAlgorithm::kF32_F32_F32, Source::kBuiltIn, {}, {}};
}

// The more precise of a pair's sides, a default side being what lies further out. Of equals the
// first level named, so that swapping the operands changes nothing.
DotAlgorithm by_pair(const Environment& e, const PrecisionRequest& pair) {
  const Precision lhs = pair.lhs_level();
  const Precision rhs = pair.rhs_level();
  const bool lhs_is_default = lhs == Precision::kDefault;
  const DotAlgorithm named = meaning_of(lhs_is_default ? rhs : lhs, e);
  const DotAlgorithm other =
      lhs_is_default || rhs == Precision::kDefault ? by_defaults(e).algorithm : meaning_of(rhs, e);
  return info(other).rank > info(named).rank ? other : named;
}

std::string chosen_by(const Resolution& resolution) {
  switch (resolution.source) {
    case Source::kForced:
      return "chosen by MATPREC_FORCE_PRECISION";
    case Source::kArgument:
      return "chosen by the call's argument";
    case Source::kOperands:
      return "chosen by the operand types";
    case Source::kScope:
      return "chosen by the scope" + at_location(resolution.location);
    case Source::kProcess:
      return "chosen by set_default_precision()" + at_location(resolution.location);
    case Source::kEnvironment:
      return "chosen by MATPREC_DEFAULT_PRECISION";
    case Source::kBuiltIn:
      return "built in, as nobody chose";
  }
  return "chosen by nobody known";
}

}  // namespace

std::string_view to_string(Source source) {
  const auto i = static_cast<std::size_t>(source);
  if (i >= kSourceNames.size()) {
    throw Error("to_string: Source(" + std::to_string(i) + ") is no enumerator; expected one of " +
                joined(kSourceNames));
  }
  return kSourceNames[i];
}

namespace {

Resolution resolve_any(const PrecisionRequest& argument, ElementType lhs, ElementType rhs) {
  const Environment& e = environment();
  if (!is_sound(argument)) check_sound(argument, "precision");
  check_operand(lhs);
  check_operand(rhs);
  if (!reached_by_defaults(lhs, rhs)) {
    const DotAlgorithm natural = by_operands(lhs, rhs);
    if (!argument.names_algorithm()) return {natural, Source::kOperands, {}, {}};
    if (natural == DotAlgorithm::kInteger) {
      throw operand_error(std::string(to_string(argument.algorithm())) + " is named for", lhs, rhs,
                          "integers are multiplied exactly: name no algorithm, or convert them");
    }
    return {argument.algorithm(), Source::kArgument, argument, {}};
  }
  if (e.forced) return {meaning_of(*e.forced, e), Source::kForced, *e.forced, {}};
  if (argument.is_default()) return by_defaults(e);
  const DotAlgorithm algorithm =
      argument.is_pair() ? by_pair(e, argument) : meaning_of(argument, e);
  return {algorithm, Source::kArgument, argument, {}};
}

}  // namespace

Resolution resolve(const PrecisionRequest& argument, ElementType lhs, ElementType rhs) {
  const Resolution resolution = resolve_any(argument, lhs, rhs);
  if (!accepts(resolution.algorithm, lhs, rhs)) {  // of integers an algorithm was refused above
    throw operand_error(to_string(resolution) + ", takes 8-bit floats only, but the operands are",
                        lhs, rhs, "convert them, or name an algorithm that rounds its operands");
  }
  return resolution;
}

Resolution effective(ElementType lhs, ElementType rhs) { return resolve({}, lhs, rhs); }

std::string to_string(const Resolution& resolution) {
  std::string text(to_string(resolution.algorithm));
  text += ", " + chosen_by(resolution);
  // A level is worth showing: the algorithm alone does not tell what was asked for.
  if (!resolution.request.is_default() && !resolution.request.names_algorithm()) {
    text += " (" + std::string(resolution.request.is_pair() ? "pair " : "level ") +
            to_string(resolution.request) + ")";
  }
  return text;
}

}  // namespace matprec
