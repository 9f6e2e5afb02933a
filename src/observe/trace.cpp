#include "src/observe/trace.h"

#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "src/environment.h"

namespace matprec {
namespace detail {
constinit std::atomic<bool> has_trace_callback = false;
}  // namespace detail

namespace {

using detail::has_trace_callback;

using Callback = std::function<void(const TraceEvent&)>;

// The callback of the process. Never destroyed, so that destructors of static objects can still
// multiply.
union CallbackSlot {
  constexpr CallbackSlot() : callback() {}
  ~CallbackSlot() {}
  std::shared_ptr<const Callback> callback;
};

constinit CallbackSlot slot;
constinit std::mutex slot_mutex;
thread_local bool inside_callback = false;

// A child of fork() must not find the mutex held by a thread that it does not have.
[[maybe_unused]] const int atfork_registered = pthread_atfork(
    [] { slot_mutex.lock(); }, [] { slot_mutex.unlock(); }, [] { slot_mutex.unlock(); });

std::shared_ptr<const Callback> current_callback() {
  const std::lock_guard lock(slot_mutex);
  return slot.callback;
}

void call(const TraceEvent& event) {
  const std::shared_ptr<const Callback> callback = current_callback();
  if (callback == nullptr) return;
  struct Inside {
    Inside() { inside_callback = true; }
    ~Inside() { inside_callback = false; }
  } inside;
  try {
    (*callback)(event);
  } catch (const abi::__forced_unwind&) {
    throw;  // a cancelled thread ends; the C++ runtime insists
  } catch (...) {
    // The callback's own affair: whoever multiplied did nothing wrong.
  }
}

void print_line(std::string line) {
  line += '\n';
  // Where stderr is closed or full there is nobody to tell.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

// What has yet to be said, as bits; a thread that clears one says it.
constexpr unsigned kUnknownVariables = 1;
constexpr unsigned kReducedDefault = 2;
std::atomic<unsigned> unsaid = kUnknownVariables | kReducedDefault;

bool claim(unsigned what) { return (unsaid.fetch_and(~what) & what) != 0; }

bool is_reduced(const Resolution& resolution) {
  return info(resolution.algorithm).rank < info(DotAlgorithm::kF32_F32_F32).rank;
}

void warn_of_unknown_variables(const Environment& e) {
  for (const UnknownVariable& variable : e.unknown) {
    print_line("matprec: warning: " + variable.name +
               " is no variable of this library and has no effect; nearest: " +
               std::string(variable.nearest));
  }
}

void print_notice(const Resolution& resolution, ElementType lhs, ElementType rhs) {
  std::string line = "matprec: notice: ";
  line += to_string(lhs);
  line += " x ";
  line += to_string(rhs);
  line += " products run " + to_string(resolution) +
          "; for full float32 call set_default_precision(\"fp32\"), open ScopedPrecision(\"fp32\") "
          "or set MATPREC_FORCE_PRECISION=fp32; MATPREC_NOTICE=0 silences this";
  print_line(std::move(line));
}

}  // namespace

void set_trace_callback(Callback callback) {
  environment();
  std::shared_ptr<const Callback> next;
  if (callback) next = std::make_shared<const Callback>(std::move(callback));
  {
    const std::lock_guard lock(slot_mutex);
    has_trace_callback.store(next != nullptr, std::memory_order_relaxed);
    slot.callback.swap(next);
  }
  // The old callback is destroyed here, outside of the lock: its destructor may do anything.
}

bool tracing() {
  const bool verbose = environment().verbose;
  return (verbose || has_trace_callback.load(std::memory_order_relaxed)) && !inside_callback;
}

void report(const TraceEvent& event) {
  if (inside_callback) return;
  call(event);
  try {
    if (environment().verbose) print_line("matprec: " + to_string(event));
  } catch (const std::exception&) {
    // No memory for the line.
  }
}

void announce(const Resolution& resolution, ElementType lhs, ElementType rhs) {
  const unsigned open = unsaid.load(std::memory_order_relaxed);
  if (open == 0) return;
  const Environment& e = environment();
  if ((open & kUnknownVariables) != 0 && claim(kUnknownVariables)) warn_of_unknown_variables(e);
  if ((open & kReducedDefault) == 0) return;
  if (!e.notice) {
    claim(kReducedDefault);
  } else if (resolution.source == Source::kProcess && is_reduced(resolution) &&
             claim(kReducedDefault)) {
    print_notice(resolution, lhs, rhs);
  }
}

}  // namespace matprec
