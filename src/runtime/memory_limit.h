// The most extra memory of one product, to which plans keep.
#ifndef MATPREC_SRC_RUNTIME_MEMORY_LIMIT_H_
#define MATPREC_SRC_RUNTIME_MEMORY_LIMIT_H_

#include <cstdint>

namespace matprec {

inline constexpr std::int64_t kSharedMemoryLimit = std::int64_t{8}
                                                   << 20;  // whatever the number of threads
inline constexpr std::int64_t kThreadMemoryLimit = std::int64_t{4} << 20;  // more for each

constexpr std::int64_t product_memory_limit(int threads) {
  return kSharedMemoryLimit + threads * kThreadMemoryLimit;
}

}  // namespace matprec

#endif  // MATPREC_SRC_RUNTIME_MEMORY_LIMIT_H_
