#include "src/runtime/executor.h"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "matprec/c_api.h"
#include "matprec/error.h"

namespace matprec {
namespace {

constinit std::atomic<Executor*> the_executor = nullptr;

const int atfork_registered = pthread_atfork(nullptr, nullptr, [] { the_executor.store(nullptr); });

// The tasks of one product. Copies of the function that an executor gets share it, so that one who
// calls too late finds it closed.
class CountedTasks {
 public:
  CountedTasks(int tasks, const std::function<void(int)>& task)
      : task_(task), begun_(static_cast<std::size_t>(tasks)) {}

  void run(int i) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (i < 0 || static_cast<std::size_t>(i) >= begun_.size())
        return note("ran task " + std::to_string(i));
      if (closed_) return;
      if (begun_[static_cast<std::size_t>(i)])
        return note("ran task " + std::to_string(i) + " again");
      begun_[static_cast<std::size_t>(i)] = true;
      ++begun_count_;
      ++working_;
      if (error_ != nullptr) {  // leave out what has not begun
        --working_;
        return;
      }
    }
    std::exception_ptr error;
    try {
      task_(i);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (error_ == nullptr) error_ = error;
    if (--working_ == 0) done_.notify_all();
  }

  // From now on nothing begins; returns when nothing works.
  void close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    done_.wait(lock, [&] { return working_ == 0; });
  }

  void check() {
    if (error_ != nullptr) std::rethrow_exception(error_);
    if (begun_count_ < begun_.size()) {
      std::size_t first = 0;
      while (begun_[first]) ++first;
      note("left out " + std::to_string(begun_.size() - begun_count_) + ", the first of them " +
           std::to_string(first));
    }
    if (fault_.empty()) return;
    throw Error("executor: of tasks 0 to " + std::to_string(begun_.size() - 1) + " it " + fault_ +
                "; expected each once, and the result is incomplete");
  }

 private:
  void note(const std::string& fault) {
    if (fault_.empty()) fault_ = fault;
  }

  const std::function<void(int)>& task_;  // not touched once closed
  std::mutex mutex_;
  std::condition_variable done_;
  // Under mutex_:
  std::vector<bool> begun_;
  std::size_t begun_count_ = 0;
  int working_ = 0;
  bool closed_ = false;
  std::string fault_;
  std::exception_ptr error_;
};

// What a C program has set.
class CExecutor final : public Executor {
 public:
  CExecutor(matprec_executor function, void* context) : function_(function), context_(context) {}
  bool is(matprec_executor function, void* context) const {
    return function_ == function && context_ == context;
  }

  void run(int tasks, const std::function<void(int)>& task) override {
    function_(
        context_, tasks,
        [](void* data, int i) { (*static_cast<const std::function<void(int)>*>(data))(i); },
        const_cast<std::function<void(int)>*>(&task));
  }

  CExecutor* next = nullptr;  // in the list of all

 private:
  const matprec_executor function_;
  void* const context_;
};

// They are kept, one for each pair ever set: a product of another thread may be about to use it.
CExecutor* c_executor(matprec_executor run, void* context) {
  static constinit std::atomic<CExecutor*> all = nullptr;
  for (CExecutor* e = all.load(std::memory_order_acquire); e != nullptr; e = e->next) {
    if (e->is(run, context)) return e;
  }
  auto* const made = new CExecutor(run, context);
  made->next = all.load(std::memory_order_relaxed);
  while (!all.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
  }
  return made;
}

}  // namespace

Executor* current_executor() { return the_executor.load(std::memory_order_acquire); }

void run_on(Executor& executor, int tasks, const std::function<void(int)>& task) {
  const auto counted = std::make_shared<CountedTasks>(tasks, task);
  try {
    executor.run(tasks, [counted](int i) { counted->run(i); });
  } catch (...) {
    counted->close();
    throw;
  }
  counted->close();
  counted->check();
}

Executor* set_executor(Executor* executor) {
  return the_executor.exchange(atfork_registered == 0 ? executor : nullptr,
                               std::memory_order_acq_rel);
}

}  // namespace matprec

extern "C" void matprec_set_executor(matprec_executor run, void* context) {
  matprec::set_executor(run == nullptr ? nullptr : matprec::c_executor(run, context));
}
