// Square float32 products by the C entry.
#include <string>

#include "bench/gemm/classes.h"
#include "bench/gemm/products.h"

namespace matprec::bench {

void add_squares() {
  const auto square = [](const std::string& name, int n) {
    add_sgemm(name_of(name, n), {.m = n, .n = n, .k = n});
  };
  for (int n : {100, 128, 200, 256, 384, 512, 768, 1000, 1024, 1536, 2048}) square("square", n);
  for (int n : {101, 127, 201, 255, 333, 511, 777, 999, 1023, 1535, 2047}) square("odd", n);
  for (int n : {256, 512, 1024}) {
    add_sgemm(name_of("transposed/nt", n), {.m = n, .n = n, .k = n, .trans_b = true});
    add_sgemm(name_of("transposed/tn", n), {.m = n, .n = n, .k = n, .trans_a = true});
    add_sgemm(name_of("transposed/tt", n), {.m = n, .n = n, .k = n, .trans_a = true, .trans_b = true});
  }
  for (int n : {16, 17, 20, 24, 28, 31, 32, 33, 40, 47, 48, 56, 63, 64}) square("small", n);
  for (int n = 4; n <= 13; ++n) square("tiny", n);
}

}  // namespace matprec::bench
