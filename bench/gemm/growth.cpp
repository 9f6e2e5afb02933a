// How cost grows with size, with FMAs an element, and with a second thread: squares on a ladder of sizes.
#include <string>

#include "bench/gemm/classes.h"
#include "bench/gemm/products.h"

namespace matprec::bench {
namespace {

constexpr int kSizes[] = {4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048};

void square(benchmark::State& state, DotAlgorithm algorithm, int n) {
  Operands operands({.m = n, .n = n, .k = n});
  const Repeated fp32 = dot_general_into(operands, DotAlgorithm::kF32_F32_F32);
  measure(state, operands, algorithm, dot_general_into(operands, algorithm), {"fp32", fp32});
}

}  // namespace

void add_growth(bool with_threads) {
  using enum DotAlgorithm;
  for (const DotAlgorithm each : {kF32_F32_F32, kBF16_BF16_F32, kBF16_BF16_F32_X3, kBF16_BF16_F32_X6}) {
    for (const int n : kSizes) {
      add(name_of(std::string("growth/").append(info(each).short_name), n),
          [each, n](benchmark::State& state) { square(state, each, n); });
    }
  }
  for (const int n : kSizes) {
    if (with_threads && n >= 64) {
      add(name_of("growth/threads", n), [n](benchmark::State& state) { measure_two_threads(state, n); });
    }
  }
}

}  // namespace matprec::bench
