// Pictures of errors: panels with a logarithmic axis upwards, written as a script for gnuplot.
#ifndef MATPREC_SRC_CLI_ERROR_PLOT_H_
#define MATPREC_SRC_CLI_ERROR_PLOT_H_

#include <string>
#include <vector>

#include "src/cli/comparison.h"
#include "src/cli/error_series.h"

namespace matprec::cli {

// Two panels a comparison, side by side: error over FMAs, a labelled point an algorithm; error by
// row of the result, a line an algorithm.
std::string plot_script(const std::vector<Comparison>& comparisons);
// A panel a series, one below the other: error over its points, a line an algorithm.
std::string plot_script(const std::vector<ErrorSeries>& series);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_ERROR_PLOT_H_
