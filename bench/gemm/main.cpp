// gemm_bench: products by class, with Google Benchmark. docs/contributing.md says how to run it.
#include <benchmark/benchmark.h>

#include <cstdio>

#include "bench/gemm/classes.h"
#include "bench/gemm/measure.h"
#include "matprec/matprec.h"

int main(int argc, char** argv) {
  namespace mp = matprec;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (mp::effective().source != mp::Source::kBuiltIn) {
    std::fprintf(stderr, "gemm_bench: float32 would run %s; unset it\n",
                 mp::to_string(mp::effective()).c_str());
    return 2;
  }
  const bool two_threads = mp::num_threads() > 1;
  mp::set_num_threads(1);

  mp::bench::add_squares();
  mp::bench::add_batches();
  mp::bench::add_thin_ones();
  mp::bench::add_prepacked();
  mp::bench::add_algorithms();
  mp::bench::add_calls();
  if (two_threads) {
    mp::bench::add_threads();
  } else {
    std::fprintf(stderr, "gemm_bench: without the class threads, which takes two processors\n");
  }
  mp::bench::add_growth(two_threads);
  benchmark::RunSpecifiedBenchmarks();
  return mp::bench::any_wrong() ? 1 : 0;
}
