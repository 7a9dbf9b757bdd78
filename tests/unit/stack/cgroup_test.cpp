#include "stack/cgroup.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "stack/host_settings.hpp"

namespace gpugauge::stack {
namespace {

namespace fs = std::filesystem;

/// A machine of files.
class CgroupTest : public ::testing::Test {
 protected:
  CgroupTest() {
    std::string name = (fs::temp_directory_path() / "gpugauge-cgroup-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~CgroupTest() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  fs::path root_;
};

constexpr auto mount_v2 = "29 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr auto mount_v1 =
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw,relatime shared:10 - cgroup cgroup rw,cpuset\n";

TEST_F(CgroupTest, ReadsVersion2WithItsAncestors) {
  write("proc/self/mountinfo", mount_v2);
  write("proc/self/cgroup", "0::/user.slice/job\n");
  write("sys/fs/cgroup/cpu.stat", "usage_usec 1\n");  // the top has no limit of its own
  write("sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/user.slice/cpu.stat",
        "usage_usec 9\nnr_periods 20\nnr_throttled 3\nthrottled_usec 2000000\n");
  write("sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/user.slice/job/cpu.stat", "nr_periods 10\nnr_throttled 1\nthrottled_usec 500000\n");
  const auto groups = cpu_groups(root_);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].directory, root_ / "sys/fs/cgroup/user.slice/job");
  EXPECT_EQ(groups[1].directory, root_ / "sys/fs/cgroup/user.slice");
  EXPECT_DOUBLE_EQ(*cpu_limit(groups), 1.5);
  const auto throttling = read_throttling(groups);
  EXPECT_DOUBLE_EQ(throttling.periods, 30);
  EXPECT_DOUBLE_EQ(throttling.throttled_periods, 4);
  EXPECT_DOUBLE_EQ(throttling.throttled_seconds, 2.5);
}

TEST_F(CgroupTest, ReadsVersion1) {
  write("proc/self/mountinfo", mount_v1);
  write("proc/self/cgroup", "12:cpuset:/elsewhere\n4:cpu,cpuacct:/job\n1:name=systemd:/\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.stat",
        "nr_periods 7\nnr_throttled 5\nthrottled_time 1500000000\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  const auto groups = cpu_groups(root_);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].version, 1);
  EXPECT_DOUBLE_EQ(*cpu_limit(groups), .5);
  EXPECT_DOUBLE_EQ(read_throttling(groups).throttled_periods, 5);
  EXPECT_DOUBLE_EQ(read_throttling(groups).throttled_seconds, 1.5);
}

TEST_F(CgroupTest, OnAHybridSystemTheControllerIsInVersion1) {
  write("proc/self/mountinfo",
        std::string(mount_v1) + "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
  write("proc/self/cgroup", "4:cpu,cpuacct:/job\n0::/job\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.stat", "nr_throttled 2\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "200000\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/unified/job/cpu.stat", "usage_usec 5\n");
  const auto groups = cpu_groups(root_);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].version, 1);
  EXPECT_DOUBLE_EQ(*cpu_limit(groups), 2);
}

TEST_F(CgroupTest, TheSmallestLimitOfAllLevelsHolds) {
  write("proc/self/mountinfo", mount_v2);
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/cpu.max", "100000 100000\n");
  write("sys/fs/cgroup/a/b/cpu.max", "400000 100000\n");
  EXPECT_DOUBLE_EQ(*cpu_limit(cpu_groups(root_)), 1);
}

TEST_F(CgroupTest, AContainerSeesItsGroupAtTheMountPoint) {
  // Without a namespace of its own the path is the host's, and the mount shows only a part of the tree.
  write("proc/self/mountinfo", "29 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  write("proc/self/cgroup", "0::/docker/abc/inner\n");
  write("sys/fs/cgroup/cpu.max", "300000 100000\n");
  write("sys/fs/cgroup/inner/cpu.max", "max 100000\n");
  const auto groups = cpu_groups(root_);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[1].directory, root_ / "sys/fs/cgroup");
  EXPECT_DOUBLE_EQ(*cpu_limit(groups), 3);
}

TEST_F(CgroupTest, AGroupOutsideTheMountFallsBackToItsTop) {
  for (const std::string path : {"/elsewhere", "/../sibling", "/docker/abcdef"}) {
    write("proc/self/mountinfo", "29 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    write("proc/self/cgroup", "0::" + path + "\n");
    write("sys/fs/cgroup/cpu.max", "250000 100000\n");
    EXPECT_DOUBLE_EQ(cpu_limit(cpu_groups(root_)).value_or(0), 2.5) << path;
  }
}

TEST_F(CgroupTest, UnderstandsEscapedMountPoints) {
  write("proc/self/mountinfo", "29 23 0:26 / /mnt/my\\040groups rw - cgroup2 cgroup2 rw\n");
  write("proc/self/cgroup", "0::/job\n");
  write("mnt/my groups/job/cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_limit(cpu_groups(root_)).value_or(0), .5);
}

TEST_F(CgroupTest, NothingReadableIsNoLimit) {
  EXPECT_TRUE(cpu_groups(root_).empty());
  EXPECT_EQ(cpu_limit({}), std::nullopt);
  write("proc/self/mountinfo", "garbage\n1 2\n - - -\n");
  write("proc/self/cgroup", "garbage\n:\n");
  EXPECT_TRUE(cpu_groups(root_).empty());
}

TEST_F(CgroupTest, AnUnreadableQuotaIsNoLimit) {
  write("proc/self/mountinfo", mount_v2);
  write("proc/self/cgroup", "0::/job\n");
  for (const std::string text : {"", "max\n", "0 100000\n", "-5 100000\n", "50000 0\n", "many 100000\n"}) {
    write("sys/fs/cgroup/job/cpu.max", text);
    EXPECT_EQ(cpu_limit(cpu_groups(root_)), std::nullopt) << text;
  }
}

TEST_F(CgroupTest, TheSmallestMemoryLimitOfAllAncestorsCounts) {
  write("proc/self/mountinfo", mount_v2);
  write("proc/self/cgroup", "0::/pod/job\n");
  EXPECT_EQ(memory_limit(root_), std::nullopt);
  write("sys/fs/cgroup/pod/job/memory.max", "max\n");
  EXPECT_EQ(memory_limit(root_), std::nullopt);
  write("sys/fs/cgroup/pod/memory.max", "8589934592\n");
  EXPECT_DOUBLE_EQ(memory_limit(root_).value_or(0), 8589934592.0);
  write("sys/fs/cgroup/pod/job/memory.max", "1048576\n");
  EXPECT_DOUBLE_EQ(memory_limit(root_).value_or(0), 1048576.0);
}

TEST_F(CgroupTest, MemoryOfVersionOneHasItsOwnHierarchy) {
  write("proc/self/mountinfo",
        "30 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "31 23 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  write("proc/self/cgroup", "5:cpu,cpuacct:/a\n6:memory:/b\n");
  write("sys/fs/cgroup/memory/b/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_limit(root_), std::nullopt) << "version 1 writes no limit as a large number";
  write("sys/fs/cgroup/memory/b/memory.limit_in_bytes", "536870912\n");
  EXPECT_DOUBLE_EQ(memory_limit(root_).value_or(0), 536870912.0);
}

TEST_F(CgroupTest, SettingsOfTheHostAreFacts) {
  write("proc/self/mountinfo", mount_v2);
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  write("proc/self/status", "Name:\tx\nGroups:\t \nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\n");
  write("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance\n");
  write("sys/devices/system/node/node0/cpulist", "0\n");
  write("sys/devices/system/node/node1/cpulist", "1\n");
  write("sys/devices/system/node/online", "0-1\n");
  const result::Facts expected{{"host.cgroup_cpu_limit", "1.5"},
                               {"host.cpus_allowed", "0-3,8"},
                               {"host.governor", "performance,powersave"},
                               {"host.numa_nodes", "2"}};
  EXPECT_EQ(settings_of_host(root_), expected);
}

TEST_F(CgroupTest, SettingsThatCannotBeReadAreAbsent) {
  EXPECT_EQ(settings_of_host(root_), (result::Facts{{"host.cgroup_cpu_limit", "none"}}));
}

}  // namespace
}  // namespace gpugauge::stack
