#include "src/runtime/cgroup.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace matprec {
namespace {

// A file system of its own, in which the tests lay out what the kernel shows.
class CgroupTest : public ::testing::Test {
 protected:
  CgroupTest() {
    std::string name = (std::filesystem::temp_directory_path() / "cgroup_test_XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~CgroupTest() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path full = root_ + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  std::string processors() {
    const auto count = cgroup_processors(root_);
    return count ? std::to_string(*count) : "no limit";
  }

  static constexpr char kV2[] =
      "22 1 0:20 / /proc rw - proc proc rw\n"
      "31 23 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
  static constexpr char kV1[] =
      "30 23 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "32 23 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:5 - cgroup cgroup rw,cpu,cpuacct\n";

  std::string root_;
};

TEST_F(CgroupTest, AQuotaIsRoundedUpToWholeProcessors) {
  write("/proc/self/mountinfo", kV2);
  write("/proc/self/cgroup", "0::/job\n");
  write("/sys/fs/cgroup/job/cpu.max", "250000 100000\n");
  EXPECT_EQ(processors(), "3");
}

TEST_F(CgroupTest, LessThanOneProcessorIsOne) {
  write("/proc/self/mountinfo", kV2);
  write("/proc/self/cgroup", "0::/job\n");
  write("/sys/fs/cgroup/job/cpu.max", "1000 100000\n");
  EXPECT_EQ(processors(), "1");
}

TEST_F(CgroupTest, MaxIsNoQuota) {
  write("/proc/self/mountinfo", kV2);
  write("/proc/self/cgroup", "0::/job\n");
  write("/sys/fs/cgroup/job/cpu.max", "max 100000\n");
  EXPECT_EQ(processors(), "no limit");
}

TEST_F(CgroupTest, TheTightestOfTheParentsCounts) {
  write("/proc/self/mountinfo", kV2);
  write("/proc/self/cgroup", "0::/slice/pod/job\n");
  write("/sys/fs/cgroup/slice/pod/job/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/slice/pod/cpu.max", "200000 100000\n");
  write("/sys/fs/cgroup/slice/cpu.max", "800000 100000\n");
  EXPECT_EQ(processors(), "2");
}

TEST_F(CgroupTest, ANeighboursQuotaDoesNotCount) {
  write("/proc/self/mountinfo", kV2);
  write("/proc/self/cgroup", "0::/slice/job\n");
  write("/sys/fs/cgroup/slice/job2/cpu.max", "100000 100000\n");
  EXPECT_EQ(processors(), "no limit");
}

TEST_F(CgroupTest, TheTopOfTheMountCounts) {  // as in a container with a cgroup namespace
  write("/proc/self/mountinfo", kV2);
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(processors(), "4");
}

TEST_F(CgroupTest, VersionOneQuotaCounts) {
  write("/proc/self/mountinfo", kV1);
  write("/proc/self/cgroup", "5:memory:/other\n4:cpu,cpuacct:/job\n");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "150000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors(), "2");
}

TEST_F(CgroupTest, VersionOneMinusOneIsNoQuota) {
  write("/proc/self/mountinfo", kV1);
  write("/proc/self/cgroup", "4:cpu,cpuacct:/job\n");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors(), "no limit");
}

TEST_F(CgroupTest, AMountedPartOfTheTreeIsItsOwnTop) {  // as in a container without a namespace
  write("/proc/self/mountinfo",
        "32 23 0:29 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
  write("/proc/self/cgroup", "4:cpu:/docker/abc/inner\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "600000\n");
  write("/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors(), "3");
}

TEST_F(CgroupTest, AGroupOutsideTheNamespaceCountsAsTheTop) {
  write("/proc/self/mountinfo", kV2);
  write("/proc/self/cgroup", "0::/../../elsewhere\n");
  write("/sys/fs/cgroup/cpu.max", "500000 100000\n");
  EXPECT_EQ(processors(), "5");
}

TEST_F(CgroupTest, BlanksInAMountPointAreUnderstood) {
  write("/proc/self/mountinfo", "31 23 0:27 / /my\\040groups rw - cgroup2 cgroup2 rw\n");
  write("/proc/self/cgroup", "0::/job\n");
  write("/my groups/job/cpu.max", "100000 100000\n");
  EXPECT_EQ(processors(), "1");
}

TEST_F(CgroupTest, NothingToReadIsNoLimit) { EXPECT_EQ(processors(), "no limit"); }

TEST_F(CgroupTest, BrokenFilesAreNoLimit) {
  write("/proc/self/mountinfo", "\n31\n31 23 0:27 / /sys/fs/cgroup rw - cgroup2\n - - - \n");
  write("/proc/self/cgroup", "\n:\n0:\n0::/job\n");
  write("/sys/fs/cgroup/job/cpu.max", "100000 0\n");
  write("/sys/fs/cgroup/cpu.max", "\n");
  EXPECT_EQ(processors(), "no limit");
}

}  // namespace
}  // namespace matprec
