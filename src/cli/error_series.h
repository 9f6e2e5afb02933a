// How the error of each algorithm moves with the length of the sums or with the size of the inputs,
// on normal data made here: the numbers behind `matprec compare --series`.
#ifndef MATPREC_SRC_CLI_ERROR_SERIES_H_
#define MATPREC_SRC_CLI_ERROR_SERIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "matprec/dot_algorithm.h"

namespace matprec::cli {

struct ErrorSeriesRow {
  DotAlgorithm algorithm;
  // One a point: ||C-R||_F / ||R||_F (relative_error.h), and result_hash() of C.
  std::vector<double> errors;
  std::vector<std::uint64_t> hashes;
};

struct ErrorSeries {
  std::string name;   // "k", "scale"
  std::string title;  // what was multiplied
  std::string axis;   // what a point's number is
  std::vector<int> points;
  bool points_double = false;  // each point is twice the one before
  std::vector<ErrorSeriesRow> rows;
};

// "k": 64 x K times K x 64 for the powers of two K from 16 to 16384.
// "scale": 64 x 256 times 256 x 64, both multiplied by 2^e, e from -80 to 64: from where every
// product is below float32's range to where all are above it. Errors: another name; the text says
// which there are.
void require_series(const std::string& name);
ErrorSeries error_series(const std::string& name, const std::vector<DotAlgorithm>& algorithms);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_ERROR_SERIES_H_
