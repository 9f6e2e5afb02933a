// The algorithm table: every way in which matprec can multiply, one row each.
//
//   const mp::AlgorithmInfo& row = mp::info(mp::DotAlgorithm::kBF16_BF16_F32_X3);
//   row.short_name == "bf16x3" && row.fmas == 2
//
// An algorithm is data: a rounding of the operands into parts, a short list of fused multiply-adds per
// step, an accumulation type. Names, parsing, the CLI, docs, tests and kernels iterate over this table.
// The definition of each row, bit by bit, is docs/numerics.md. The names are those of StableHLO's
// DotAlgorithm presets as published by JAX.
#ifndef MATPREC_DOT_ALGORITHM_H_
#define MATPREC_DOT_ALGORITHM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "matprec/export.h"

namespace matprec {

enum class DotAlgorithm : std::uint8_t {
  kBF16_BF16_F32,
  kBF16_BF16_F32_X3,
  kBF16_BF16_F32_X6,
  kBF16_BF16_F32_X9,
  kTF32_TF32_F32,
  kTF32_TF32_F32_X3,
  kF16_F16_F32,
  kANY_F8_ANY_F8_F32,
  kF32_F32_F32,
  kF64_F64_F64,
  kF16_F16_F16,
  kBF16_BF16_BF16,

  // What integer operands run, exactly modulo 2^32. No row of the table and no name: nobody can ask for
  // it, or for anything else, of integers.
  kInteger,
};

// The number formats that a precision can name. Significant bits: bfloat16 8, tf32 11, float16 11,
// float32 24, float64 53. tf32 values are float32 values whose low 13 bits are zero. kF8 is any of the
// 8-bit floats, a type that operands have and nothing is rounded to.
enum class PrecisionType : std::uint8_t { kBF16, kTF32, kF16, kF32, kF64, kF8, kS32 };

// "bfloat16", "tf32", "float16", "float32", "float64", "float8", "int32".
constexpr std::string_view to_string(PrecisionType type) {
  constexpr std::string_view kNames[] = {"bfloat16", "tf32",   "float16", "float32",
                                         "float64",  "float8", "int32"};
  const std::size_t i = static_cast<std::size_t>(type);
  return i < std::size(kNames) ? kNames[i] : "unknown";
}

struct AlgorithmInfo {
  DotAlgorithm algorithm;
  std::string_view name;                      // canonical
  std::string_view short_name;                // as in the CLI's tables
  std::array<std::string_view, 3> aliases;    // further accepted names; "" where there are fewer
  PrecisionType operand;                      // what operand parts are rounded to
  PrecisionType accumulation;                 // what sums are kept in
  int parts;                                  // parts an operand is split into
  int fmas;                                   // fused multiply-adds per step and element
  int operations;                             // num_primitive_operations of the published fields
  int rank;                                   // order of precision: MATPREC_REQUIRE and pairs compare it
  std::array<int, 2> error_exponents;         // per-product error 2^e0 + 2^e1 (normal range); 0 = no term
};

inline constexpr std::array<AlgorithmInfo, 12> kAlgorithms = {{
    {DotAlgorithm::kBF16_BF16_F32, "BF16_BF16_F32", "bf16", {"bfloat16"},
     PrecisionType::kBF16, PrecisionType::kF32, 1, 1, 1, 1, {-7, -16}},
    {DotAlgorithm::kBF16_BF16_F32_X3, "BF16_BF16_F32_X3", "bf16x3", {"bfloat16_3x"},
     PrecisionType::kBF16, PrecisionType::kF32, 2, 2, 3, 5, {-15, -34}},
    {DotAlgorithm::kBF16_BF16_F32_X6, "BF16_BF16_F32_X6", "bf16x6", {"bfloat16_6x"},
     PrecisionType::kBF16, PrecisionType::kF32, 3, 3, 6, 7, {-24, -34}},
    {DotAlgorithm::kBF16_BF16_F32_X9, "BF16_BF16_F32_X9", "bf16x9", {"bfloat16_9x"},
     PrecisionType::kBF16, PrecisionType::kF32, 3, 1, 9, 8, {0, 0}},
    {DotAlgorithm::kTF32_TF32_F32, "TF32_TF32_F32", "tf32", {"tensorfloat32"},
     PrecisionType::kTF32, PrecisionType::kF32, 1, 1, 1, 4, {-10, -22}},
    {DotAlgorithm::kTF32_TF32_F32_X3, "TF32_TF32_F32_X3", "tf32x3", {"tensorfloat32_3x"},
     PrecisionType::kTF32, PrecisionType::kF32, 2, 2, 3, 6, {-21, -44}},
    {DotAlgorithm::kF16_F16_F32, "F16_F16_F32", "fp16", {"float16"},
     PrecisionType::kF16, PrecisionType::kF32, 1, 1, 1, 3, {-10, -22}},
    {DotAlgorithm::kANY_F8_ANY_F8_F32, "ANY_F8_ANY_F8_F32", "fp8",
     {"ANY_F8_ANY_F8_F32_FAST_ACCUM", "ANY_F8_ANY_F8_ANY", "ANY_F8_ANY_F8_ANY_FAST_ACCUM"},
     PrecisionType::kF8, PrecisionType::kF32, 1, 1, 1, 8, {0, 0}},
    {DotAlgorithm::kF32_F32_F32, "F32_F32_F32", "fp32", {"float32", "ieee"},
     PrecisionType::kF32, PrecisionType::kF32, 1, 1, 1, 8, {0, 0}},
    {DotAlgorithm::kF64_F64_F64, "F64_F64_F64", "fp64", {"float64"},
     PrecisionType::kF64, PrecisionType::kF64, 1, 1, 1, 9, {0, 0}},
    {DotAlgorithm::kF16_F16_F16, "F16_F16_F16", "fp16_acc", {},
     PrecisionType::kF16, PrecisionType::kF16, 1, 1, 1, 2, {-10, -22}},
    {DotAlgorithm::kBF16_BF16_BF16, "BF16_BF16_BF16", "bf16_acc", {},
     PrecisionType::kBF16, PrecisionType::kBF16, 1, 1, 1, 0, {-7, -16}},
}};

// What kInteger is, in the columns of the table.
inline constexpr AlgorithmInfo kIntegerInfo = {
    DotAlgorithm::kInteger, "INTEGER", "integer", {}, PrecisionType::kS32, PrecisionType::kS32,
    1, 1, 1, 10, {0, 0}};

// The row of an enumerator.
constexpr const AlgorithmInfo& info(DotAlgorithm algorithm) {
  return algorithm == DotAlgorithm::kInteger ? kIntegerInfo
                                             : kAlgorithms[static_cast<std::size_t>(algorithm)];
}

// The canonical name; "unknown" for a number that is no enumerator.
constexpr std::string_view to_string(DotAlgorithm algorithm) {
  return algorithm <= DotAlgorithm::kInteger ? info(algorithm).name : "unknown";
}

// True if the algorithm says how operands are rounded, so that any float may enter it. The one that does
// not takes 8-bit floats only.
constexpr bool rounds_operands(DotAlgorithm algorithm) {
  return info(algorithm).operand != PrecisionType::kF8;
}

// StableHLO's DotAlgorithm attribute. A row of the table is named by its types and either JAX's counts
// (components 1, 1; operations 1, 3, 6 or 9) or those of StableHLO's text (2,2,3 / 3,3,6 / 3,3,9).
struct DotAlgorithmFields {
  PrecisionType lhs_precision_type = PrecisionType::kF32;
  PrecisionType rhs_precision_type = PrecisionType::kF32;
  PrecisionType accumulation_type = PrecisionType::kF32;
  std::int64_t lhs_component_count = 1;
  std::int64_t rhs_component_count = 1;
  std::int64_t num_primitive_operations = 1;
  bool allow_imprecise_accumulation = false;

  friend bool operator==(const DotAlgorithmFields&, const DotAlgorithmFields&) = default;
};

// The fields of a row, in JAX's form.
MATPREC_API DotAlgorithmFields to_fields(DotAlgorithm algorithm);

// The row that the fields name. Errors: no row has these fields; the text shows the nearest row.
MATPREC_API DotAlgorithm from_fields(const DotAlgorithmFields& fields);

// "{lhs_precision_type=bfloat16, ..., allow_imprecise_accumulation=false}".
MATPREC_API std::string to_string(const DotAlgorithmFields& fields);

namespace detail {
constexpr bool table_is_sound() {
  for (std::size_t i = 0; i < kAlgorithms.size(); ++i) {
    const AlgorithmInfo& row = kAlgorithms[i];
    if (static_cast<std::size_t>(row.algorithm) != i) return false;
    if (row.fmas < 1 || row.fmas > row.parts || row.fmas > 3) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (kAlgorithms[j].name == row.name || kAlgorithms[j].short_name == row.short_name) return false;
    }
  }
  return true;
}
static_assert(table_is_sound(), "kAlgorithms: rows in enumerator order, unique names, 1 to 3 FMAs");
}  // namespace detail

}  // namespace matprec

#endif  // MATPREC_DOT_ALGORITHM_H_
