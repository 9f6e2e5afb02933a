// Other arithmetic than float32's, relative to it.
#include <string>

#include "bench/gemm/classes.h"
#include "bench/gemm/products.h"

namespace matprec::bench {
namespace {

void algorithm(benchmark::State& state, DotAlgorithm algorithm, int n) {
  Operands operands({.m = n, .n = n, .k = n});
  Baseline fp32;
  if (algorithm != DotAlgorithm::kF32_F32_F32) {
    fp32 = {"fp32", dot_general_into(operands, DotAlgorithm::kF32_F32_F32)};
  }
  measure(state, operands, algorithm, dot_general_into(operands, algorithm), fp32);
}

void bf16_storage(benchmark::State& state, const Sizes& sizes) {
  Operands operands(sizes, ElementType::kBF16), fp32(sizes);
  measure(state, operands, DotAlgorithm::kBF16_BF16_F32, gemm_bf16(operands), {"fp32", sgemm(fp32)});
}

void float64(benchmark::State& state, int n) {
  const Sizes sizes{.m = n, .n = n, .k = n};
  Operands operands(sizes, ElementType::kF64, ElementType::kF64), fp32(sizes);
  measure(state, operands, DotAlgorithm::kF64_F64_F64, dgemm(operands), {"fp32", sgemm(fp32)});
}

}  // namespace

void add_algorithms() {
  using enum DotAlgorithm;
  for (DotAlgorithm each : {kF32_F32_F32, kBF16_BF16_F32, kTF32_TF32_F32, kF16_F16_F32, kBF16_BF16_F32_X3,
                            kTF32_TF32_F32_X3, kBF16_BF16_F32_X6}) {
    const std::string group = std::string("algorithm/").append(info(each).short_name);
    for (int n : {256, 512, 1024}) {
      add(name_of(group, n), [each, n](benchmark::State& state) { algorithm(state, each, n); });
    }
  }
  for (int n : {128, 256, 512, 1024, 2048}) {
    add(name_of("bf16_storage", n),
        [n](benchmark::State& state) { bf16_storage(state, {.m = n, .n = n, .k = n}); });
  }
  add("bf16_storage/32x4096x4096",
      [](benchmark::State& state) { bf16_storage(state, {.m = 32, .n = 4096, .k = 4096}); });
  for (int n : {512, 768, 1024, 1536, 2048}) {
    add(name_of("float64", n), [n](benchmark::State& state) { float64(state, n); });
  }
}

}  // namespace matprec::bench
