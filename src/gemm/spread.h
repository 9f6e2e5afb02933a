// Tasks of one product over threads, a few at a time.
#ifndef MATPREC_SRC_GEMM_SPREAD_H_
#define MATPREC_SRC_GEMM_SPREAD_H_

#include <algorithm>
#include <cstdint>

#include "src/gemm/range.h"
#include "src/runtime/float_environment.h"
#include "src/runtime/thread_pool.h"

namespace matprec::gemm {

// run_task(0), ..., run_task(tasks - 1), each in the library's floating-point environment.
template <class RunTask>
void spread(std::int64_t tasks, int threads, const RunTask& run_task) {
  // A few groups a thread: enough to even out, few enough to count for nothing.
  const int groups = static_cast<int>(std::min<std::int64_t>(tasks, std::int64_t{threads} * 4));
  parallel_for(threads == 1 ? 1 : groups, threads, [&](int group) {
    const ScopedFloatEnvironment environment;
    const Range range = threads == 1 ? Range{0, tasks} : part_of(tasks, 1, groups, group);
    for (std::int64_t task = range.first; task < range.last; ++task) run_task(task);
  });
}

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_SPREAD_H_
