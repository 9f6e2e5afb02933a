// Batches of 1000 small float32 products, each with operands of its own.
#include <string>

#include "bench/gemm/classes.h"
#include "bench/gemm/products.h"

namespace matprec::bench {

void add_batches() {
  for (int n : {4, 8, 16, 32, 64}) {
    const Sizes sizes{.m = n, .n = n, .k = n, .batch = 1000};
    const auto batch = [&](const std::string& name, Repeated (*entry)(Operands&)) {
      add(name_of(name, n), [sizes, entry](benchmark::State& state) {
        Operands operands(sizes);
        measure(state, operands, DotAlgorithm::kF32_F32_F32, entry(operands));
      });
    };
    batch("batch_strided", sgemm_batch_strided);
    batch("batch_pointers", sgemm_batch);
  }
}

}  // namespace matprec::bench
