// float32 products with one side much shorter than the others.
#include <string>

#include "bench/gemm/classes.h"
#include "bench/gemm/products.h"

namespace matprec::bench {

void add_thin_ones() {
  // A few tokens times a layer's weights, stored by inputs (n) or, as PyTorch does, by outputs (t).
  const Sizes weights[] = {
      {.m = 0, .n = 4096, .k = 4096}, {.m = 0, .n = 3072, .k = 768}, {.m = 0, .n = 768, .k = 3072}};
  for (Sizes sizes : weights) {
    for (int m : {8, 32, 128, 512}) {
      sizes.m = m;
      sizes.trans_b = false;
      add_sgemm(name_of("weights/n", sizes), sizes);
      sizes.trans_b = true;
      add_sgemm(name_of("weights/t", sizes), sizes);
    }
  }

  const auto vector = [](const std::string& name, const Sizes& sizes) {
    add_sgemm(name_of(name, sizes.k), sizes);
  };
  for (int n : {256, 1024, 4096}) {
    vector("vector/vector_matrix", {.m = 1, .n = n, .k = n});
    vector("vector/vector_transposed", {.m = 1, .n = n, .k = n, .trans_b = true});
    vector("vector/matrix_vector", {.m = n, .n = 1, .k = n});
    vector("vector/transposed_vector", {.m = n, .n = 1, .k = n, .trans_a = true});
  }
  for (int k : {64, 1000, 65536}) vector("vector/dot", {.m = 1, .n = 1, .k = k});

  for (const Sizes& sizes : {Sizes{.m = 4096, .n = 16, .k = 4096}, Sizes{.m = 16, .n = 16, .k = 65536}}) {
    add_sgemm(name_of("thin", sizes), sizes);
  }
}

}  // namespace matprec::bench
