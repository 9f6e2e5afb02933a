// Square products of every algorithm through the public API, with Google Benchmark.
//
// Counters: GFLOP/s (2 m n k, whatever the number of FMAs per element), and the time relative to float32
// of the same shape, taken in alternation. The label names the SIMD target and the threads. Each case
// checks its result once: against the scalar oracle up to 128, against the promised error bound above.
//
// For figures that are worth keeping: one pinned processor, nothing else running, medians of repetitions:
//   taskset -c 1 build/release/bench/gemm_bench --benchmark_repetitions=9
//     --benchmark_report_aggregates_only --benchmark_filter='/(fp32|tf32|bf16x3)/'
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "matprec/matprec.h"

namespace mp = matprec;

namespace {

// A fixed sequence in [-1, 1): every run measures the same numbers.
mp::Tensor matrix(std::int64_t n, std::uint64_t seed) {
  mp::Tensor t = mp::Tensor::uninitialized(mp::ElementType::kF32, {n, n});
  for (std::int64_t i = 0; i < t.size(); ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    t.data<float>()[i] = static_cast<float>(static_cast<std::int32_t>(seed >> 32)) * 0x1p-31f;
  }
  return t;
}

bool is_right(const mp::Tensor& a, const mp::Tensor& b, mp::DotAlgorithm algorithm) {
  const mp::Tensor got = mp::matmul(a, b, {.precision = algorithm});
  const std::int64_t n = a.shape()[0];
  if (n <= 128) {
    mp::Tensor expected(mp::ElementType::kF32, {n, n});
    mp::reference_dot_general_into(expected, a, b, {{1}, {0}, {}, {}}, algorithm);
    return std::memcmp(got.data(), expected.data(), static_cast<std::size_t>(n * n) * 4) == 0;
  }
  const double factor = mp::error_factor(algorithm, n) + 0x1p-24;
  for (std::int64_t i = 0; i < n; i += n / 7) {
    for (std::int64_t j = 0; j < n; j += n / 5) {
      double sum = 0, magnitude = 0;
      for (std::int64_t k = 0; k < n; ++k) {
        const double p = static_cast<double>(a.data<float>()[i * n + k]) *
                         static_cast<double>(b.data<float>()[k * n + j]);
        sum += p;
        magnitude += std::fabs(p);
      }
      const double error = std::fabs(static_cast<double>(got.data<float>()[i * n + j]) - sum);
      if (!(error <= factor * magnitude)) return false;
    }
  }
  return true;
}

double seconds(const mp::Tensor& a, const mp::Tensor& b, mp::DotAlgorithm algorithm) {
  const auto begin = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(mp::matmul(a, b, {.precision = algorithm}));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void square(benchmark::State& state, mp::DotAlgorithm algorithm, std::int64_t n) {
  const mp::Tensor a = matrix(n, 1), b = matrix(n, 2);
  if (!is_right(a, b, algorithm)) return state.SkipWithError("wrong result");
  double own = 0, fp32 = 0;
  for (auto _ : state) {
    const double time = seconds(a, b, algorithm);
    state.SetIterationTime(time);
    own += time;
    state.PauseTiming();
    fp32 += seconds(a, b, mp::DotAlgorithm::kF32_F32_F32);
    state.ResumeTiming();
  }
  const double cube = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  state.counters["GFLOP/s"] = benchmark::Counter(2e-9 * cube * static_cast<double>(state.iterations()) / own);
  state.counters["time/fp32"] = benchmark::Counter(own / fp32);
  state.SetLabel(std::string(mp::current_target()) + ", " + std::to_string(mp::num_threads()) +
                 " threads");
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (const mp::AlgorithmInfo& row : mp::kAlgorithms) {
    if (!mp::rounds_operands(row.algorithm)) continue;  // the operands are float32
    for (std::int64_t n : {16, 64, 128, 256, 512, 1024, 2048}) {
      const std::string name = "square/" + std::string(row.short_name) + "/" + std::to_string(n);
      benchmark::RegisterBenchmark(name.c_str(), square, row.algorithm, n)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
