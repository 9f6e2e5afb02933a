#include "src/runtime/thread_count.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "matprec/runtime.h"
#include "src/runtime/cgroup.h"
#include "tests/support/child_process.h"
#include "tests/support/error_of.h"

namespace matprec {
namespace {

using testing::error_of;
using testing::in_child;

std::string threads_now() { return std::to_string(num_threads()); }

// Confines the calling process to the first `count` of the processors that it may use; false if it
// has fewer.
bool use_processors(int count) {
  cpu_set_t have;
  sched_getaffinity(0, sizeof have, &have);
  if (CPU_COUNT(&have) < count) return false;
  cpu_set_t some;
  CPU_ZERO(&some);
  for (std::size_t cpu = 0; CPU_COUNT(&some) < count; ++cpu) {
    if (CPU_ISSET(cpu, &have)) CPU_SET(cpu, &some);
  }
  return sched_setaffinity(0, sizeof some, &some) == 0;
}

TEST(ThreadCount, IsTheProcessorsThisProcessMayUse) {
  EXPECT_EQ(in_child({}, threads_now).out, std::to_string(std::min(available_processors(), 1024)));
}

TEST(ThreadCount, FollowsTheAffinityMask) {
  EXPECT_EQ(in_child({}, [] { return use_processors(1) ? threads_now() : "?"; }).out, "1");
  const std::string two = in_child({}, [] { return use_processors(2) ? threads_now() : "?"; }).out;
  if (two == "?") GTEST_SKIP() << "one processor only";
  EXPECT_EQ(two, std::to_string(std::min(2, cgroup_processors().value_or(2))));
}

TEST(ThreadCount, TheVariableBeatsTheSystem) {
  EXPECT_EQ(in_child({{"MATPREC_NUM_THREADS", "37"}}, threads_now).out, "37");
}

TEST(ThreadCount, TheCallBeatsTheVariableUntilTakenBack) {
  EXPECT_EQ(in_child({{"MATPREC_NUM_THREADS", "37"}},
                     [] {
                       set_num_threads(5);
                       std::string text = threads_now();
                       set_num_threads(0);
                       return text + ", " + threads_now();
                     })
                .out,
            "5, 37");
}

TEST(ThreadCount, ANumberOutOfRangeIsAnError) {
  EXPECT_EQ(in_child({}, [] { return error_of([] { set_num_threads(-1); }); }).out,
            "set_num_threads: -1 threads; expected 1 to 1024, or 0 to take the setting back");
  EXPECT_EQ(in_child({}, [] { return error_of([] { set_num_threads(1025); }); }).out,
            "set_num_threads: 1025 threads; expected 1 to 1024, or 0 to take the setting back");
  EXPECT_EQ(in_child({}, [] { return error_of([] { set_num_threads(1024); }); }).out, "(no error)");
}

}  // namespace
}  // namespace matprec
