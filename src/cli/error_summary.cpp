#include "src/cli/error_summary.h"

#include <cmath>
#include <limits>

#include "src/cli/element_value.h"
#include "src/cli/relative_error.h"

namespace matprec::cli {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double ratio(double part, double whole) {
  if (part == 0) return 0;
  return whole == 0 ? std::copysign(kInfinity, part) : part / whole;
}

}  // namespace

ErrorSummary summarize_error(const Tensor& result, const Tensor& reference,
                             const Tensor& magnitude) {
  ErrorSummary summary;
  RelativeError total;
  long double error_sum = 0, reference_sum = 0;  // signed; of absolute values
  for (std::int64_t i = 0; i < reference.size(); ++i) {
    const double c = value_at(result, i), r = value_at(reference, i), ab = value_at(magnitude, i);
    const std::int64_t lost_before = total.lost();
    total.add(c, r);
    if (total.lost() == 1 && lost_before == 0) summary.first_lost = index_of(i, reference.shape());
    if (!std::isfinite(c) || !std::isfinite(r)) continue;
    const long double difference = static_cast<long double>(c) - static_cast<long double>(r);
    error_sum += difference;
    reference_sum += std::fabs(static_cast<long double>(r));
    const double error = ratio(static_cast<double>(std::fabs(difference)), ab);
    if (!summary.worst || error > summary.worst->error) {
      summary.worst = WorstEntry{error, ratio(ab, std::fabs(r)), index_of(i, reference.shape())};
    }
  }
  summary.entries = total.entries();
  summary.not_finite = total.not_finite();
  summary.lost = total.lost();
  summary.overflowed = total.overflowed();
  if (!summary.worst && summary.entries > 0) {
    summary.bias = std::numeric_limits<double>::quiet_NaN();
  } else if (error_sum != 0) {
    summary.bias = reference_sum == 0 ? std::copysign(kInfinity, static_cast<double>(error_sum))
                                      : static_cast<double>(error_sum / reference_sum);
  }
  summary.relative_error = total.value();
  if (summary.relative_error > 0 && std::isfinite(summary.relative_error)) {
    summary.digits = -std::log10(summary.relative_error);
  }
  return summary;
}

}  // namespace matprec::cli
