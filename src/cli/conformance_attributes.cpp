#include "src/cli/conformance_attributes.h"

#include <utility>

#include "matprec/error.h"
#include "src/cli/element_value.h"

namespace matprec::cli {
namespace {

using io::Json;

const Json& attribute(const ManifestCase& test, const char* key) {
  static const Json null;
  const auto found = test.attributes.find(key);
  return found == nullptr ? null : *found;
}

io::FileError malformed(const ManifestCase& test, const char* key) {
  return io::FileError("case " + test.name, std::string("attribute \"") + key + "\" is " +
                                                attribute(test, key).dump() +
                                                ", which is none of the forms it may have");
}

// JAX's names of its levels.
Precision level_of(const Json& name, const ManifestCase& test) {
  if (name == "default") return Precision::kFastest;
  if (name == "high") return Precision::kHigh;
  if (name == "highest") return Precision::kHighest;
  throw malformed(test, "precision");
}

PrecisionType precision_type_of(const Json& algorithm, const char* key) {
  constexpr std::pair<const char*, PrecisionType> kNames[] = {{"bf16", PrecisionType::kBF16},
                                                              {"tf32", PrecisionType::kTF32},
                                                              {"f16", PrecisionType::kF16},
                                                              {"f32", PrecisionType::kF32},
                                                              {"f64", PrecisionType::kF64},
                                                              {"f8E4M3FN", PrecisionType::kF8},
                                                              {"f8E5M2", PrecisionType::kF8},
                                                              {"f8E4M3FNUZ", PrecisionType::kF8},
                                                              {"f8E5M2FNUZ", PrecisionType::kF8}};
  const std::string name = algorithm.value_or(key, "");
  for (const auto& [known, type] : kNames) {
    if (name == known || name == to_string(type)) return type;
  }
  throw Error("DotAlgorithm: " + std::string(key) + " \"" + name +
              "\" is no precision; expected bf16, tf32, f16, f32, f64 or one of f8");
}

}  // namespace

DotAlgorithmFields fields_of(const Json& algorithm) {
  DotAlgorithmFields fields;
  fields.lhs_precision_type = precision_type_of(algorithm, "lhs_precision_type");
  fields.rhs_precision_type = precision_type_of(algorithm, "rhs_precision_type");
  fields.accumulation_type = precision_type_of(algorithm, "accumulation_type");
  fields.lhs_component_count = algorithm.value_or("lhs_component_count", std::int64_t{1});
  fields.rhs_component_count = algorithm.value_or("rhs_component_count", std::int64_t{1});
  fields.num_primitive_operations = algorithm.value_or("num_primitive_operations", std::int64_t{1});
  fields.allow_imprecise_accumulation = algorithm.value_or("allow_imprecise_accumulation", false);
  return fields;
}

PrecisionRequest request_of(const ManifestCase& test) {
  const Json& algorithm = attribute(test, "algorithm");
  if (algorithm.is_text()) return parse_precision(algorithm.text(), "algorithm");
  if (algorithm.is_object()) return fields_of(algorithm);
  if (!algorithm.is_null()) throw malformed(test, "algorithm");
  const Json& precision = attribute(test, "precision");
  if (precision.is_null()) return {};
  if (precision.is_text()) return level_of(precision, test);
  if (precision.is_array() && precision.size() == 1) return level_of(precision[0], test);
  if (precision.is_array() && precision.size() == 2) {
    return {level_of(precision[0], test), level_of(precision[1], test)};
  }
  throw malformed(test, "precision");
}

TransposePrecision transpose_of(const ManifestCase& test) {
  const Json& algorithm = attribute(test, "transpose_algorithm");
  const auto request = [&](const Json& name) -> PrecisionRequest {
    if (name.is_null()) return {};
    if (!name.is_text()) throw malformed(test, "transpose_algorithm");
    return parse_precision(name.text(), "transpose_algorithm");
  };
  if (!algorithm.is_array()) return request(algorithm);
  if (algorithm.size() != 2) throw malformed(test, "transpose_algorithm");
  return {request(algorithm[0]), request(algorithm[1])};
}

DotDimensionNumbers dimension_numbers_of(const ManifestCase& test) {
  const Json& numbers = attribute(test, "dimension_numbers");
  if (!numbers.is_object()) throw malformed(test, "dimension_numbers");
  const auto list = [&](const char* key) {
    if (!numbers.contains(key)) throw malformed(test, "dimension_numbers");
    return manifest_dims(numbers[key], "case " + test.name + ": " + key);
  };
  return {list("lhs_contracting"), list("rhs_contracting"), list("lhs_batch"), list("rhs_batch")};
}

std::optional<ElementType> element_type_of(const ManifestCase& test, const char* key) {
  const Json& name = attribute(test, key);
  if (name.is_null()) return std::nullopt;
  const std::optional<ElementType> type =
      name.is_text() ? element_type_named(name.text(), false) : std::nullopt;
  if (!type) throw malformed(test, key);
  return type;
}

}  // namespace matprec::cli
