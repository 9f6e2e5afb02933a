// `matprec compare` as text for people and as JSON for programs.
#ifndef MATPREC_SRC_CLI_COMPARISON_REPORT_H_
#define MATPREC_SRC_CLI_COMPARISON_REPORT_H_

#include <optional>
#include <string>

#include "src/cli/comparison.h"
#include "src/io/json.h"

namespace matprec::cli {

std::string comparison_text(const Comparison& comparison, std::optional<double> tolerance);
io::Json comparison_json(const Comparison& comparison, std::optional<double> tolerance);

// What the columns mean, once below all tables.
std::string comparison_legend(bool timed);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_COMPARISON_REPORT_H_
