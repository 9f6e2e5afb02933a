#include "src/runtime/thread_pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "matprec/runtime.h"
#include "src/runtime/executor.h"
#include "src/runtime/float_environment.h"
#include "src/runtime/workspace.h"

namespace matprec {
namespace {

thread_local bool inside_a_task = false;

// Stands around tasks.
class InsideATask {
 public:
  InsideATask() { inside_a_task = true; }
  ~InsideATask() { inside_a_task = was_inside_; }
  InsideATask(const InsideATask&) = delete;
  InsideATask& operator=(const InsideATask&) = delete;

 private:
  const bool was_inside_ = inside_a_task;
  const WorkspaceUse use_;
};

// Threads of the program that are in a call now, and not inside a task of another. A thread that multiplies
// needs a core, so each but the first takes the place of a helper.
constinit std::atomic<int> callers = 0;
thread_local bool is_caller = false;

class Caller {
 public:
  Caller() {
    if (!counted_) return;
    is_caller = true;
    callers.fetch_add(1, std::memory_order_relaxed);
  }
  ~Caller() {
    if (!counted_) return;
    is_caller = false;
    callers.fetch_sub(1, std::memory_order_relaxed);
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

 private:
  const bool counted_ = !is_caller && !inside_a_task;
};

// The tasks of one call: threads take numbers until none is left.
class Job {
 public:
  Job(int tasks, int cores, const std::function<void(int)>& task)
      : tasks_(tasks), cores_(cores), task_(task) {}

  // A helper goes when callers have come that need its core.
  void help() noexcept {
    helpers_.fetch_add(1, std::memory_order_relaxed);
    work([this] {
      int helpers = helpers_.load(std::memory_order_relaxed);
      while (callers.load(std::memory_order_relaxed) + helpers > cores_) {
        if (helpers_.compare_exchange_weak(helpers, helpers - 1, std::memory_order_relaxed)) return false;
      }
      return true;
    });
  }
  void work() noexcept {
    work([] { return true; });
  }
  void rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  template <class MayGoOn>
  void work(const MayGoOn& may_go_on) noexcept {
    const InsideATask inside;
    try {
      for (int i; may_go_on() && (i = next_.fetch_add(1, std::memory_order_relaxed)) < tasks_;) task_(i);
    } catch (...) {
      next_.store(tasks_, std::memory_order_relaxed);  // leave out what has not begun
      const std::lock_guard lock(mutex_);
      if (error_ == nullptr) error_ = std::current_exception();
    }
  }

  const int tasks_;
  const int cores_;  // callers and helpers together
  std::atomic<int> helpers_ = 0;
  const std::function<void(int)>& task_;
  std::atomic<int> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
};

class ThreadPool {
 public:
  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  bool try_acquire() { return !busy_.exchange(true, std::memory_order_acquire); }
  void release() { busy_.store(false, std::memory_order_release); }

  // Only by the thread that has acquired the pool.
  void run(Job& job, int helpers) {
    helpers = grow(helpers);
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      seats_ = helpers;
    }
    for (int i = 0; i < helpers; ++i) wake_.notify_one();
    job.work();
    std::unique_lock lock(mutex_);
    seats_ = 0;  // who has not sat down by now is not needed
    done_.wait(lock, [&] { return working_ == 0; });
    job_ = nullptr;
  }

 private:
  // Makes threads up to `wanted`, or as many as the system grants; returns how many may help.
  int grow(int wanted) {
    const auto count = static_cast<std::size_t>(wanted);
    if (threads_.size() >= count) return wanted;
    // The program's signal handlers run on the program's threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      threads_.reserve(count);
      while (threads_.size() < count) threads_.emplace_back([this] { live(); });
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return static_cast<int>(std::min(threads_.size(), count));
  }

  void live() {
    const ScopedFloatEnvironment ours;
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return stop_ || seats_ > 0; });
      if (stop_) return;
      --seats_;
      ++working_;
      Job& job = *job_;
      lock.unlock();
      job.help();
      lock.lock();
      if (--working_ == 0) done_.notify_one();
    }
  }

  std::atomic<bool> busy_ = false;
  std::vector<std::thread> threads_;  // by the thread that has acquired the pool
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  // Under mutex_:
  Job* job_ = nullptr;
  int seats_ = 0;    // helpers still wanted
  int working_ = 0;  // helpers at work
  bool stop_ = false;
};

// The pool of this process. All lock-free, so that a fork() at any moment leaves nothing half done.
class ProcessPool {
 public:
  constexpr ProcessPool() = default;

  // The process ends or the library is unloaded: nobody may begin a call now. A thread that is
  // still inside one keeps the pool, and the system ends its threads.
  ~ProcessPool() {
    closed_.store(true);
    ThreadPool* const pool = pool_.load(std::memory_order_acquire);
    if (pool != nullptr && pool->try_acquire()) {
      pool_.store(nullptr);
      delete pool;
    }
  }

  // The pool, acquired; nullptr when the caller has to work alone.
  ThreadPool* try_acquire() {
    if (closed_.load(std::memory_order_acquire)) return nullptr;
    ThreadPool* pool = pool_.load(std::memory_order_acquire);
    if (pool == nullptr) {
      auto mine = std::make_unique<ThreadPool>();
      if (pool_.compare_exchange_strong(pool, mine.get(), std::memory_order_acq_rel)) {
        pool = mine.release();
      }
    }
    return pool->try_acquire() ? pool : nullptr;
  }

  // In a child of fork() the threads are gone, and the parent's locks may stand at any state. The
  // old pool is left as it is, reachable and untouched.
  void abandon_in_child() {
    abandoned_ = pool_.exchange(nullptr);
    inside_a_task = false;
    callers.store(is_caller ? 1 : 0, std::memory_order_relaxed);
  }

 private:
  std::atomic<ThreadPool*> pool_ = nullptr;
  std::atomic<bool> closed_ = false;
  ThreadPool* abandoned_ = nullptr;
};

constinit ProcessPool process_pool;

const int atfork_registered =
    pthread_atfork(nullptr, nullptr, [] { process_pool.abandon_in_child(); });

}  // namespace

void parallel_for(int tasks, int threads, const std::function<void(int)>& task) {
  const Caller caller;
  const int most = std::min(threads, tasks);
  const int cores = most < 2 ? 1 : std::max(threads, num_threads());
  const int helpers = std::min(most - 1, cores - callers.load(std::memory_order_relaxed));
  Executor* const executor = most < 2 || inside_a_task ? nullptr : current_executor();
  if (executor != nullptr) {
    return run_on(*executor, tasks, [&task](int i) {
      const InsideATask inside;
      task(i);
    });
  }
  ThreadPool* const pool =
      helpers < 1 || inside_a_task || atfork_registered != 0 ? nullptr : process_pool.try_acquire();
  if (pool == nullptr) {
    const WorkspaceUse use;
    for (int i = 0; i < tasks; ++i) task(i);
    return;
  }
  Job job(tasks, cores, task);
  pool->run(job, helpers);
  pool->release();
  job.rethrow();
}

}  // namespace matprec
