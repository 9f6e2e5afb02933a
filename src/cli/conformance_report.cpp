#include "src/cli/conformance_report.h"

namespace matprec::cli {

std::size_t FamilyReport::not_run_count() const {
  std::size_t count = 0;
  for (const auto& [reason, names] : not_run) count += names.size();
  return count;
}

std::string report_text(const FamilyReport& report, bool verbose) {
  std::string text = report.family + ": " + std::to_string(report.cases) + " cases, " +
                     std::to_string(report.passed) + " passed, " +
                     std::to_string(report.failed.size()) + " failed, " +
                     std::to_string(report.not_run_count()) + " not run\n";
  for (const auto& [reason, names] : report.not_run) {
    text += "  not run: " + std::to_string(names.size()) + " for " + reason + '\n';
    if (!verbose) continue;
    for (const std::string& name : names) text += "    " + name + '\n';
  }
  for (const FailedCase& failed : report.failed) {
    for (const std::string& problem : failed.problems) {
      text += "  FAILED " + failed.name + ": " + problem + '\n';
    }
  }
  return text;
}

io::Json report_json(const FamilyReport& report) {
  io::Json failed = io::Json::array();
  for (const FailedCase& entry : report.failed) {
    failed.push_back({{"case", entry.name}, {"problems", entry.problems}});
  }
  io::Json not_run = io::Json::object();
  for (const auto& [reason, names] : report.not_run) not_run[reason] = names;
  return {{"family", report.family}, {"directory", report.directory},
          {"cases", report.cases},   {"passed", report.passed},
          {"failed", failed},        {"not_run", not_run}};
}

}  // namespace matprec::cli
