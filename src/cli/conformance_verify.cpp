// dot_general_verify: attribute sets that must be accepted or refused, without arrays.
#include <cstddef>

#include "matprec/dot_general.h"
#include "matprec/error.h"
#include "src/cli/conformance_attributes.h"
#include "src/cli/conformance_case.h"
#include "src/cli/element_value.h"

namespace matprec::cli {
namespace {

constexpr std::int64_t kUnknown = -1;
constexpr std::int64_t kAnySize = 2;  // what an unknown size becomes where nothing else is said

struct Operand {
  Dims shape;
  ElementType type;
};

Operand operand_of(const ManifestCase& test, const char* name) {
  const auto found = test.attributes.find(name);
  if (found == nullptr || !found->is_object() || !found->contains("dims") ||
      !(*found)["dims"].is_array()) {
    throw io::FileError("case " + test.name, std::string("\"") + name + "\" has no list \"dims\"");
  }
  Operand operand{{}, *element_type_named(found->value_or("element", ""), true)};
  for (const auto& size : (*found)["dims"]) {
    operand.shape.push_back(size.is_integer() ? size.integer() : kUnknown);
  }
  return operand;
}

// Paired sizes of which one is known become equal.
void unify(Dims& lhs, Dims& rhs, const Dims& lhs_dims, const Dims& rhs_dims) {
  for (std::size_t i = 0; i < lhs_dims.size() && i < rhs_dims.size(); ++i) {
    const std::int64_t l = lhs_dims[i], r = rhs_dims[i];
    if (l < 0 || r < 0 || l >= static_cast<std::int64_t>(lhs.size()) ||
        r >= static_cast<std::int64_t>(rhs.size())) {
      continue;  // for the library to refuse
    }
    std::int64_t& lhs_size = lhs[static_cast<std::size_t>(l)];
    std::int64_t& rhs_size = rhs[static_cast<std::size_t>(r)];
    if (lhs_size == kUnknown) lhs_size = rhs_size;
    if (rhs_size == kUnknown) rhs_size = lhs_size;
  }
}

void fill_unknown(Dims& shape) {
  for (std::int64_t& size : shape) {
    if (size == kUnknown) size = kAnySize;
  }
}

// The library's answer: nothing if it accepts, else its error text.
std::optional<std::string> refusal(const ManifestCase& test) {
  Operand lhs = operand_of(test, "lhs"), rhs = operand_of(test, "rhs");
  const Operand result = operand_of(test, "result");
  const DotDimensionNumbers numbers = dimension_numbers_of(test);
  unify(lhs.shape, rhs.shape, numbers.lhs_contracting, numbers.rhs_contracting);
  unify(lhs.shape, rhs.shape, numbers.lhs_batch, numbers.rhs_batch);
  fill_unknown(lhs.shape);
  fill_unknown(rhs.shape);
  try {
    const Tensor out =
        dot_general(Tensor(lhs.type, lhs.shape), Tensor(rhs.type, rhs.shape), numbers,
                    {.precision = request_of(test), .preferred_element_type = result.type});
    bool same = out.rank() == result.shape.size();
    for (std::size_t d = 0; same && d < out.rank(); ++d) {
      // Sizes that the operands leave open cannot contradict the result.
      same = result.shape[d] == kUnknown || result.shape[d] == out.shape()[d];
    }
    if (!same) return "the result has shape " + to_string(out.shape());
    return std::nullopt;
  } catch (const io::FileError&) {
    throw;
  } catch (const Error& e) {
    return e.what();
  }
}

}  // namespace

std::optional<std::string> verify_violation(const ManifestCase& test) {
  const auto accept = test.attributes.find("accept");
  if (accept == nullptr || !accept->is_boolean()) {
    throw io::FileError("case " + test.name, "\"accept\" is no boolean");
  }
  const std::optional<std::string> refused = refusal(test);
  if (accept->boolean() && refused) return "must be accepted, but: " + *refused;
  if (!accept->boolean() && !refused) return "must be refused, but was accepted";
  return std::nullopt;
}

}  // namespace matprec::cli
