#include "src/cli/progress.h"

#include <unistd.h>

#include <iostream>
#include <utility>

namespace matprec::cli {
namespace {
constexpr std::chrono::seconds kPatience{2};  // before the first line
constexpr std::chrono::milliseconds kTerminalPeriod{200};
constexpr std::chrono::seconds kLogPeriod{10};
constexpr const char* kWipeLine = "\r\033[K";
}  // namespace

Progress::Progress(std::string what)
    : what_(std::move(what)),
      next_(Clock::now() + kPatience),
      terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_ && terminal_) std::cerr << kWipeLine << std::flush;
}

void Progress::report(std::int64_t done, std::int64_t total, const std::string& detail) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  shown_ = true;
  std::cerr << (terminal_ ? kWipeLine : "") << what_ << ": " << done << " of " << total
            << (detail.empty() ? "" : " ") << detail << (terminal_ ? "" : "\n") << std::flush;
  next_ = now + (terminal_ ? std::chrono::duration_cast<Clock::duration>(kTerminalPeriod)
                           : std::chrono::duration_cast<Clock::duration>(kLogPeriod));
}

}  // namespace matprec::cli
