#include "bench/gemm/memory_rate.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace matprec::bench {
namespace {

double fastest_of(int passes) {
  constexpr std::size_t kWords = std::size_t{1} << 25;  // 256 MiB
  static const std::vector<unsigned long long> buffer(kWords, 1);
  double fastest = 1e300;
  for (int pass = 0; pass < passes; ++pass) {
    const auto begin = std::chrono::steady_clock::now();
    unsigned long long sums[8] = {};
    for (std::size_t i = 0; i < kWords; i += 8) {
      for (std::size_t j = 0; j < 8; ++j) sums[j] += buffer[i + j];
    }
    for (unsigned long long& sum : sums) asm volatile("" ::"m"(sum));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    fastest = std::min(fastest, time.count());
  }
  return 1e-9 * kWords * sizeof(unsigned long long) / fastest;
}

}  // namespace

double memory_rate() {
  static double rate = fastest_of(8);
  rate = std::max(rate, fastest_of(1));
  return rate;
}

}  // namespace matprec::bench
