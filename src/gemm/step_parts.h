// Long sums of few outputs, cut along the steps so that threads have something to share.
//
// A part is a power of two of chunks, from a multiple of that on, which MP-ACC-1 joins before anything else
// joins them: its value is a node of the tree, whoever computes it.
#ifndef MATPREC_SRC_GEMM_STEP_PARTS_H_
#define MATPREC_SRC_GEMM_STEP_PARTS_H_

#include <cstdint>

#include "src/gemm/gemm.h"
#include "src/gemm/gemm_problem.h"

namespace matprec::gemm {

// The steps of a part, for at most `threads` threads: enough parts to even out, each worth a thread, and all of
// their sums in little memory. 0 if the problem is not to be cut.
std::int64_t steps_of_a_part(const GemmProblem& problem, int threads);

// Runs a problem whose plan has step_parts.
void run_step_parts(const GemmProblem& problem, const GemmPlan& plan);

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_STEP_PARTS_H_
