#include "src/cli/progress.h"

#include <unistd.h>

#include <iostream>
#include <utility>

namespace matprec::cli {
namespace {
constexpr std::chrono::milliseconds kPeriod{200};
constexpr const char* kWipeLine = "\r\033[K";
}  // namespace

Progress::Progress(std::string what, std::chrono::milliseconds patience)
    : what_(std::move(what)),
      patience_(patience),
      terminal_(::isatty(STDERR_FILENO) == 1),
      begin_(Clock::now()) {
  if (terminal_) shower_ = std::thread([this] { show_until_finished(); });
}

Progress::~Progress() {
  if (!terminal_) return;
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  finish_.notify_one();
  shower_.join();
}

void Progress::report(std::int64_t done, std::int64_t total, const std::string& detail) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  done_ = done;
  total_ = total;
  detail_ = detail;
}

void Progress::show_until_finished() {
  std::unique_lock lock(mutex_);
  const auto finished = [this] { return finished_; };
  if (finish_.wait_for(lock, patience_, finished)) return;
  do {
    const auto spent = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_);
    std::cerr << kWipeLine << what_ << ": " << done_ << " of " << total_
              << (detail_.empty() ? "" : " ") << detail_ << ", " << spent.count() << " s"
              << std::flush;
  } while (!finish_.wait_for(lock, kPeriod, finished));
  std::cerr << kWipeLine << std::flush;
}

}  // namespace matprec::cli
