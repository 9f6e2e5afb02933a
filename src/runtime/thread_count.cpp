#include "src/runtime/thread_count.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "matprec/error.h"
#include "matprec/runtime.h"
#include "src/environment.h"
#include "src/runtime/cgroup.h"

namespace matprec {
namespace {

std::atomic<int> set_threads = 0;      // 0: not set
std::atomic<int> default_threads = 0;  // 0: not asked yet

int affinity_processors() {
  // The kernel refuses a mask that is shorter than its own, whose length it does not tell.
  constexpr std::size_t kMostProcessors = std::size_t{1} << 16;
  for (std::size_t count = CPU_SETSIZE; count <= kMostProcessors; count *= 2) {
    std::vector<cpu_set_t> mask(count / CPU_SETSIZE);
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) == 0) return CPU_COUNT_S(bytes, mask.data());
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int available_processors() {
  const int by_affinity = std::max(1, affinity_processors());
  return std::min(by_affinity, cgroup_processors().value_or(by_affinity));
}

int num_threads() {
  const Environment& e = environment();
  if (const int set = set_threads.load(std::memory_order_relaxed)) return set;
  if (e.num_threads) return *e.num_threads;
  int threads = default_threads.load(std::memory_order_relaxed);
  if (threads == 0) {  // several threads may ask the system at once; they get the same answer
    threads = std::min(available_processors(), kMostThreads);
    default_threads.store(threads, std::memory_order_relaxed);
  }
  return threads;
}

void set_num_threads(int threads) {
  environment();
  if (threads < 0 || threads > kMostThreads) {
    throw Error("set_num_threads: " + std::to_string(threads) + " threads; expected 1 to " +
                std::to_string(kMostThreads) + ", or 0 to take the setting back");
  }
  set_threads.store(threads, std::memory_order_relaxed);
}

}  // namespace matprec
