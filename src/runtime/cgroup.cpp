#include "src/runtime/cgroup.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace matprec {
namespace {

// One mounted hierarchy that can limit processors.
struct Mount {
  std::string directory;  // where it is mounted
  std::string group;      // the group that is the mount's top; "/" unless a part is mounted
  bool v2 = false;
};

bool lists(std::string_view list, std::string_view wanted) {  // "cpu,cpuacct" lists "cpu"
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == wanted) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// mountinfo writes blanks and backslashes as \ and three octal digits.
std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      int value = 0;
      for (std::size_t j = i + 1; j <= i + 3; ++j) value = value * 8 + (text[j] - '0');
      result += static_cast<char>(value);
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

// Lines read "id parent device group directory options [tags...] - type source options".
std::vector<Mount> cgroup_mounts(const std::string& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string skipped, group, directory, word, type, source, options;
    words >> skipped >> skipped >> skipped >> group >> directory;
    while (words >> word && word != "-") {
    }
    words >> type >> source >> options;
    if (type == "cgroup2" || (type == "cgroup" && lists(options, "cpu"))) {
      mounts.push_back({unescaped(directory), unescaped(group), type == "cgroup2"});
    }
  }
  return mounts;
}

// The group of this process: "0::/path" for v2, "7:cpu,cpuacct:/path" for v1. "" if there is none.
std::string own_group(const std::string& root, bool v2) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    if (first == std::string::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers =
        std::string_view(line).substr(first + 1, second - first - 1);
    if (v2 ? controllers.empty() : lists(controllers, "cpu")) return line.substr(second + 1);
  }
  return "";
}

std::optional<int> processors(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return std::nullopt;  // v1 writes -1 for no quota
  return static_cast<int>(std::clamp(std::ceil(quota / period), 1.0, 1e6));
}

// "max 100000" is no quota and does not parse as two numbers.
std::optional<int> quota_of(const std::string& directory, bool v2) {
  double quota = 0;
  double period = 0;
  if (v2) {
    std::ifstream(directory + "/cpu.max") >> quota >> period;
  } else {
    std::ifstream(directory + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(directory + "/cpu.cfs_period_us") >> period;
  }
  return processors(quota, period);
}

// The part of the group's path that lies below the mount's top, without a leading or closing slash.
// A group outside of what is mounted (another namespace's) counts as the top.
std::string path_below(const Mount& mount, std::string group) {
  if (group.find("/..") != std::string::npos) return "";
  if (mount.group != "/") {
    if (!group.starts_with(mount.group)) return "";
    group.erase(0, mount.group.size());
    if (!group.empty() && group[0] != '/') return "";
  }
  const std::size_t first = group.find_first_not_of('/');
  if (first == std::string::npos) return "";
  return group.substr(first, group.find_last_not_of('/') + 1 - first);
}

}  // namespace

std::optional<int> cgroup_processors(const std::string& root) {
  std::optional<int> least;
  for (const Mount& mount : cgroup_mounts(root)) {
    std::string below = path_below(mount, own_group(root, mount.v2));
    while (true) {
      const std::string directory = root + mount.directory + (below.empty() ? "" : "/" + below);
      if (const std::optional<int> quota = quota_of(directory, mount.v2)) {
        least = std::min(least.value_or(*quota), *quota);
      }
      if (below.empty()) break;
      const std::size_t slash = below.rfind('/');
      below.resize(slash == std::string::npos ? 0 : slash);
    }
  }
  return least;
}

}  // namespace matprec
