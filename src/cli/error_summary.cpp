#include "src/cli/error_summary.h"

#include <cmath>
#include <limits>

#include "src/cli/element_value.h"

namespace matprec::cli {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double ratio(double part, double whole) {
  if (part == 0) return 0;
  return whole == 0 ? std::copysign(kInfinity, part) : part / whole;
}

// Sums of squares and of signed errors. long double keeps squares of the largest float64 apart from
// infinity where it has a wider exponent (x86-64, aarch64).
struct Sums {
  long double squared_error = 0, squared_reference = 0, error = 0, reference = 0;
};

}  // namespace

ErrorSummary summarize_error(const Tensor& result, const Tensor& reference,
                             const Tensor& magnitude) {
  ErrorSummary summary;
  summary.entries = reference.size();
  Sums sums;
  for (std::int64_t i = 0; i < reference.size(); ++i) {
    const double c = value_at(result, i), r = value_at(reference, i), ab = value_at(magnitude, i);
    if (!std::isfinite(r)) ++summary.not_finite;
    if (!std::isfinite(c) || !std::isfinite(r)) {
      const bool same = c == r || (std::isnan(c) && std::isnan(r));
      if (!same && summary.lost++ == 0) summary.first_lost = index_of(i, reference.shape());
      continue;
    }
    const long double difference = static_cast<long double>(c) - static_cast<long double>(r);
    sums.squared_error += difference * difference;
    sums.squared_reference += static_cast<long double>(r) * static_cast<long double>(r);
    sums.error += difference;
    sums.reference += std::fabs(static_cast<long double>(r));
    const double error = ratio(static_cast<double>(std::fabs(difference)), ab);
    if (!summary.worst || error > summary.worst->error) {
      summary.worst = WorstEntry{error, ratio(ab, std::fabs(r)), index_of(i, reference.shape())};
    }
  }
  const auto relative = [](long double part, long double whole) {
    if (part == 0) return 0.0;
    return whole == 0 ? std::copysign(kInfinity, static_cast<double>(part))
                      : static_cast<double>(part / whole);
  };
  summary.bias = relative(sums.error, sums.reference);
  summary.relative_error =
      summary.lost > 0 ? kInfinity
                       : relative(std::sqrt(sums.squared_error), std::sqrt(sums.squared_reference));
  const bool nothing_compared = summary.entries > 0 && summary.not_finite == summary.entries;
  if (nothing_compared && summary.lost == 0) {
    summary.relative_error = std::numeric_limits<double>::quiet_NaN();
  }
  if (summary.relative_error > 0 && std::isfinite(summary.relative_error)) {
    summary.digits = -std::log10(summary.relative_error);
  }
  return summary;
}

}  // namespace matprec::cli
