// What a second thread brings, and what it costs to wake it.
#include "bench/gemm/classes.h"
#include "bench/gemm/products.h"

namespace matprec::bench {
namespace {

// What two threads take above half of one's time.
void wake(benchmark::State& state, int n) {
  measure_two_threads(state, n);
  if (state.error_occurred()) return;
  const double cube = static_cast<double>(n) * n * n;
  const double microseconds = 2e-3 * cube / state.counters["GFLOP/s"];
  state.counters["wake_us"] = microseconds * (1 - state.counters["%one_thread"] / 200);
}

}  // namespace

void add_threads() {
  // Little more than two threads are worth: the helper sleeps between calls, and waking it shows.
  for (int n : {104, 128}) {
    add(name_of("threads/wake", n), [n](benchmark::State& state) { wake(state, n); });
  }
  for (int n : {512, 768, 1000, 1024, 1536, 2048}) {
    add(name_of("threads/square", n), [n](benchmark::State& state) { measure_two_threads(state, n); });
  }
}

}  // namespace matprec::bench
