// Products with a single row or column.
#ifndef MATPREC_SRC_GEMM_VECTOR_GEMM_H_
#define MATPREC_SRC_GEMM_VECTOR_GEMM_H_

#include <cstdint>

#include "src/gemm/gemm.h"
#include "src/gemm/gemm_problem.h"
#include "src/kernels/kernel_table.h"

namespace matprec::gemm {

// Whether vector_gemm() takes the problem.
bool is_vector_product(const GemmProblem& problem);

// Whether it is faster line by line than as the small product that it is too.
bool is_rather_vector(const GemmProblem& problem, const kernels::KernelTable& kernels);

// Outputs [first, last) of the longer side of product `batch`. In the floating-point environment of the
// library.
void vector_gemm(const GemmProblem& problem, const GemmPlan& plan, std::int64_t batch, std::int64_t first,
                 std::int64_t last);

// A product of one row or column in T's own algorithm, whatever its strides.
template <class T>
struct AnyVectorProduct {
  std::int64_t m, n, k;
  const T* a;
  std::int64_t a_row, a_step;
  const T* b;
  std::int64_t b_step, b_column;
  T* c;
  std::int64_t c_row, c_column;
};

// False: vector_at_once() takes no product of n outputs and k steps, where the matrix lies by steps or not.
inline bool may_be_vector(std::int64_t n, std::int64_t k, bool by_steps) {
  constexpr std::int64_t kFewLines = 8;
  return k > kernels::kChunkSteps || (by_steps && n > kFewLines);
}

// Runs it at once if it would be over before a plan is made and vector and result lie in lines. False, and nothing
// is done, if not, or if small_gemm() is faster.
bool vector_at_once(const AnyVectorProduct<float>& product, const kernels::KernelTable& kernels);
bool vector_at_once(const AnyVectorProduct<double>& product, const kernels::KernelTable& kernels);

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_VECTOR_GEMM_H_
