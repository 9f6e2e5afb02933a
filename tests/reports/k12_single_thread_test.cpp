// Kind K12: "use one thread" is ignored. llama.cpp#22956 (IL-73)
// Each product runs in a child process, which has no threads when it begins.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "matprec/runtime.h"
#include "tests/support/child_process.h"
#include "tests/support/products.h"

namespace matprec::testing {
namespace {

long tasks() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return std::distance(begin(all), end(all));
}

// By how many tasks this process grows during a long product.
std::string growth() {
  const Matrix a = uniform_matrix(700, 700, 1);
  std::atomic<long> before{0}, most{0};
  std::atomic<bool> done{false};
  std::thread watcher([&] {
    before = tasks();  // with the watcher itself
    while (!done) most = std::max(most.load(), tasks());
  });
  while (before == 0) std::this_thread::yield();
  (void)product(a, a, "bf16x6");
  done = true;
  watcher.join();
  return std::to_string(most - before);
}

TEST(SingleThread, ByTheCallAddsNoTask) {
  EXPECT_EQ(in_child({},
                     [] {
                       set_num_threads(1);
                       return growth();
                     })
                .out,
            "0");
}
TEST(SingleThread, ByTheEnvironmentAddsNoTask) {
  EXPECT_EQ(in_child({{"MATPREC_NUM_THREADS", "1"}}, growth).out, "0");
}
TEST(SingleThread, CallAndEnvironmentAgree) {
  const auto report = [] { return std::to_string(num_threads()); };
  EXPECT_EQ(in_child({{"MATPREC_NUM_THREADS", "1"}}, report).out, "1");
  EXPECT_EQ(in_child({{"MATPREC_NUM_THREADS", "3"}},
                     [&] {
                       set_num_threads(1);
                       return report();
                     })
                .out,
            "1");
}
TEST(SingleThread, ThreeThreadsAddTwoTasks) {  // so that the count above can fail
  EXPECT_EQ(in_child({{"MATPREC_NUM_THREADS", "3"}}, growth).out, "2");
}

}  // namespace
}  // namespace matprec::testing
