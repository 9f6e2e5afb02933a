// Platforms: names, the one in force, and what a level means on each.
#include <array>
#include <cstddef>

#include "matprec/error.h"
#include "matprec/policy.h"
#include "src/environment.h"
#include "src/error_text.h"
#include "src/policy/meaning.h"

namespace matprec {
namespace {

constexpr std::array<std::string_view, 4> kPlatformNames = {"native", "tpu", "gpu", "cpu"};

void check_platform(Platform platform, std::string_view entrance) {
  if (platform <= Platform::kCpu) return;
  throw Error(std::string(entrance) + ": Platform(" + std::to_string(static_cast<int>(platform)) +
              ") is no enumerator; expected one of " + joined(kPlatformNames));
}

}  // namespace

std::string_view to_string(Platform platform) {
  check_platform(platform, "to_string");
  return kPlatformNames[static_cast<std::size_t>(platform)];
}

Platform parse_platform(std::string_view name, std::string_view entrance) {
  for (std::size_t i = 0; i < kPlatformNames.size(); ++i) {
    if (equal_ignoring_case(kPlatformNames[i], name)) return static_cast<Platform>(i);
  }
  throw Error(unknown_value_text(entrance, name, kPlatformNames));
}

Platform platform() { return platform_in_force(environment()); }

void set_platform(Platform platform) {
  environment();
  check_platform(platform, "set_platform");
  process_platform.store(static_cast<int>(platform), std::memory_order_relaxed);
}

DotAlgorithm algorithm_of(Precision level, Platform platform) {
  check_platform(platform, "algorithm_of");
  if (level == Precision::kDefault || level > Precision::kHighest) {
    throw Error("algorithm_of: Precision(" + std::to_string(static_cast<int>(level)) +
                ") is no level; expected fastest, high or highest");
  }
  return kMeanings[static_cast<std::size_t>(platform)][static_cast<std::size_t>(level) - 1];
}

}  // namespace matprec
