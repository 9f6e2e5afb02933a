// The one list of names, and requests to and from text.
#include <array>
#include <cstddef>

#include "matprec/error.h"
#include "matprec/precision.h"
#include "src/error_text.h"
#include "src/policy/choice.h"

namespace matprec {
namespace {

constexpr std::array<Precision, 4> kLevels = {Precision::kDefault, Precision::kFastest,
                                              Precision::kHigh, Precision::kHighest};

// Calls add(name, request) for every accepted name, in the order of precision_names().
template <class Add>
constexpr void for_each_name(Add add) {
  for (const Precision level : kLevels) add(to_string(level), PrecisionRequest(level));
  for (std::size_t i = 0; i < kAlgorithms.size(); ++i) {
    const AlgorithmInfo row =
        kAlgorithms[i];  // a copy: g++ 12 cannot read the table's unnamed "" in place
    add(row.name, PrecisionRequest(row.algorithm));
    add(row.short_name, PrecisionRequest(row.algorithm));
    for (const std::string_view alias : row.aliases) {
      if (!alias.empty()) add(alias, PrecisionRequest(row.algorithm));
    }
  }
}

constexpr std::size_t count_names() {
  std::size_t count = 0;
  for_each_name([&](std::string_view, PrecisionRequest) { ++count; });
  return count;
}

constexpr std::size_t kNameCount = count_names();

struct NameTable {
  std::array<std::string_view, kNameCount> names;
  std::array<PrecisionRequest, kNameCount> requests;
};

constexpr NameTable make_table() {
  NameTable table{};
  std::size_t i = 0;
  for_each_name([&](std::string_view name, PrecisionRequest request) {
    table.names[i] = name;
    table.requests[i] = request;
    ++i;
  });
  return table;
}

constexpr NameTable kTable = make_table();

constexpr bool names_are_unique() {
  for (std::size_t i = 0; i < kTable.names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (kTable.names[i] == kTable.names[j]) return false;
    }
  }
  return true;
}
static_assert(names_are_unique(), "a name must stand for one thing");

std::string shown_number(std::string_view type, int number) {
  return std::string(type) + "(" + std::to_string(number) + ")";
}

}  // namespace

std::span<const std::string_view> precision_names() { return kTable.names; }

PrecisionRequest parse_precision(std::string_view name, std::string_view entrance) {
  for (std::size_t i = 0; i < kTable.names.size(); ++i) {
    if (equal_ignoring_case(kTable.names[i], name)) return kTable.requests[i];
  }
  if (name.empty()) {  // nearest in meaning: nothing is asked for
    throw Error(std::string(entrance) + ": unknown value \"\"; known: " + joined(kTable.names) +
                "; nearest: default");
  }
  throw Error(unknown_value_text(entrance, name, kTable.names));
}

PrecisionRequest::PrecisionRequest(std::string_view name)
    : PrecisionRequest(parse_precision(name)) {}

PrecisionRequest::PrecisionRequest(const DotAlgorithmFields& fields)
    : PrecisionRequest(from_fields(fields)) {}

std::string to_string(const PrecisionRequest& request) {
  check_sound(request, "to_string");
  if (request.names_algorithm()) return std::string(to_string(request.algorithm()));
  const std::string lhs(to_string(request.lhs_level()));
  if (!request.is_pair()) return lhs;
  return "(" + lhs + ", " + std::string(to_string(request.rhs_level())) + ")";
}

void check_sound(const PrecisionRequest& request, std::string_view entrance) {
  if (is_sound(request)) return;
  std::string shown;
  std::string expected;
  if (request.names_algorithm()) {
    if (request.algorithm() == DotAlgorithm::kInteger) {
      throw Error(std::string(entrance) +
                  ": INTEGER is what integer operands run; it cannot be asked for");
    }
    shown = shown_number("DotAlgorithm", static_cast<int>(request.algorithm()));
    expected = "DotAlgorithm(0) to " +
               shown_number("DotAlgorithm", static_cast<int>(kAlgorithms.size()) - 1);
  } else {
    const bool lhs_is_bad = request.lhs_level() > Precision::kHighest;
    shown = shown_number("Precision",
                         static_cast<int>(lhs_is_bad ? request.lhs_level() : request.rhs_level()));
    expected =
        "Precision(0) to " + shown_number("Precision", static_cast<int>(Precision::kHighest));
  }
  throw Error(std::string(entrance) + ": " + shown + " is no enumerator; expected " + expected);
}

void check_single(const PrecisionRequest& request, std::string_view entrance) {
  check_sound(request, entrance);
  if (!request.is_pair()) return;
  throw Error(std::string(entrance) + ": the pair " + to_string(request) +
              " belongs to one call's operands; name one level or one algorithm");
}

}  // namespace matprec
