// The scalar oracle against exact bits that another implementation of docs/numerics.md made.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>

#include "matprec/dot_general.h"
#include "tests/support/golden.h"

namespace matprec::testing {
namespace {

constexpr const char* kFamily = "accumulation";

std::optional<DotAlgorithm> algorithm_named(const std::string& name) {
  for (const AlgorithmInfo& row : kAlgorithms) {
    if (row.name == name || row.short_name == name) return row.algorithm;
    for (const std::string_view alias : row.aliases) {
      if (!alias.empty() && alias == name) return row.algorithm;
    }
  }
  return std::nullopt;
}

// What a product runs when nobody asked for anything: by its operand types.
DotAlgorithm algorithm_by_operands(ElementType lhs, ElementType rhs) {
  if (is_integer(lhs)) return DotAlgorithm::kInteger;
  if (lhs == ElementType::kF64 || rhs == ElementType::kF64) return DotAlgorithm::kF64_F64_F64;
  if (lhs != rhs || lhs == ElementType::kF32) return DotAlgorithm::kF32_F32_F32;
  return lhs == ElementType::kBF16 ? DotAlgorithm::kBF16_BF16_F32 : DotAlgorithm::kF16_F16_F32;
}

// A number, or [real, imaginary].
std::complex<double> factor_of(const io::Json& attributes, const char* key, double absent) {
  const auto found = attributes.find(key);
  if (found == nullptr) return absent;
  if (!found->is_array()) return found->number();
  return {(*found)[0].number(), (*found)[1].number()};
}

enum class Outcome { kRun, kNotOffered };

Outcome run(const io::Json& test) {
  const io::Json& attributes = test["attributes"];
  const GoldenArray lhs = golden_array(kFamily, *named(test["inputs"], "lhs"));
  const GoldenArray rhs = golden_array(kFamily, *named(test["inputs"], "rhs"));
  const GoldenArray expected = golden_array(kFamily, *named(test["expected"], "out"));
  if (!lhs.type() || !rhs.type() || !expected.type()) return Outcome::kNotOffered;
  std::optional<DotAlgorithm> algorithm = algorithm_by_operands(*lhs.type(), *rhs.type());
  if (!attributes["algorithm"].is_null()) algorithm = algorithm_named(attributes["algorithm"].text());
  if (!algorithm) return Outcome::kNotOffered;

  const io::Json& numbers = attributes["dimension_numbers"];
  const DotDimensionNumbers dims{.lhs_contracting = dims_of(numbers["lhs_contracting"]),
                                 .rhs_contracting = dims_of(numbers["rhs_contracting"]),
                                 .lhs_batch = dims_of(numbers["lhs_batch"]),
                                 .rhs_batch = dims_of(numbers["rhs_batch"])};
  DotEpilogue epilogue;
  epilogue.alpha = factor_of(attributes, "alpha", 1);
  epilogue.beta = factor_of(attributes, "beta", 0);
  GoldenArray out = expected;
  std::fill(out.bytes.begin(), out.bytes.end(), std::uint8_t{0xA5});
  std::optional<GoldenArray> c, bias;
  if (const io::Json* entry = named(test["inputs"], "c")) {
    c = golden_array(kFamily, *entry);
    if (c->dtype == out.dtype) {
      out.bytes = c->bytes;  // the output's old content
    } else {
      epilogue.c = c->view();
    }
  }
  if (attributes.contains("out_view")) {
    out.shape = dims_of(attributes["out_view"]["shape"]);
    out.strides = dims_of(attributes["out_view"]["strides"]);
    out.offset = attributes["out_view"]["offset"].integer();
  }
  if (const io::Json* entry = named(test["inputs"], "bias")) {
    bias = golden_array(kFamily, *entry);
    epilogue.bias = bias->view();
  }
  reference_dot_general_into(out.mutable_view(), lhs.view(), rhs.view(), dims, *algorithm,
                             epilogue);
  EXPECT_EQ(out.bytes, expected.bytes) << test["name"];
  return Outcome::kRun;
}

TEST(OracleGolden, EveryBitOfMpAcc1IsTheExpectedOne) {
  MATPREC_NEEDS_GOLDEN(kFamily);
  const io::Json manifest = golden_manifest(kFamily);
  int ran = 0;
  for (const io::Json& test : manifest["cases"]) {
    if (run(test) == Outcome::kRun) ++ran;
  }
  EXPECT_EQ(ran, 621);  // 753 cases less 132 of vendor rows
}

}  // namespace
}  // namespace matprec::testing
