// How many processors the control groups of this process allow.
//
// Knows the files of cgroup v1 and v2; not the affinity mask, nor what anybody has set.
#ifndef MATPREC_SRC_RUNTIME_CGROUP_H_
#define MATPREC_SRC_RUNTIME_CGROUP_H_

#include <optional>
#include <string>

namespace matprec {

// The smallest processor quota of this process's own group and its parents (v2 cpu.max, v1
// cpu.cfs_quota_us), rounded up to whole processors, at least 1. Nothing where no group sets a
// quota or the files cannot be read. `root` stands before every path, for tests.
std::optional<int> cgroup_processors(const std::string& root = "");

}  // namespace matprec

#endif  // MATPREC_SRC_RUNTIME_CGROUP_H_
