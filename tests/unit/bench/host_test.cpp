#include "support/host.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "result/processor_list.hpp"
#include "support/cold_memory.hpp"
#include "support/host_facts.hpp"

namespace gpugauge::bench {
namespace {

namespace fs = std::filesystem;

// A directory that stands for "/".
class FakeRoot : public testing::Test {
 protected:
  FakeRoot() { fs::remove_all(root_); }
  ~FakeRoot() override { fs::remove_all(root_); }

  void put(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void put_cache(int cpu, int index, const std::string& level, const std::string& type,
                 const std::string& size, const std::string& shared) {
    const std::string folder =
        "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index) + "/";
    put(folder + "level", level + "\n");
    put(folder + "type", type + "\n");
    put(folder + "size", size + "\n");
    put(folder + "shared_cpu_list", shared + "\n");
  }

  fs::path root_ =
      fs::path(testing::TempDir()) /
      (std::string("gpugauge_root_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(FakeRoot, ReadsDataCachesAndPassesOverInstructions) {
  put_cache(3, 0, "1", "Data", "48K", "3");
  put_cache(3, 1, "1", "Instruction", "32K", "3");
  put_cache(3, 2, "2", "Unified", "2048K", "3");
  put_cache(3, 3, "3", "Unified", "32M", "0-7");
  const Caches caches = caches_of(3, root_);
  EXPECT_TRUE(caches.known);
  EXPECT_EQ(caches.l1, std::size_t{48} << 10);
  EXPECT_EQ(caches.l2, std::size_t{2} << 20);
  EXPECT_EQ(caches.last, std::size_t{32} << 20);
}

TEST_F(FakeRoot, SaysWhenCacheSizesAreAssumed) {
  EXPECT_FALSE(caches_of(0, root_).known);
  EXPECT_GT(last_level_bytes({0, 1}, root_), 0U);
}

TEST_F(FakeRoot, AddsUpTheLastLevelsOncePerInstance) {
  for (const int cpu : {0, 1, 2, 3}) put_cache(cpu, 0, "3", "Unified", "1024K", cpu < 2 ? "0-1" : "2-3");
  EXPECT_EQ(last_level_bytes({0}, root_), std::size_t{1} << 20);
  EXPECT_EQ(last_level_bytes({0, 1}, root_), std::size_t{1} << 20);
  EXPECT_EQ(last_level_bytes({0, 1, 2, 3}, root_), std::size_t{2} << 20);
}

TEST_F(FakeRoot, CountsMemoryNodes) {
  EXPECT_EQ(memory_nodes(root_), 1);
  put("sys/devices/system/node/node0/meminfo", "");
  put("sys/devices/system/node/node1/meminfo", "");
  put("sys/devices/system/node/possible", "0-1\n");
  EXPECT_EQ(memory_nodes(root_), 2);
}

TEST_F(FakeRoot, TakesTheKernelsEstimateWhereNoGroupLimits) {
  EXPECT_EQ(available_memory_bytes(root_), 0U);
  put("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:    4000 kB\n");
  EXPECT_EQ(available_memory_bytes(root_), std::size_t{4000} << 10);
}

TEST_F(FakeRoot, ALimitOfVersion2OfTheGroupOrAnAncestorCounts) {
  put("proc/meminfo", "MemAvailable: 4000 kB\n");
  put("proc/self/cgroup", "0::/job/step\n");
  put("sys/fs/cgroup/job/step/memory.max", "max\n");
  put("sys/fs/cgroup/job/step/memory.current", "1024\n");
  put("sys/fs/cgroup/job/memory.max", "1048576\n");
  put("sys/fs/cgroup/job/memory.current", "48576\n");
  EXPECT_EQ(available_memory_bytes(root_), 1'000'000U);
}

TEST_F(FakeRoot, CachedFilesOfAGroupCountAsFree) {
  put("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable: 4000 kB\n");
  put("proc/self/cgroup", "0::/pod\n");
  put("sys/fs/cgroup/pod/memory.max", "1000000\n");
  put("sys/fs/cgroup/pod/memory.current", "1000000\n");
  put("sys/fs/cgroup/pod/memory.stat",
      "anon 100000\nfile 900000\ninactive_file 600000\nactive_file 200000\n");
  EXPECT_EQ(available_memory_bytes(root_), 800'000U);
  EXPECT_EQ(allowed_memory_bytes(root_), 1'000'000U);
}

TEST_F(FakeRoot, ALimitOfVersion1Counts) {
  put("proc/meminfo", "MemAvailable: 4000 kB\n");
  put("proc/self/cgroup", "9:name=systemd:/\n4:memory:/job\n0::/\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "500000\n");
  put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "100000\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(available_memory_bytes(root_), 400'000U);
}

TEST_F(FakeRoot, AGroupThatIsFullLeavesNextToNothing) {
  put("proc/meminfo", "MemAvailable: 4000 kB\n");
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/memory.max", "1000\n");
  put("sys/fs/cgroup/memory.current", "2000\n");
  EXPECT_EQ(available_memory_bytes(root_), 1U);
}

TEST(Cpus, AreTheAllowedOnes) {
  const std::vector<int> all = allowed_cpus();
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(cpus_of("all_cores"), all);
  EXPECT_EQ(cpus_of("one_core"), std::vector<int>{all.back()});
  {
    const Pinned pinned({all.front()});
    EXPECT_EQ(allowed_cpus(), std::vector<int>{all.front()});
    EXPECT_EQ(cpus_of("all_cores"), std::vector<int>{all.front()});
  }
  EXPECT_EQ(allowed_cpus(), all);
}

TEST(HostFacts, SayWhereTheProcessRuns) {
  result::Facts facts;
  add_host_facts(facts);
  EXPECT_EQ(facts.at("host.cpus_allowed"), result::processors_text(allowed_cpus()));
  EXPECT_EQ(facts.count("host.page_bytes"), 1U);
  EXPECT_EQ(facts.count("host.last_cache_bytes"), 1U);
}

TEST(HostMemory, LeavesAQuarterOfWhatIsAvailable) {
  constexpr std::size_t mib = 1 << 20;
  EXPECT_EQ(why_host_too_small(4096 * mib, 3072 * mib), std::nullopt);
  EXPECT_EQ(
      why_host_too_small(4096 * mib, 3073 * mib),
      "needs 3073 MiB of the host's memory beside a reserve of a quarter, 4096 MiB are available to this "
      "process");
  EXPECT_EQ(why_host_too_small(0, 4096 * mib), std::nullopt) << "nothing could be read";
}

}  // namespace
}  // namespace gpugauge::bench
