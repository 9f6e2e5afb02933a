// Rows of the table to and from StableHLO's DotAlgorithm fields.
#include <cstddef>
#include <limits>

#include "matprec/dot_algorithm.h"
#include "matprec/error.h"

namespace matprec {
namespace {

// The form of StableHLO's text, which counts the components.
DotAlgorithmFields stablehlo_fields(DotAlgorithm algorithm) {
  DotAlgorithmFields fields = to_fields(algorithm);
  fields.lhs_component_count = info(algorithm).parts;
  fields.rhs_component_count = info(algorithm).parts;
  return fields;
}

// How much a caller would have to change; a type weighs more than any count, so that the row shown
// is one of the types meant.
std::int64_t distance(const DotAlgorithmFields& a, const DotAlgorithmFields& b) {
  constexpr std::int64_t kType = 1000;
  constexpr std::int64_t kMostCount = 100;
  const auto type = [](PrecisionType x, PrecisionType y) { return x == y ? 0 : kType; };
  const auto count = [](std::int64_t x, std::int64_t y) {
    if (x == y) return std::int64_t{0};
    if (x < 0 || x > kMostCount) return kMostCount;  // y is a row's, hence small
    return x < y ? y - x : x - y;
  };
  return type(a.lhs_precision_type, b.lhs_precision_type) +
         type(a.rhs_precision_type, b.rhs_precision_type) +
         type(a.accumulation_type, b.accumulation_type) +
         count(a.lhs_component_count, b.lhs_component_count) +
         count(a.rhs_component_count, b.rhs_component_count) +
         count(a.num_primitive_operations, b.num_primitive_operations) +
         (a.allow_imprecise_accumulation == b.allow_imprecise_accumulation ? 0 : 1);
}

std::string type_text(PrecisionType type) {
  if (type <= PrecisionType::kS32) return std::string(to_string(type));
  return "PrecisionType(" + std::to_string(static_cast<int>(type)) + ")";
}

}  // namespace

DotAlgorithmFields to_fields(DotAlgorithm algorithm) {
  if (static_cast<std::size_t>(algorithm) >= kAlgorithms.size()) {
    throw Error("to_fields: DotAlgorithm(" + std::to_string(static_cast<int>(algorithm)) +
                ") is no enumerator; expected DotAlgorithm(0) to DotAlgorithm(" +
                std::to_string(kAlgorithms.size() - 1) + ")");
  }
  const AlgorithmInfo& row = info(algorithm);
  return {.lhs_precision_type = row.operand,
          .rhs_precision_type = row.operand,
          .accumulation_type = row.accumulation,
          .lhs_component_count = 1,
          .rhs_component_count = 1,
          .num_primitive_operations = row.operations,
          .allow_imprecise_accumulation = false};
}

DotAlgorithm from_fields(const DotAlgorithmFields& fields) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  DotAlgorithm nearest = DotAlgorithm::kF32_F32_F32;
  DotAlgorithmFields nearest_fields;
  for (const AlgorithmInfo& row : kAlgorithms) {
    for (const DotAlgorithmFields& form :
         {to_fields(row.algorithm), stablehlo_fields(row.algorithm)}) {
      if (form == fields) return row.algorithm;
      // The published presets of 8-bit floats come with fast accumulation and without; both are the row.
      DotAlgorithmFields fast = form;
      fast.allow_imprecise_accumulation = true;
      if (row.operand == PrecisionType::kF8 && fast == fields) return row.algorithm;
      const std::int64_t d = distance(fields, form);
      if (d < least) {
        least = d;
        nearest = row.algorithm;
        nearest_fields = form;
      }
    }
  }
  throw Error("DotAlgorithmFields: no algorithm has " + to_string(fields) +
              "; nearest: " + std::string(to_string(nearest)) + " " + to_string(nearest_fields));
}

std::string to_string(const DotAlgorithmFields& fields) {
  return "{lhs_precision_type=" + type_text(fields.lhs_precision_type) +
         ", rhs_precision_type=" + type_text(fields.rhs_precision_type) +
         ", accumulation_type=" + type_text(fields.accumulation_type) +
         ", lhs_component_count=" + std::to_string(fields.lhs_component_count) +
         ", rhs_component_count=" + std::to_string(fields.rhs_component_count) +
         ", num_primitive_operations=" + std::to_string(fields.num_primitive_operations) +
         ", allow_imprecise_accumulation=" +
         (fields.allow_imprecise_accumulation ? "true}" : "false}");
}

}  // namespace matprec
