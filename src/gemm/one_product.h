// One product of a batch: its operands and its output, with their places settled.
#ifndef MATPREC_SRC_GEMM_ONE_PRODUCT_H_
#define MATPREC_SRC_GEMM_ONE_PRODUCT_H_

#include <cstdint>

#include "src/gemm/epilogue.h"
#include "src/gemm/gemm_problem.h"
#include "src/gemm/pack.h"

namespace matprec::gemm {

Operand operand_at(const Source& source, std::int64_t batch);

// Swapped: the rows of the target are the columns of the output.
Target target_at(const GemmProblem& problem, std::int64_t batch, bool swapped);

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_ONE_PRODUCT_H_
