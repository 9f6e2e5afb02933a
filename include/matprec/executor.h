// The program's own threads for the tasks of products, in place of the library's pool.
//
//   struct Tbb : mp::Executor {
//     void run(int tasks, const std::function<void(int)>& task) override { tbb::parallel_for(0,
//     tasks, task); }
//   } tbb;
//   mp::set_executor(&tbb);
//
// It changes speed, never a bit. A product that needs one thread alone does not come here, nor one
// that is begun inside a task; set_num_threads() says into how many parts the others are cut.
#ifndef MATPREC_EXECUTOR_H_
#define MATPREC_EXECUTOR_H_

#include <functional>

#include "matprec/export.h"

namespace matprec {

class Executor {
 public:
  virtual ~Executor() = default;

  // Calls task(0) ... task(tasks - 1), each once, in any order and on any threads, one or many, and
  // returns when all have ended. Products of several threads may be in here at once. `task` never
  // throws, and a copy of it may outlive the call.
  //
  // A task that is run again does nothing. If one is run again, left out, or has a number that does
  // not exist, the product ends with an Error that says so; what run() throws reaches the caller of
  // the product. Either way after the tasks that began have ended; the result is then incomplete.
  virtual void run(int tasks, const std::function<void(int)>& task) = 0;
};

// For all threads of the process; nullptr takes it back. Returns the former one, as a product that
// has begun may still use it: it must live until those have ended. A child of fork() begins
// without, because the executor's threads are not there; it may set its own.
MATPREC_API Executor* set_executor(Executor* executor);

}  // namespace matprec

#endif  // MATPREC_EXECUTOR_H_
