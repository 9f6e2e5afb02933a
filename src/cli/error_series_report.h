// A series of errors as text for people and as JSON for programs.
#ifndef MATPREC_SRC_CLI_ERROR_SERIES_REPORT_H_
#define MATPREC_SRC_CLI_ERROR_SERIES_REPORT_H_

#include <string>

#include "src/cli/error_series.h"
#include "src/io/json.h"

namespace matprec::cli {

std::string error_series_text(const ErrorSeries& series);
io::Json error_series_json(const ErrorSeries& series);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_ERROR_SERIES_REPORT_H_
