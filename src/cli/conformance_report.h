// What became of the cases of a manifest, as text and as JSON.
#ifndef MATPREC_SRC_CLI_CONFORMANCE_REPORT_H_
#define MATPREC_SRC_CLI_CONFORMANCE_REPORT_H_

#include <map>
#include <string>
#include <vector>

#include "src/io/json.h"

namespace matprec::cli {

struct FailedCase {
  std::string name;
  std::vector<std::string> problems;  // one an output: "out: 3 of 16 elements wrong; ..."
};

struct FamilyReport {
  std::string family, directory;
  std::size_t cases = 0, passed = 0;
  std::vector<FailedCase> failed = {};
  std::map<std::string, std::vector<std::string>> not_run = {};  // names of cases by reason

  std::size_t not_run_count() const;
};

// `verbose`: also the names of the cases that were not run.
std::string report_text(const FamilyReport& report, bool verbose);
io::Json report_json(const FamilyReport& report);

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_CONFORMANCE_REPORT_H_
