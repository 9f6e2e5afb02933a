// Products with a single row or column.
#ifndef MATPREC_SRC_GEMM_VECTOR_GEMM_H_
#define MATPREC_SRC_GEMM_VECTOR_GEMM_H_

#include "src/gemm/gemm.h"
#include "src/gemm/gemm_problem.h"

namespace matprec::gemm {

// Whether vector_gemm() takes the problem.
bool is_vector_product(const GemmProblem& problem);

// Outputs [first, last) of the longer side of product `batch`. In the floating-point environment of the
// library.
void vector_gemm(const GemmProblem& problem, const GemmPlan& plan, std::int64_t batch, std::int64_t first,
                 std::int64_t last);

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_VECTOR_GEMM_H_
