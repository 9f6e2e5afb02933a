// How far a result C is from the reference R, in the numbers of the table.
#ifndef MATPREC_SRC_CLI_ERROR_SUMMARY_H_
#define MATPREC_SRC_CLI_ERROR_SUMMARY_H_

#include <cstdint>
#include <optional>

#include "matprec/tensor.h"

namespace matprec::cli {

struct WorstEntry {
  double error = 0;      // |C-R| / (|A||B|)
  double condition = 0;  // (|A||B|) / |R|
  Dims index;
};

struct ErrorSummary {
  double relative_error = 0;  // relative_error.h says what it is where it is no quotient
  // -log10 of it; nothing for an error of 0, infinity or NaN.
  std::optional<double> digits;
  // Nothing if no entry is finite in both.
  std::optional<WorstEntry> worst;
  // mean(C-R) / mean|R| of the entries that are finite in both; 0 if no error, NaN if there are none.
  double bias = 0;
  std::int64_t entries = 0;
  std::int64_t not_finite = 0;  // entries of R that are NaN or infinite: left out of the norms
  std::int64_t lost = 0;  // entries where only one of C and R is finite, or they differ in kind
  std::int64_t overflowed = 0;  // of these the ones where C alone is not finite
  Dims first_lost;              // the first of the lost ones
};

// C of any type, R and |A||B| float64, all of one shape.
ErrorSummary summarize_error(const Tensor& result, const Tensor& reference,
                             const Tensor& magnitude);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_ERROR_SUMMARY_H_
