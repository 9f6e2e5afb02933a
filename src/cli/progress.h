// A line on stderr that tells what long work is at.
#ifndef MATPREC_SRC_CLI_PROGRESS_H_
#define MATPREC_SRC_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace matprec::cli {

// Silent for the first two seconds. Then, on a terminal, one line that is overwritten and at the
// end wiped; elsewhere a line every ten seconds.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap enough to be called thousands of times a second.
  void report(std::int64_t done, std::int64_t total, const std::string& detail = "");

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  Clock::time_point next_;
  bool terminal_;
  bool shown_ = false;
};

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_PROGRESS_H_
