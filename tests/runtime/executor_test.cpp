#include "matprec/executor.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "matprec/c_api.h"
#include "matprec/matprec.h"
#include "src/runtime/thread_pool.h"

namespace matprec {
namespace {

using Task = std::function<void(int)>;

// An executor that is a function, set while it lives.
class Scoped : public Executor {
 public:
  explicit Scoped(std::function<void(int, const Task&)> body) : body_(std::move(body)) {
    set_executor(this);
  }
  ~Scoped() override { set_executor(nullptr); }
  void run(int tasks, const Task& task) override {
    ++runs;
    body_(tasks, task);
  }
  std::atomic<int> runs = 0;

 private:
  const std::function<void(int, const Task&)> body_;
};

void in_reverse(int tasks, const Task& task) {
  for (int i = tasks; i-- > 0;) task(i);
}

void on_a_thread_each(int tasks, const Task& task) {
  std::vector<std::thread> threads;
  for (int i = 0; i < tasks; ++i) threads.emplace_back(task, i);
  for (std::thread& thread : threads) thread.join();
}

Tensor product() {
  std::vector<float> a(200 * 300), b(300 * 220);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 7919 % 1009) / 1009;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 104729 % 997) / 997;
  return matmul(TensorView(a.data(), {200, 300}), TensorView(b.data(), {300, 220}));
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.data<float>(), b.data<float>(), 200 * 220 * sizeof(float)) == 0;
}

class ExecutorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    set_num_threads(1);
    expected_ = product();
    set_num_threads(4);
  }
  void TearDown() override {
    set_executor(nullptr);
    set_num_threads(0);
  }
  Tensor expected_ = Tensor(ElementType::kF32, {0});
};

std::string error_of(const std::function<void(int, const Task&)>& body) {
  Scoped executor(body);
  try {
    parallel_for(8, 4, [](int) {});
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST_F(ExecutorTest, AnyOrderAndAnyThreadsGiveTheSameBits) {
  for (const auto& body : {&in_reverse, &on_a_thread_each}) {
    Scoped executor(body);
    EXPECT_TRUE(same_bits(product(), expected_));
    EXPECT_EQ(executor.runs.load(), 1);
  }
}

TEST_F(ExecutorTest, TasksRunWhereTheExecutorRunsThem) {
  Scoped executor(in_reverse);
  parallel_for(8, 4, [caller = std::this_thread::get_id()](int) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST_F(ExecutorTest, AProductInsideATaskRunsThereAlone) {
  Scoped executor(on_a_thread_each);
  std::atomic<int> same = 0;
  parallel_for(4, 4, [&](int) { same += same_bits(product(), expected_) ? 1 : 0; });
  EXPECT_EQ(same.load(), 4);
  EXPECT_EQ(executor.runs.load(), 1);
}

TEST_F(ExecutorTest, OneThreadNeedsNoExecutor) {
  set_num_threads(1);
  Scoped executor(in_reverse);
  EXPECT_TRUE(same_bits(product(), expected_));
  EXPECT_EQ(executor.runs.load(), 0);
}

TEST_F(ExecutorTest, ATaskRunAgainIsAnErrorAndDoesNothing) {
  EXPECT_EQ(error_of([](int tasks, const Task& task) { in_reverse(tasks, task), task(3); }),
            "executor: of tasks 0 to 7 it ran task 3 again; expected each once, and the result is "
            "incomplete");
}

TEST_F(ExecutorTest, ATaskLeftOutIsAnError) {
  EXPECT_EQ(error_of([](int, const Task& task) { task(0), task(1); }),
            "executor: of tasks 0 to 7 it left out 6, the first of them 2; expected each once, and "
            "the result is "
            "incomplete");
}

TEST_F(ExecutorTest, ANumberThatDoesNotExistIsAnError) {
  EXPECT_EQ(
      error_of([](int tasks, const Task& task) { in_reverse(tasks, task), task(tasks); }),
      "executor: of tasks 0 to 7 it ran task 8; expected each once, and the result is incomplete");
}

TEST_F(ExecutorTest, WhatItThrowsReachesTheCaller) {
  EXPECT_EQ(error_of([](int, const Task&) { throw std::runtime_error("no threads"); }),
            "no threads");
}

TEST_F(ExecutorTest, WhatATaskThrowsReachesTheCallerAndNotTheExecutor) {
  Scoped executor(on_a_thread_each);
  EXPECT_THROW(parallel_for(8, 4,
                            [](int i) {
                              if (i == 5) throw std::runtime_error("task");
                            }),
               std::runtime_error);
}

TEST_F(ExecutorTest, ATaskCalledTooLateDoesNothing) {
  Task kept;
  EXPECT_NE(error_of([&](int, const Task& task) { kept = task; }), "");
  kept(0);
}

TEST_F(ExecutorTest, SettingOneReturnsTheFormer) {
  Scoped executor(in_reverse);
  EXPECT_EQ(set_executor(nullptr), &executor);
  EXPECT_EQ(set_executor(nullptr), nullptr);
}

TEST_F(ExecutorTest, CProgramsSetAFunction) {
  int calls = 0;
  matprec_set_executor(
      [](void* context, int tasks, matprec_task task, void* data) {
        ++*static_cast<int*>(context);
        for (int i = tasks; i-- > 0;) task(data, i);
      },
      &calls);
  EXPECT_TRUE(same_bits(product(), expected_));
  matprec_set_executor(nullptr, nullptr);
  EXPECT_TRUE(same_bits(product(), expected_));
  EXPECT_EQ(calls, 1);
}

#if !defined(__SANITIZE_THREAD__)
TEST_F(ExecutorTest, AChildOfForkBeginsWithoutAndMaySetItsOwn) {
  Scoped executor(in_reverse);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    bool good = set_executor(nullptr) == nullptr;
    Scoped own(in_reverse);
    parallel_for(8, 4, [](int) {});
    good = good && own.runs.load() == 1 && same_bits(product(), expected_);
    _exit(good ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
#endif

}  // namespace
}  // namespace matprec
