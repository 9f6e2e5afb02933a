// Spreads the tasks of one product over threads.
//
// Knows tasks by number; not what they compute, nor how many threads are wise.
#ifndef MATPREC_SRC_RUNTIME_THREAD_POOL_H_
#define MATPREC_SRC_RUNTIME_THREAD_POOL_H_

#include <functional>

namespace matprec {

// Runs task(0) ... task(tasks - 1), each once and in no fixed order, on the calling thread and up
// to threads - 1 others, and returns when all have ended. If a task throws, tasks not begun are
// left out and the first exception is rethrown here.
//
// Where the program has set an executor (matprec/executor.h), tasks run there instead, and only a call for one
// thread, for one task or from inside a task stays on the calling thread.
//
// Otherwise the calling thread runs all of them alone when threads or tasks is below 2, when it is itself
// inside a task, while another thread is in here, and after the process has begun to end. Pool
// threads run in the library's floating-point environment (float_environment.h), block signals,
// sleep while idle, and are made when first wanted. Threads of the program that are in here at once
// count for cores: there are as many helpers less, and one that is at work leaves after its task. A child of fork() gets threads of its own.
void parallel_for(int tasks, int threads, const std::function<void(int)>& task);

}  // namespace matprec

#endif  // MATPREC_SRC_RUNTIME_THREAD_POOL_H_
