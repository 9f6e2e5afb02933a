#include "src/cli/relative_error.h"

#include <cmath>
#include <limits>

namespace matprec::cli {

void RelativeError::add(double c, double r) {
  ++entries_;
  if (!std::isfinite(r)) ++not_finite_;
  if (!std::isfinite(c) || !std::isfinite(r)) {
    const bool same = c == r || (std::isnan(c) && std::isnan(r));
    if (!same) ++lost_;
    if (std::isfinite(r)) ++overflowed_;
    return;
  }
  const long double difference = static_cast<long double>(c) - static_cast<long double>(r);
  squared_error_ += difference * difference;
  squared_reference_ += static_cast<long double>(r) * static_cast<long double>(r);
}

double RelativeError::value() const {
  if (lost_ > 0) return std::numeric_limits<double>::infinity();
  if (entries_ > 0 && not_finite_ == entries_) return std::numeric_limits<double>::quiet_NaN();
  if (squared_error_ == 0) return 0;
  if (squared_reference_ == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(std::sqrt(squared_error_) / std::sqrt(squared_reference_));
}

}  // namespace matprec::cli
