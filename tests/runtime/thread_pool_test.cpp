#include "src/runtime/thread_pool.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "matprec/runtime.h"

namespace matprec {
namespace {

// Waits, without an own opinion on time, until the condition holds; the test's time limit is the
// end.
void wait_for(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// 0 if the child ended well within 20 seconds.
int status_of_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

bool computes_all(int tasks, int threads) {
  std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
  parallel_for(tasks, threads, [&](int i) { ++runs[static_cast<std::size_t>(i)]; });
  for (const auto& count : runs) {
    if (count.load() != 1) return false;
  }
  return true;
}

// The tasks wait for each other, so this returns only if `threads` threads work at once.
bool works_with(int threads) {
  std::atomic<int> arrived = 0;
  parallel_for(threads, threads, [&](int) {
    ++arrived;
    wait_for([&] { return arrived.load() == threads; });
  });
  return true;
}

TEST(ThreadPool, RunsEachTaskOnce) {
  for (const int threads : {0, 1, 2, 3, 5, 8}) {
    for (const int tasks : {0, 1, 2, 7, 100}) {
      EXPECT_TRUE(computes_all(tasks, threads)) << tasks << " tasks, " << threads << " threads";
    }
  }
}

TEST(ThreadPool, WorksOnAsManyThreadsAsAsked) {
  for (const int threads : {2, 5, 3}) EXPECT_TRUE(works_with(threads));
}

TEST(ThreadPool, TheCallerWorksToo) {
  const auto caller = std::this_thread::get_id();
  std::atomic<int> arrived = 0;
  std::atomic<int> by_caller = 0;
  parallel_for(2, 2, [&](int) {
    if (std::this_thread::get_id() == caller) ++by_caller;
    ++arrived;
    wait_for([&] { return arrived.load() == 2; });
  });
  EXPECT_EQ(by_caller.load(), 1);
}

TEST(ThreadPool, OneThreadIsTheCaller) {
  parallel_for(10, 1, [caller = std::this_thread::get_id()](int) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST(ThreadPool, ACallFromInsideATaskRunsThereAlone) {
  std::atomic<int> inner = 0;
  parallel_for(4, 4, [&](int) {
    const auto here = std::this_thread::get_id();
    parallel_for(3, 4, [&](int) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      ++inner;
    });
  });
  EXPECT_EQ(inner.load(), 12);
}

TEST(ThreadPool, ASecondCallerRunsAloneWhileThePoolIsBusy) {
  std::atomic<bool> busy = false;
  std::atomic<bool> second_is_done = false;
  std::thread first([&] {
    parallel_for(2, 2, [&](int) {
      busy = true;
      wait_for([&] { return second_is_done.load(); });
    });
  });
  wait_for([&] { return busy.load(); });
  parallel_for(5, 4, [caller = std::this_thread::get_id()](int) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
  second_is_done = true;
  first.join();
}

TEST(ThreadPool, ManyCallersGetAllTheirTasksDone) {
  std::vector<std::thread> callers;
  std::atomic<int> good = 0;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) good += computes_all(9, 3) ? 1 : 0;
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(good.load(), 800);
}

// A caller takes a core: a helper of another caller leaves it when its task is over.
TEST(ThreadPool, HelpersGiveWayToCallers) {
  set_num_threads(2);
  std::atomic<bool> first_is_helped = false, second_is_inside = false, stop = false;
  std::atomic<int> late = 0, done = 0;
  std::thread first([&] {
    const auto self = std::this_thread::get_id();
    parallel_for(1000, 2, [&](int) {
      if (std::this_thread::get_id() != self) {
        first_is_helped = true;
        if (second_is_inside) ++late;
      }
      ++done;
      if (stop) return;
      if (!second_is_inside) wait_for([&] { return first_is_helped.load(); });
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
  });
  wait_for([&] { return first_is_helped.load(); });
  std::thread second([&] {
    parallel_for(300, 2, [&, self = std::this_thread::get_id()](int) {
      EXPECT_EQ(std::this_thread::get_id(), self);  // nor has it helpers of its own
      second_is_inside = true;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
    stop = true;
  });
  second.join();
  first.join();
  set_num_threads(0);
  EXPECT_EQ(done.load(), 1000);
  EXPECT_LE(late.load(), 1);  // the one that it had begun to take
}

TEST(ThreadPool, AnExceptionReachesTheCaller) {
  for (const int threads : {1, 4}) {
    try {
      parallel_for(50, threads, [](int i) {
        if (i == 7) throw std::runtime_error("task 7");
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "task 7");
    }
    EXPECT_TRUE(computes_all(20, threads));
  }
}

TEST(ThreadPool, TheFirstOfSeveralExceptionsCounts) {
  std::atomic<int> arrived = 0;
  EXPECT_THROW(parallel_for(3, 3,
                            [&](int) {
                              ++arrived;
                              wait_for([&] { return arrived.load() == 3; });
                              throw std::runtime_error("each");
                            }),
               std::runtime_error);
}

TEST(ThreadPool, TasksNotBegunAreLeftOutAfterAnException) {
  std::atomic<int> ran = 0;
  EXPECT_THROW(parallel_for(1000000, 2,
                            [&](int) {
                              ++ran;
                              throw std::runtime_error("first");
                            }),
               std::runtime_error);
  EXPECT_LE(ran.load(), 2);
}

TEST(ThreadPool, ThreadsBlockSignals) {
  const auto caller = std::this_thread::get_id();
  std::atomic<int> arrived = 0;
  parallel_for(2, 2, [&](int) {
    ++arrived;
    wait_for([&] { return arrived.load() == 2; });
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    EXPECT_EQ(sigismember(&mask, SIGALRM), std::this_thread::get_id() == caller ? 0 : 1);
  });
}

// ThreadSanitizer ends children of programs that have threads. AddressSanitizer before LLVM 18 does
// not hold its allocator's locks across fork(), so a child may wait forever for one that another
// thread had: there nothing forks while another thread works.
#if defined(__SANITIZE_THREAD__)
#define MATPREC_TEST_NO_FORK
#elif defined(__SANITIZE_ADDRESS__)
#define MATPREC_TEST_NO_FORK_BESIDE_THREADS
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MATPREC_TEST_NO_FORK
#elif __has_feature(address_sanitizer) && __clang_major__ < 18
#define MATPREC_TEST_NO_FORK_BESIDE_THREADS
#endif
#endif

#ifndef MATPREC_TEST_NO_FORK
TEST(ThreadPool, AChildOfForkHasThreadsOfItsOwn) {
  EXPECT_TRUE(works_with(3));
  EXPECT_EQ(status_of_child([] { return works_with(3); }), 0);
  EXPECT_TRUE(works_with(3));
}

TEST(ThreadPool, AGrandchildHasThreadsOfItsOwn) {
  EXPECT_TRUE(works_with(2));
  EXPECT_EQ(status_of_child(
                [] { return works_with(2) && status_of_child([] { return works_with(2); }) == 0; }),
            0);
}

#ifndef MATPREC_TEST_NO_FORK_BESIDE_THREADS
TEST(ThreadPool, ForkWorksWhileAnotherThreadComputes) {
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    while (!stop.load()) parallel_for(4, 4, [](int) { std::this_thread::yield(); });
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(status_of_child([] { return works_with(3); }), 0);
  stop = true;
  busy.join();
}

TEST(ThreadPool, ForkFromInsideATaskLeavesAUsableChild) {
  std::atomic<int> good = 0;
  parallel_for(2, 2,
               [&](int) { good += status_of_child([] { return works_with(2); }) == 0 ? 1 : 0; });
  EXPECT_EQ(good.load(), 2);
}
#endif
#endif

// exit() runs destructors: threads are joined, and who still multiplies then does it alone.
TEST(ThreadPoolDeathTest, TheProcessEndsWellAndStaticDestructorsMayStillCompute) {
  EXPECT_EXIT(
      {
        std::atexit([] { _exit(computes_all(8, 4) ? 7 : 1); });  // before the pool's destructor
        works_with(3);
        std::exit(0);
      },
      ::testing::ExitedWithCode(7), "");
  EXPECT_EXIT(
      {
        works_with(3);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(ThreadPoolDeathTest, TheProcessMayEndWhileAnotherThreadComputes) {
  EXPECT_EXIT(
      {
        std::atomic<bool> busy = false;
        std::thread([&] {
          parallel_for(2, 2, [&](int) {
            busy = true;
            pause();
          });
        }).detach();
        wait_for([&] { return busy.load(); });
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace matprec
