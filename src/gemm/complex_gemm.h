// Complex products as real ones: re = ar*br - ai*bi, im = ar*bi + ai*br, each product a sum of its own.
#ifndef MATPREC_SRC_GEMM_COMPLEX_GEMM_H_
#define MATPREC_SRC_GEMM_COMPLEX_GEMM_H_

#include "src/gemm/gemm.h"

namespace matprec::gemm {

// How many real products a problem takes: 1 if it is real, 2 with one complex operand, else 4.
int real_products(const GemmProblem& problem);

// gemm() for a problem whose output is complex, in blocks of outputs, so that the sums of the real
// products take at most 2 MiB.
void complex_gemm(const GemmProblem& problem, const GemmPlan& plan);

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_COMPLEX_GEMM_H_
