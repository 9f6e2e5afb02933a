#include "src/cli/conformance_rules.h"

#include <cmath>
#include <cstdint>

#include "src/cli/element_value.h"
#include "src/cli/number_text.h"

namespace matprec::cli {
namespace {

struct Element {
  ElementType got_type, expected_type;
  std::uint64_t got_bits, expected_bits;
  double got, expected;
  double bound;  // kErrorBound
};

// NaN matches NaN, an infinity the same infinity. Nothing if both are finite: the rule decides.
std::optional<bool> special_match(const Element& e) {
  if (std::isnan(e.got) || std::isnan(e.expected))
    return std::isnan(e.got) && std::isnan(e.expected);
  if (std::isinf(e.got) || std::isinf(e.expected)) return e.got == e.expected;
  return std::nullopt;
}

bool exactly_equal(const Rule& rule, const Element& e) {
  if (std::isnan(e.expected) && std::isnan(e.got)) {
    return !rule.nan_bits || (e.got_type == e.expected_type && e.got_bits == e.expected_bits);
  }
  if (rule.zero_sign && e.got == 0 && e.expected == 0) {
    return std::signbit(e.got) == std::signbit(e.expected);
  }
  return e.got == e.expected;
}

// Steps between two numbers of one type: floats of one sign are ordered as their bits are.
double ulps_between(const Element& e) {
  const int sign_bit = static_cast<int>(8 * size_of(e.got_type)) - 1;
  const auto position = [&](std::uint64_t bits) {
    const std::uint64_t sign = std::uint64_t{1} << sign_bit;
    const __int128 magnitude = static_cast<__int128>(bits & (sign - 1));
    return (bits & sign) != 0 ? -magnitude : magnitude;
  };
  const __int128 steps = position(e.got_bits) - position(e.expected_bits);
  return static_cast<double>(steps < 0 ? -steps : steps);
}

bool passes(const Rule& rule, const Element& e) {
  if (rule.type == RuleType::kExact) return exactly_equal(rule, e);
  if (const std::optional<bool> match = special_match(e)) return *match;
  const double error = std::fabs(e.got - e.expected);
  switch (rule.type) {
    case RuleType::kMaxUlp:
      return e.got_type == e.expected_type && ulps_between(e) <= rule.ulp;
    case RuleType::kRtolAtol:
      return error <= rule.atol + rule.rtol * std::fabs(e.expected);
    case RuleType::kErrorBound:
      return error <= e.bound;
    default:
      return true;  // kFrobeniusBand looks at the whole
  }
}

std::string allowance(const Rule& rule, const Element& e) {
  if (rule.type == RuleType::kErrorBound) return ", bound " + scientific(e.bound, 3);
  if (rule.type == RuleType::kRtolAtol) {
    return ", allowed " + scientific(rule.atol + rule.rtol * std::fabs(e.expected), 3);
  }
  if (rule.type == RuleType::kMaxUlp) {
    return ", " + fixed(ulps_between(e), 0) + " steps apart, allowed " + fixed(rule.ulp, 0);
  }
  return "";
}

std::optional<std::string> outside_band(const Rule& rule, double squared_error,
                                        double squared_expected) {
  const double error = std::sqrt(squared_error), norm = std::sqrt(squared_expected);
  const double relative = error == 0 ? 0 : error / norm;
  if (rule.low <= relative && relative <= rule.high) return std::nullopt;
  return "relative Frobenius error " + scientific(relative, 3) + " is " +
         (relative < rule.low ? "too good: below " + scientific(rule.low, 3)
                              : "above " + scientific(rule.high, 3));
}

}  // namespace

std::optional<std::string> violation(const Rule& rule, const std::string& produced_dtype,
                                     const Tensor& got_tensor, const Tensor& expected_tensor,
                                     const RuleData& data) {
  if (rule.type == RuleType::kInfo) return std::nullopt;
  if (to_string(got_tensor.type()) != produced_dtype) {
    return "type is " + std::string(to_string(got_tensor.type())) + ", expected " + produced_dtype;
  }
  if (!(got_tensor.shape() == expected_tensor.shape())) {
    return "shape is " + to_string(got_tensor.shape()) + ", expected " +
           to_string(expected_tensor.shape());
  }
  const Tensor got = real_parts(got_tensor), expected = real_parts(expected_tensor);
  const std::int64_t parts = is_complex(expected_tensor.type()) ? 2 : 1;  // that share mask and bound
  std::int64_t wrong = 0, compared = 0;
  double squared_error = 0, squared_expected = 0;
  std::string first;
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    if (data.mask != nullptr && !(*data.mask)[static_cast<std::size_t>(i / parts)]) continue;
    ++compared;
    const Element e{got.type(),
                    expected.type(),
                    bits_at(got, i),
                    bits_at(expected, i),
                    value_at(got, i),
                    value_at(expected, i),
                    data.bound != nullptr ? value_at(*data.bound, i / parts) : rule.bound.value_or(0)};
    if (passes(rule, e)) {
      if (std::isfinite(e.expected)) {
        squared_error += (e.got - e.expected) * (e.got - e.expected);
        squared_expected += e.expected * e.expected;
      }
      continue;
    }
    if (wrong++ > 0) continue;
    first = "first at " + to_string(index_of(i, expected.shape())) + ": got " +
            described(e.got_type, e.got_bits) + ", expected " +
            described(e.expected_type, e.expected_bits) + allowance(rule, e);
  }
  if (wrong > 0) {
    return std::to_string(wrong) + " of " + counted(compared, "element", "elements") + " wrong; " +
           first;
  }
  if (rule.type == RuleType::kFrobeniusBand)
    return outside_band(rule, squared_error, squared_expected);
  return std::nullopt;
}

}  // namespace matprec::cli
