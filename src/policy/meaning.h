// What a level means: the platform in force and its row of the table.
#ifndef MATPREC_SRC_POLICY_MEANING_H_
#define MATPREC_SRC_POLICY_MEANING_H_

#include <atomic>
#include <cstddef>

#include "matprec/policy.h"
#include "src/environment.h"

namespace matprec {

// Rows in the order of Platform, columns fastest, high, highest.
inline constexpr DotAlgorithm kMeanings[4][3] = {
    {DotAlgorithm::kBF16_BF16_F32, DotAlgorithm::kBF16_BF16_F32_X3, DotAlgorithm::kF32_F32_F32},
    {DotAlgorithm::kBF16_BF16_F32, DotAlgorithm::kBF16_BF16_F32_X3,
     DotAlgorithm::kBF16_BF16_F32_X6},
    {DotAlgorithm::kTF32_TF32_F32, DotAlgorithm::kTF32_TF32_F32, DotAlgorithm::kF32_F32_F32},
    {DotAlgorithm::kF32_F32_F32, DotAlgorithm::kF32_F32_F32, DotAlgorithm::kF32_F32_F32},
};

// What set_platform() said; kNoPlatform until it is called.
inline constexpr int kNoPlatform = -1;
inline constinit std::atomic<int> process_platform = kNoPlatform;

inline Platform platform_in_force(const Environment& e) {
  const int set = process_platform.load(std::memory_order_relaxed);
  return set != kNoPlatform ? static_cast<Platform>(set) : e.platform.value_or(Platform::kNative);
}

// The algorithm of a sound request that is an algorithm or one level. Inline and without the checks
// of algorithm_of(), for every product comes through here.
inline DotAlgorithm meaning_of(const PrecisionRequest& request, const Environment& e) {
  if (request.names_algorithm()) return request.algorithm();
  const auto row = static_cast<std::size_t>(platform_in_force(e));
  return kMeanings[row][static_cast<std::size_t>(request.lhs_level()) - 1];
}

}  // namespace matprec

#endif  // MATPREC_SRC_POLICY_MEANING_H_
