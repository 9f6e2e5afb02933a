// A line on stderr that tells what long work is at.
#ifndef MATPREC_SRC_CLI_PROGRESS_H_
#define MATPREC_SRC_CLI_PROGRESS_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace matprec::cli {

// Only on a terminal. Silent for the first two seconds (`patience`); then one line that is renewed,
// also during a single product that takes minutes, and wiped at the end.
class Progress {
 public:
  explicit Progress(std::string what,
                    std::chrono::milliseconds patience = std::chrono::seconds(2));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap enough to be called thousands of times a second.
  void report(std::int64_t done, std::int64_t total, const std::string& detail = "");

 private:
  void show_until_finished();

  using Clock = std::chrono::steady_clock;
  const std::string what_;
  const std::chrono::milliseconds patience_;
  const bool terminal_;
  const Clock::time_point begin_;
  std::mutex mutex_;  // of what follows
  std::condition_variable finish_;
  bool finished_ = false;
  std::int64_t done_ = 0, total_ = 0;
  std::string detail_;
  std::thread shower_;
};

}  // namespace matprec::cli

#endif  // MATPREC_SRC_CLI_PROGRESS_H_
