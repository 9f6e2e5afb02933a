// Hands the tasks of one product to the program's executor, and counts them.
//
// Knows that an executor may be wrong; not what the tasks compute.
#ifndef MATPREC_SRC_RUNTIME_EXECUTOR_H_
#define MATPREC_SRC_RUNTIME_EXECUTOR_H_

#include <functional>

#include "matprec/executor.h"

namespace matprec {

// nullptr where none is set.
Executor* current_executor();

// Returns when all tasks that began have ended. Errors: as executor.h says, and what a task has
// thrown.
void run_on(Executor& executor, int tasks, const std::function<void(int)>& task);

}  // namespace matprec

#endif  // MATPREC_SRC_RUNTIME_EXECUTOR_H_
