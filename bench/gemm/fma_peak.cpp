#include "bench/gemm/fma_peak.h"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "matprec/runtime.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace matprec::bench {
namespace {

// Each sum waits for its own last step only. Twelve keep two units with four or five cycles of latency busy.
constexpr int kSums = 12;

// A function of its own for each target, compiled for it. The compiler knows neither the factor nor who
// reads the sums, so it can leave nothing out.
#define MATPREC_FMA_LOOP(NAME, TARGET, VECTOR, SCALAR, BROADCAST, FMA) \
  TARGET void NAME(int steps, double factor) {                         \
    const VECTOR x = BROADCAST(static_cast<SCALAR>(factor));           \
    VECTOR sums[kSums];                                                \
    for (int i = 0; i < kSums; ++i) {                                  \
      sums[i] = BROADCAST(static_cast<SCALAR>(factor * (i + 1)));      \
    }                                                                  \
    for (int step = 0; step < steps; ++step) {                         \
      for (int i = 0; i < kSums; ++i) sums[i] = FMA(sums[i], x, x);    \
    }                                                                  \
    for (VECTOR& sum : sums) asm volatile("" ::"m"(sum));              \
  }

#if defined(__x86_64__)
#define MATPREC_AVX512 __attribute__((target("avx512f")))
#define MATPREC_AVX2 __attribute__((target("avx2,fma")))
MATPREC_FMA_LOOP(avx512_f32, MATPREC_AVX512, __m512, float, _mm512_set1_ps, _mm512_fmadd_ps)
MATPREC_FMA_LOOP(avx512_f64, MATPREC_AVX512, __m512d, double, _mm512_set1_pd, _mm512_fmadd_pd)
MATPREC_FMA_LOOP(avx2_f32, MATPREC_AVX2, __m256, float, _mm256_set1_ps, _mm256_fmadd_ps)
MATPREC_FMA_LOOP(avx2_f64, MATPREC_AVX2, __m256d, double, _mm256_set1_pd, _mm256_fmadd_pd)
#endif

// 16 bytes.
using Floats = float __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(16)));
inline Floats floats(float x) { return Floats{x, x, x, x}; }
inline Doubles doubles(double x) { return Doubles{x, x}; }
#if defined(__aarch64__)
inline Floats multiply_add(Floats a, Floats b, Floats c) { return Floats(vfmaq_f32(c, a, b)); }
inline Doubles multiply_add(Doubles a, Doubles b, Doubles c) { return Doubles(vfmaq_f64(c, a, b)); }
#else
inline Floats multiply_add(Floats a, Floats b, Floats c) { return a * b + c; }
inline Doubles multiply_add(Doubles a, Doubles b, Doubles c) { return a * b + c; }
#endif
MATPREC_FMA_LOOP(plain_f32, , Floats, float, floats, multiply_add)
MATPREC_FMA_LOOP(plain_f64, , Doubles, double, doubles, multiply_add)

struct Loop {
  void (*run)(int steps, double factor);
  int lanes;
};

Loop loop_of(std::string_view target, bool is_double) {
#if defined(__x86_64__)
  if (target.substr(0, 4) == "AVX3") return is_double ? Loop{avx512_f64, 8} : Loop{avx512_f32, 16};
  if (target == "AVX2") return is_double ? Loop{avx2_f64, 4} : Loop{avx2_f32, 8};
#endif
  static_cast<void>(target);
  return is_double ? Loop{plain_f64, 2} : Loop{plain_f32, 4};
}

}  // namespace

double fma_peak(ElementType type) {
  constexpr int kSamples = 20;
  constexpr int kSteps = 30000;  // some 200 us: vectors need part of that to reach their clock
  const Loop loop = loop_of(current_target(), type == ElementType::kF64);
  volatile double factor = 0.5;
  double fastest = 1e300;
  for (int i = 0; i < kSamples; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    loop.run(kSteps, factor);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    fastest = std::min(fastest, time.count());
  }
  return 2e-9 * kSums * kSteps * loop.lanes / fastest;
}

}  // namespace matprec::bench
