// How fast one thread can be at best: fused multiply-adds in registers, without any memory.
#ifndef MATPREC_BENCH_GEMM_FMA_PEAK_H_
#define MATPREC_BENCH_GEMM_FMA_PEAK_H_

#include "matprec/element_type.h"

namespace matprec::bench {

// GFLOP/s of one thread with the vectors of current_target(), the fastest of some samples; takes 4 ms.
// Type: kF32 or kF64. Targets without a fused multiply-add multiply and add.
double fma_peak(ElementType type);

}  // namespace matprec::bench

#endif  // MATPREC_BENCH_GEMM_FMA_PEAK_H_
