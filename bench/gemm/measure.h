// One benchmark: check the result, time the product, and put what was found into counters.
#ifndef MATPREC_BENCH_GEMM_MEASURE_H_
#define MATPREC_BENCH_GEMM_MEASURE_H_

#include <benchmark/benchmark.h>

#include <functional>
#include <string>

#include "bench/gemm/operands.h"
#include "matprec/dot_algorithm.h"

namespace matprec::bench {

// Something that is done so many times in a row.
using Repeated = std::function<void(int times)>;

// The loop stands in the function, so that a call through std::function is paid once.
template <class Function>
Repeated repeated(Function function) {
  return [function](int times) {
    for (int i = 0; i < times; ++i) function();
  };
}

// What a product is compared with, by the name of its counter; timed in alternation with it.
struct Baseline {
  std::string counter;
  Repeated run;
};

// Fails the benchmark, and the program at its end, if `run` leaves a wrong result in the operands.
// Counters:
//   GFLOP/s   of the fastest sample, 2 m n k whatever the number of FMAs per element
//   %peak     that, of the FMA peak of the threads in use, taken before and after
//   %memory   bytes of the operands and the result, once each, in its time, of what one thread reads from memory;
//             above 100 where caches hold them
//   %NAME     speed of the baseline's: 100 is as fast. The median of neighbours
// The label names the SIMD target and the threads.
void measure(benchmark::State& state, Operands& operands, DotAlgorithm algorithm, const Repeated& run,
             const Baseline& baseline = {});

// "square/512", "weights/8x4096x4096".
std::string name_of(const std::string& group, int n);
std::string name_of(const std::string& group, const Sizes& sizes);

// Registers a benchmark. Its time is that of one call.
void add(const std::string& name, const std::function<void(benchmark::State&)>& function);

// Whether a benchmark has found a wrong result.
bool any_wrong();

}  // namespace matprec::bench

#endif  // MATPREC_BENCH_GEMM_MEASURE_H_
