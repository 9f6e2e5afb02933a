// Division of sizes, rounded up.
#ifndef MATPREC_SRC_GEMM_CEIL_DIV_H_
#define MATPREC_SRC_GEMM_CEIL_DIV_H_

#include <cstdint>

namespace matprec::gemm {

// a >= 0, b > 0. No sum, so nothing overflows.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace matprec::gemm

#endif  // MATPREC_SRC_GEMM_CEIL_DIV_H_
