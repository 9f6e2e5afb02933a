// How fast one thread can read at best: what memory itself allows, without any arithmetic to speak of.
#ifndef MATPREC_BENCH_GEMM_MEMORY_RATE_H_
#define MATPREC_BENCH_GEMM_MEMORY_RATE_H_

namespace matprec::bench {

// GB/s from a buffer that no cache holds: the fastest pass of all so far. Takes half a second at first, then the time
// of a pass, some 25 ms.
double memory_rate();

}  // namespace matprec::bench

#endif  // MATPREC_BENCH_GEMM_MEMORY_RATE_H_
