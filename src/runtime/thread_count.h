// The processors that this process may use, which is the number of threads unless somebody says
// otherwise.
#ifndef MATPREC_SRC_RUNTIME_THREAD_COUNT_H_
#define MATPREC_SRC_RUNTIME_THREAD_COUNT_H_

namespace matprec {

// The smaller of the calling thread's affinity mask and the cgroup quota; asks the system at each
// call.
int available_processors();

}  // namespace matprec

#endif  // MATPREC_SRC_RUNTIME_THREAD_COUNT_H_
