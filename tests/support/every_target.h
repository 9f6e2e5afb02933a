// Tests over every SIMD target of the library. A target that this machine cannot run is skipped by name.
#ifndef MATPREC_TESTS_SUPPORT_EVERY_TARGET_H_
#define MATPREC_TESTS_SUPPORT_EVERY_TARGET_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "matprec/runtime.h"

namespace matprec::testing {

// The names of all targets built into the library.
inline std::vector<std::string> every_target() {
  std::vector<std::string> names;
  for (const TargetInfo& target : targets()) names.emplace_back(target.name);
  return names;
}

inline bool target_is_usable(const std::string& name) {
  for (const TargetInfo& target : targets()) {
    if (target.name == name) return target.usable;
  }
  return false;
}

// While it lives, products run on this target.
class ScopedTarget {
 public:
  explicit ScopedTarget(const std::string& name) { set_target(name); }
  ~ScopedTarget() { set_target(""); }
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;
};

}  // namespace matprec::testing

#endif  // MATPREC_TESTS_SUPPORT_EVERY_TARGET_H_
