// ||C-R||_F / ||R||_F, entry by entry.
#ifndef MATPREC_SRC_CLI_RELATIVE_ERROR_H_
#define MATPREC_SRC_CLI_RELATIVE_ERROR_H_

#include <cstdint>

namespace matprec::cli {

class RelativeError {
 public:
  // An entry of C and the same of R.
  void add(double c, double r);
  // 0 if there is no difference, also where R is 0; infinity if C is not what R is somewhere
  // (lost), or where R is 0 and C is not; NaN if no entry of R is finite.
  double value() const;

  std::int64_t entries() const { return entries_; }
  // Entries of R that are NaN or infinite: left out of the norms.
  std::int64_t not_finite() const { return not_finite_; }
  // Entries where only one of C and R is finite, or they differ in kind.
  std::int64_t lost() const { return lost_; }
  // Of these the ones where R is finite and C is not.
  std::int64_t overflowed() const { return overflowed_; }

 private:
  // long double keeps squares of the largest float64 apart from infinity where it has a wider
  // exponent (x86-64, aarch64).
  long double squared_error_ = 0, squared_reference_ = 0;
  std::int64_t entries_ = 0, not_finite_ = 0, lost_ = 0, overflowed_ = 0;
};

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_RELATIVE_ERROR_H_
