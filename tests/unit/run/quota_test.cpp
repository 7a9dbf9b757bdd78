// A control group with a quota: on trees that are made, and on this machine where it lets us.
#include "run/quota.hpp"

#include <csignal>
#include <fstream>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/under.hpp"
#include "stack/cgroup.hpp"
#include "unit/run/fake_family.hpp"

namespace gpugauge::run {
namespace {

using testing::HasSubstr;

/// A machine of version 2 whose groups are plain folders.
class QuotaTree : public testing::Test {
 protected:
  QuotaTree() {
    write("proc/self/cgroup", "0::/job\n");
    write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    write("sys/fs/cgroup/job/cgroup.controllers", "cpu memory\n");
    write("sys/fs/cgroup/job/cgroup.subtree_control", "cpu\n");
  }
  void write(const std::string& name, const std::string& text) const { write_text(root() / name, text); }
  std::filesystem::path root() const { return folder_.path(); }
  std::filesystem::path job() const { return root() / "sys/fs/cgroup/job"; }

  result::TemporaryDirectory folder_;
};

TEST_F(QuotaTree, IsMadeBelowTheOwnGroupWithTheQuotaThatWasAskedFor) {
  Quota quota(1.5, root());
  EXPECT_EQ(quota.folder().parent_path(), job());
  EXPECT_THAT(quota.folder().filename().string(), HasSubstr(std::to_string(getpid())));
  EXPECT_EQ(read_text(quota.folder() / "cpu.max"), "150000 100000");
  EXPECT_EQ(read_text(job() / "cgroup.subtree_control"), "cpu\n") << "others gave it: it stays";
  // A folder of files cannot be removed as a group is: said, not hidden.
  EXPECT_THAT(quota.remove(), HasSubstr("could not be removed"));
  std::filesystem::remove_all(quota.folder());
  EXPECT_EQ(quota.remove(), "");
}

TEST_F(QuotaTree, WithoutTheControllerItIsRefused) {
  write("sys/fs/cgroup/job/cgroup.controllers", "memory cpuset\n");
  EXPECT_THROW(Quota(1, root()), QuotaRefused);
  EXPECT_THROW(Quota(1, root() / "nothing"), QuotaRefused);
}

TEST_F(QuotaTree, AnAbandonedGroupGoesAndALivingOnesStays) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  const auto ours = job() / ("gpugauge-selftest-" + std::to_string(gone));
  const auto mine = job() / ("gpugauge-selftest-" + std::to_string(getpid()));
  const auto others = job() / "gpugauge-selftest-x";
  for (const auto& folder : {ours, mine, others}) std::filesystem::create_directory(folder);
  EXPECT_EQ(remove_abandoned_quotas(root()), 1);
  EXPECT_FALSE(std::filesystem::exists(ours));
  EXPECT_TRUE(std::filesystem::exists(mine));
  EXPECT_TRUE(std::filesystem::exists(others));
}

TEST(Quota, HoldsAChildOfThisMachineBackAndIsGoneAfterwards) {
  std::filesystem::path folder;
  try {
    Quota quota(.2);
    folder = quota.folder();
    const pid_t child = fork();
    if (child == 0) {
      Under under;
      under.group = folder;
      try {
        become(under, {"/bin/sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"});
      } catch (const std::system_error&) {
        _exit(9);
      }
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    const stack::CpuThrottling seen = stack::read_throttling({{.directory = folder}});
    EXPECT_GT(seen.throttled_periods, 0);
  } catch (const QuotaRefused& error) {
    GTEST_SKIP() << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace gpugauge::run
