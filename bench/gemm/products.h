// The entries that are measured, on given operands, as things to repeat.
#ifndef MATPREC_BENCH_GEMM_PRODUCTS_H_
#define MATPREC_BENCH_GEMM_PRODUCTS_H_

#include "bench/gemm/measure.h"
#include "bench/gemm/operands.h"
#include "matprec/dot_algorithm.h"

namespace matprec::bench {

// The C entries. All refer to the operands, which stay where they are.
Repeated sgemm(Operands& operands);
Repeated dgemm(Operands& operands);
Repeated gemm_bf16(Operands& operands);  // bfloat16 operands, float32 result
Repeated sgemm_batch_strided(Operands& operands);
Repeated sgemm_batch(Operands& operands);  // pointers to the matrices of the batch
// dot_general_into() with this algorithm.
Repeated dot_general_into(Operands& operands, DotAlgorithm algorithm);

// A square float32 product by sgemm() on two threads, relative to one, sample by sample.
void measure_two_threads(benchmark::State& state, int n);

// Registers a float32 product by sgemm().
void add_sgemm(const std::string& name, const Sizes& sizes);

}  // namespace matprec::bench

#endif  // MATPREC_BENCH_GEMM_PRODUCTS_H_
