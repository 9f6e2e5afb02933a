#include "bench/gemm/measure.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "bench/gemm/fma_peak.h"
#include "bench/gemm/memory_rate.h"

namespace matprec::bench {
namespace {

constexpr double kSampleSeconds = 100e-6;  // beside which reading the clock is nothing

bool found_wrong = false;

double seconds(const Repeated& run, int times) {
  const auto begin = std::chrono::steady_clock::now();
  run(times);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// How many calls make a sample. Warms up on the way.
int calls_of(const Repeated& run) {
  int calls = 1;
  while (seconds(run, calls) < kSampleSeconds && calls < 1 << 20) calls *= 2;
  return calls;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void measure(benchmark::State& state, Operands& operands, DotAlgorithm algorithm, const Repeated& run,
             const Baseline& baseline) {
  operands.spoil();
  run(1);
  if (!operands.is_right(algorithm)) {
    found_wrong = true;
    return state.SkipWithError("wrong result");
  }
  double peak = fma_peak(operands.result());
  const int calls = calls_of(run);
  const int baseline_calls = baseline.run ? calls_of(baseline.run) : 0;
  double fastest = 1e300;
  std::vector<double> speeds;  // relative to the baseline
  while (state.KeepRunningBatch(calls)) {
    const double sample = seconds(run, calls);
    state.SetIterationTime(sample);
    const double time = sample / calls;
    fastest = std::min(fastest, time);
    if (baseline.run) speeds.push_back(seconds(baseline.run, baseline_calls) / baseline_calls / time);
  }
  peak = std::max(peak, fma_peak(operands.result()));
  const double speed = 1e-9 * operands.flops() / fastest;
  state.counters["GFLOP/s"] = speed;
  state.counters["%memory"] = 1e-7 * operands.bytes() / fastest / memory_rate();
  state.counters["%peak"] = 100 * speed / (peak * num_threads());
  if (baseline.run) state.counters["%" + baseline.counter] = 100 * median(speeds);
  state.SetLabel(std::string(current_target()) + ", " + std::to_string(num_threads()) +
                 (num_threads() == 1 ? " thread" : " threads"));
}

std::string name_of(const std::string& group, int n) { return group + "/" + std::to_string(n); }

std::string name_of(const std::string& group, const Sizes& sizes) {
  return group + "/" + std::to_string(sizes.m) + "x" + std::to_string(sizes.n) + "x" +
         std::to_string(sizes.k);
}

void add(const std::string& name, const std::function<void(benchmark::State&)>& function) {
  benchmark::RegisterBenchmark(name.c_str(), function)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

bool any_wrong() { return found_wrong; }

}  // namespace matprec::bench
