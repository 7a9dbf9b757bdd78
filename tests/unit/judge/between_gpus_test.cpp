// What is possible between the GPUs of one machine, pairs beside each other, and which way NCCL took.
#include "judge/between_gpus.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double link = 26.5625e9;  // of an H100, as nvidia-smi nvlink -s gives it

std::string uuid(int gpu) {
  return fmt::format("GPU-{}", gpu);
}

/// A run of the links between GPUs, empty.
result::Run links_run(int gpus) {
  result::Run run = make_run(1, {}, 1);
  run.device = "links";
  run.fingerprint.device.clear();
  for (int gpu = 0; gpu < gpus; ++gpu) {
    run.fingerprint.device[fmt::format("gpu.{}.uuid", gpu)] = uuid(gpu);
    run.fingerprint.device[fmt::format("gpu.{}.name", gpu)] = "NVIDIA H100 80GB HBM3";
    run.telemetry.push_back({"gpu:" + uuid(gpu), "power_watts", "watt", {1}, {300}});
  }
  run.processes[0].samples->benchmarks.clear();
  return run;
}

void see(result::Run& run, int gpu, const std::string& name, double value) {
  run.telemetry.push_back({"gpu:" + uuid(gpu), name, "1", {0}, {value}});
}

void nvlinks(result::Run& run, int gpu, int active, int to_switch) {
  see(run, gpu, "nvlinks_active", active);
  see(run, gpu, "nvlinks_to_switch", to_switch);
  see(run, gpu, "nvlink_bytes_per_second", active * link);
}

void pcie(result::Run& run, int gpu, int generation, int width) {
  see(run, gpu, "pcie_generation", generation);
  see(run, gpu, "pcie_width", width);
}

/// Every ordered pair: `bandwidth` of (from, to), in bytes a second.
void copies(result::Run& run, int gpus, const std::function<double(int, int)>& bandwidth,
            bool direct = true) {
  result::BenchmarkResult out =
      benchmark("copy/peer", metric("unused", "byte/second", result::Direction::higher, "p2p", 1));
  out.metrics.clear();
  for (int from = 0; from < gpus; ++from) {
    out.notes[fmt::format("gpu_{}", from)] = uuid(from);
    for (int to = 0; to < gpus; ++to) {
      if (from == to) continue;
      const std::string name = fmt::format("{}_to_{}", from, to);
      out.notes["peer_access_" + name] = direct ? "true" : "false";
      out.metrics.push_back(
          metric("bandwidth_" + name, "byte/second", result::Direction::higher, "p2p", bandwidth(from, to)));
    }
  }
  run.processes[0].samples->benchmarks.push_back(std::move(out));
  run.processes[0].family = run.processes[0].samples->family = "copy";
}

void collective(result::Run& run, const std::string& id, double busbw, const std::string& transport) {
  result::Process process = run.processes[0];
  process.family = process.samples->family = "nccl";
  process.samples->benchmarks = {
      benchmark(id, metric("busbw", "byte/second", result::Direction::higher, "coll_large", busbw))};
  process.samples->benchmarks[0].notes["nccl.transport"] = transport;
  run.processes.push_back(std::move(process));
}

std::vector<Verdict> judged(const result::Run& run) {
  return judge_between_gpus(collect(run), run);
}

const Verdict& of(const std::vector<Verdict>& verdicts, const std::string& metric) {
  static const Verdict none;
  for (const Verdict& verdict : verdicts)
    if (verdict.metric == metric) return verdict;
  ADD_FAILURE() << "no verdict on " << metric;
  return none;
}

result::Run switched(int gpus, const std::function<double(int, int)>& bandwidth) {
  result::Run run = links_run(gpus);
  for (int gpu = 0; gpu < gpus; ++gpu) nvlinks(run, gpu, 18, 18);
  copies(run, gpus, bandwidth);
  return run;
}

TEST(BetweenGpus, HealthyPairsThroughSwitchesAreWithinTheirLinks) {
  const auto found = judged(switched(4, [](int from, int to) { return 390e9 + 1e9 * from - 2e9 * to; }));
  ASSERT_THAT(found, SizeIs(12));
  for (const Verdict& verdict : found) {
    EXPECT_EQ(verdict.kind, VerdictKind::ok) << verdict.metric << verdict.reason;
    EXPECT_FALSE(verdict.advisory);
  }
  EXPECT_EQ(of(found, "copy/peer:bandwidth_0_to_1").reason,
            "81% of 18 NVLinks to NVSwitches, 478 GB/s in one direction as NVML says");
}

TEST(BetweenGpus, OneSlowDirectionOfOnePairFailsAndIsNamed) {
  const auto found =
      judged(switched(4, [](int from, int to) { return from == 2 && to == 1 ? 225e9 : 390e9; }));
  const Verdict& slow = of(found, "copy/peer:bandwidth_2_to_1");
  EXPECT_EQ(slow.kind, VerdictKind::failed);
  EXPECT_THAT(slow.reason, AllOf(HasSubstr("58% of"), HasSubstr("from GPU-2 to GPU-1")));
  EXPECT_EQ(of(found, "copy/peer:bandwidth_1_to_2").kind, VerdictKind::ok);
}

TEST(BetweenGpus, OneSlowGpuFailsInAllItsPairsAndTheOthersPass) {
  for (const int gpus : {3, 4, 8}) {
    const auto found =
        judged(switched(gpus, [](int from, int to) { return from == 0 || to == 0 ? 210e9 : 390e9; }));
    for (const Verdict& verdict : found) {
      const bool of_first =
          verdict.metric.find("_0_to_") != std::string::npos || verdict.metric.ends_with("_to_0");
      EXPECT_EQ(verdict.kind, of_first ? VerdictKind::failed : VerdictKind::ok) << gpus << verdict.metric;
    }
  }
}

TEST(BetweenGpus, OfTwoGpusTheSlowDirectionFails) {
  const auto found = judged(switched(2, [](int from, int) { return from == 0 ? 200e9 : 390e9; }));
  EXPECT_EQ(of(found, "copy/peer:bandwidth_0_to_1").kind, VerdictKind::failed);
  EXPECT_EQ(of(found, "copy/peer:bandwidth_1_to_0").kind, VerdictKind::ok);
}

TEST(BetweenGpus, SomewhatSlowIsCountedAndNoFailureSinceANeighbourMayBeTheReason) {
  const auto slow = [](double bandwidth) {
    return switched(4, [=](int from, int to) { return from == 2 && to == 1 ? bandwidth : 390e9; });
  };
  const auto one = [](const result::Run& run) { return of(judged(run), "copy/peer:bandwidth_2_to_1"); };
  EXPECT_EQ(one(slow(320e9)).kind, VerdictKind::ok);
  EXPECT_EQ(one(slow(300e9)).kind, VerdictKind::inconclusive);
  EXPECT_FALSE(one(slow(300e9)).advisory);
  // Two processes, and the pair was well in the other one.
  result::Run twice = slow(200e9);
  result::Run well = slow(390e9);
  well.processes[0].index = 1;
  twice.processes.push_back(well.processes[0]);
  well = slow(200e9);
  well.processes[0].index = 2;
  twice.processes.push_back(well.processes[0]);
  EXPECT_EQ(one(twice).kind, VerdictKind::inconclusive);
}

TEST(BetweenGpus, NoPeerAccessBetweenGpusOnSwitchesFails) {
  result::Run run = links_run(2);
  for (int gpu = 0; gpu < 2; ++gpu) nvlinks(run, gpu, 18, 18);
  copies(
      run, 2, [](int, int) { return 20e9; }, false);
  const auto found = judged(run);
  EXPECT_EQ(found[0].kind, VerdictKind::failed);
  EXPECT_THAT(found[0].reason, HasSubstr("no peer access from GPU-0 to GPU-1"));
}

TEST(BetweenGpus, AGpuWithFewerNvlinksThanTheOthersOnTheSwitchesFails) {
  for (const int left : {0, 17}) {
    result::Run run = links_run(8);
    for (int gpu = 0; gpu < 8; ++gpu) nvlinks(run, gpu, gpu == 5 ? left : 18, gpu == 5 ? left : 18);
    const Verdict found = of(judged(run), "links/nvlinks");
    EXPECT_EQ(found.kind, VerdictKind::failed);
    EXPECT_THAT(found.reason, HasSubstr(fmt::format("GPU-5 has {} of 18 NVLinks up", left)));
  }
  // Another card in the same chassis, without NVLinks or with some that are down; and one that was not asked.
  for (const int links : {-1, 0}) {
    result::Run mixed = links_run(6);
    for (int gpu = 0; gpu < 4; ++gpu) nvlinks(mixed, gpu, 18, 18);
    mixed.fingerprint.device["gpu.4.name"] = "NVIDIA L40S";
    if (links >= 0) nvlinks(mixed, 4, links, links);
    EXPECT_THAT(judged(mixed), IsEmpty());
  }
  // Cards in slots, of which two have a bridge.
  result::Run cards = links_run(4);
  for (int gpu = 0; gpu < 4; ++gpu) nvlinks(cards, gpu, gpu < 2 ? 12 : 0, 0);
  EXPECT_THAT(judged(cards), IsEmpty());
}

/// Two GPUs of a model with links that are up and links that are down.
result::Run two_alike(const std::string& model, int up, int down) {
  result::Run run = links_run(2);
  for (int gpu = 0; gpu < 2; ++gpu) {
    run.fingerprint.device[fmt::format("gpu.{}.name", gpu)] = model;
    nvlinks(run, gpu, up, up);
    see(run, gpu, "nvlinks_down", down);
  }
  return run;
}

TEST(BetweenGpus, WhereAllLackTheSameLinksThatIsCountedAndNoFailure) {
  const Verdict found = of(judged(two_alike("NVIDIA H200", 14, 4)), "links/nvlinks");
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory);
  EXPECT_THAT(found.reason,
              HasSubstr("GPU-0 has 14 of 18, GPU-1 has 14 of 18 NVLinks up that its model has: "));
}

TEST(BetweenGpus, AModelThatUsesFewerLinksThanItsChipIsInDoubtByThoseThatAreDown) {
  const Verdict found = of(judged(two_alike("NVIDIA A800-SXM4-80GB", 8, 4)), "links/nvlinks");
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_THAT(
      found.reason,
      HasSubstr(
          "GPU-0 has 4, GPU-1 has 4 NVLinks down, beside 8 to NVSwitches that are up, and how many this "
          "model has is not known"));
}

TEST(BetweenGpus, LinksBeyondThoseOfTheModelAreNotMissed) {
  EXPECT_THAT(judged(two_alike("NVIDIA A100-SXM4-80GB", 12, 6)), IsEmpty());
}

TEST(BetweenGpus, NvlinksOfUnknownSpeedAreNotTakenForPciExpress) {
  result::Run run = links_run(4);
  for (int gpu = 0; gpu < 4; ++gpu) {
    pcie(run, gpu, 5, 16);
    see(run, gpu, "nvlinks_active", 18);
    see(run, gpu, "nvlinks_to_switch", 18);
  }
  copies(run, 4, [](int from, int to) { return from == 2 && to == 1 ? 50e9 : 390e9; });
  const auto found = judged(run);
  EXPECT_TRUE(of(found, "copy/peer:bandwidth_0_to_1").advisory);
  EXPECT_THAT(of(found, "copy/peer:bandwidth_0_to_1").reason,
              HasSubstr("does not give the speed of the NVLinks"));
  EXPECT_EQ(of(found, "copy/peer:bandwidth_2_to_1").kind, VerdictKind::failed) << "beside the others";
}

TEST(BetweenGpus, AllSlowThroughSwitchesIsInconclusiveAndCounted) {
  const auto found = judged(switched(4, [](int, int) { return 50e9; }));
  ASSERT_FALSE(found.empty());
  for (const Verdict& verdict : found) {
    EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
    EXPECT_FALSE(verdict.advisory);
    EXPECT_THAT(verdict.reason, HasSubstr("where large transfers reach 40% or more"));
  }
}

TEST(BetweenGpus, FasterThanTheLinksIsAnotherWayAndNotCounted) {
  const auto found = judged(switched(2, [](int, int) { return 600e9; }));
  EXPECT_EQ(found[0].kind, VerdictKind::inconclusive);
  EXPECT_TRUE(found[0].advisory);
}

TEST(BetweenGpus, LinksFromGpuToGpuHaveNoFloorSinceAPairHasAPartOfThem) {
  result::Run run = links_run(4);
  for (int gpu = 0; gpu < 4; ++gpu) nvlinks(run, gpu, 4, 0);
  copies(run, 4, [](int from, int to) { return from + to == 3 ? 45e9 : 23e9; });
  const auto found = judged(run);
  ASSERT_FALSE(found.empty());
  for (const Verdict& verdict : found) EXPECT_EQ(verdict.kind, VerdictKind::ok) << verdict.reason;
}

TEST(BetweenGpus, PciExpressHasNoFloorAndTheSlowerEndCounts) {
  result::Run run = links_run(2);
  pcie(run, 0, 4, 16);
  pcie(run, 1, 4, 8);
  copies(
      run, 2, [](int, int) { return 5e9; }, false);
  const auto found = judged(run);
  EXPECT_EQ(found[0].kind, VerdictKind::ok);
  EXPECT_THAT(found[0].reason, HasSubstr("32% of PCI Express generation 4 x8"));
}

TEST(BetweenGpus, PciExpressAtHalfInOneDirectionIsCounted) {
  result::Run run = links_run(2);
  for (int gpu = 0; gpu < 2; ++gpu) pcie(run, gpu, 5, 16);
  copies(run, 2, [](int from, int) { return from == 0 ? 20e9 : 50e9; });
  const auto found = judged(run);
  EXPECT_EQ(of(found, "copy/peer:bandwidth_0_to_1").kind, VerdictKind::inconclusive);
  EXPECT_FALSE(of(found, "copy/peer:bandwidth_0_to_1").advisory);
  EXPECT_THAT(of(found, "copy/peer:bandwidth_0_to_1").reason, HasSubstr("40% of the other direction"));
  EXPECT_EQ(of(found, "copy/peer:bandwidth_1_to_0").kind, VerdictKind::ok);
}

/// What another benchmark than copy/peer reaches between all pairs.
void copies_of(result::Run& run, const std::string& id, int gpus, double bandwidth, const char* middle) {
  result::BenchmarkResult out = run.processes[0].samples->benchmarks.back();
  out.id = id;
  const bool both = std::string(middle) == "_and_";
  if (both) out.notes["link_directions"] = "2";
  out.metrics.clear();
  for (int from = 0; from < gpus; ++from)
    for (int to = both ? from + 1 : 0; to < gpus; ++to)
      if (from != to)
        out.metrics.push_back(metric(fmt::format("bandwidth_{}{}{}", from, middle, to), "byte/second",
                                     result::Direction::higher, "p2p", bandwidth));
  run.processes[0].samples->benchmarks.push_back(std::move(out));
}

TEST(BetweenGpus, EachKindOfCopyIsComparedWithItsOwn) {
  result::Run run = switched(4, [](int, int) { return 390e9; });
  copies_of(run, "copy/peer_sm", 4, 225e9, "_to_");  // by a kernel all are slower alike
  const auto found = judged(run);
  ASSERT_THAT(found, SizeIs(24));
  for (const Verdict& verdict : found) EXPECT_EQ(verdict.kind, VerdictKind::ok) << verdict.metric;
}

TEST(BetweenGpus, CopiesBothWaysAreHeldAgainstBothDirections) {
  result::Run run = switched(3, [](int, int) { return 390e9; });
  copies_of(run, "copy/peer_bidirectional", 3, 765e9, "_and_");
  const Verdict both = of(judged(run), "copy/peer_bidirectional:bandwidth_0_and_1");
  EXPECT_EQ(both.kind, VerdictKind::ok);
  EXPECT_FALSE(both.advisory);
  EXPECT_EQ(both.reason,
            "80% of both directions of 18 NVLinks to NVSwitches, 478 GB/s in one direction as NVML says");
  auto& pairs = run.processes[0].samples->benchmarks.back();
  pairs.metrics[0].value = 390e9;  // one after the other
  EXPECT_THAT(of(judged(run), "copy/peer_bidirectional:bandwidth_0_and_1").reason,
              AllOf(HasSubstr("51% of"), HasSubstr("between GPU-0 and GPU-1")));
  pairs.notes["peer_access_1_to_0"] = "false";
  EXPECT_EQ(of(judged(run), "copy/peer_bidirectional:bandwidth_0_and_1").kind, VerdictKind::failed);
}

TEST(BetweenGpus, ALinkThatNobodySawIsSaidAndNotCounted) {
  result::Run run = links_run(2);
  pcie(run, 0, 5, 16);
  copies(run, 2, [](int, int) { return 20e9; });
  const auto found = judged(run);
  EXPECT_EQ(found[0].kind, VerdictKind::inconclusive);
  EXPECT_TRUE(found[0].advisory);
}

TEST(BetweenGpus, CollectivesAreHeldAgainstTheLinksOfAllGpus) {
  result::Run run = links_run(8);
  for (int gpu = 0; gpu < 8; ++gpu) nvlinks(run, gpu, gpu == 5 ? 12 : 18, gpu == 5 ? 12 : 18);
  collective(run, "nccl/all_gather/256MiB", 300e9, "p2p");
  collective(run, "nccl/all_gather/1MiB", 60e9, "p2p");
  collective(run, "nccl/all_reduce/256MiB", 480e9, "p2p");
  collective(run, "nccl/broadcast/256MiB", 480e9, "p2p");
  collective(run, "nccl/reduce_scatter/256MiB", 60e9, "p2p");
  const auto found = judged(run);
  EXPECT_EQ(of(found, "nccl/all_gather/256MiB:busbw").reason,
            "94% of 12 NVLinks to NVSwitches, 319 GB/s in one direction as NVML says");
  EXPECT_EQ(of(found, "links/nvlinks").kind, VerdictKind::failed);
  EXPECT_EQ(of(found, "nccl/all_gather/1MiB:busbw").kind, VerdictKind::ok) << "a small one has no floor";
  EXPECT_EQ(of(found, "nccl/all_reduce/256MiB:busbw").kind, VerdictKind::ok) << "the switches add";
  EXPECT_TRUE(of(found, "nccl/broadcast/256MiB:busbw").advisory) << "more than the links can carry";
  const Verdict& slow = of(found, "nccl/reduce_scatter/256MiB:busbw");
  EXPECT_EQ(slow.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(slow.advisory);
}

TEST(BetweenGpus, SocketsWithinAMachineFail) {
  result::Run run = links_run(2);
  for (int gpu = 0; gpu < 2; ++gpu) pcie(run, gpu, 4, 16);
  collective(run, "nccl/all_reduce/256MiB", 1e9, "socket");
  const Verdict found = of(judge_physical(run), "nccl/transport");
  EXPECT_EQ(found.kind, VerdictKind::failed);
  EXPECT_THAT(found.reason,
              HasSubstr("1 of 1 collectives between the GPUs of one machine went through sockets"));
}

TEST(BetweenGpus, ANetworkCardFailsOnlyWhereEveryGpuHasNvlinksToSwitches) {
  for (const char* transport : {"ib", "net"}) {
    result::Run run = links_run(2);
    collective(run, "nccl/all_reduce/256MiB", 10e9, transport);
    collective(run, "nccl/broadcast/256MiB", 10e9, "p2p");
    for (int gpu = 0; gpu < 2; ++gpu) pcie(run, gpu, 4, 16);
    EXPECT_THAT(judged(run), SizeIs(2)) << "only their own metrics";
    for (int gpu = 0; gpu < 2; ++gpu) nvlinks(run, gpu, 18, 18);
    EXPECT_THAT(of(judged(run), "nccl/transport").reason,
                HasSubstr("1 of 2 collectives went through a network card"));
  }
}

TEST(BetweenGpus, TheHostsMemoryFailsOnlyWhereEveryGpuHasNvlinksToSwitches) {
  result::Run run = links_run(2);
  collective(run, "nccl/all_reduce/256MiB", 10e9, "shm");
  for (int gpu = 0; gpu < 2; ++gpu) pcie(run, gpu, 4, 16);
  EXPECT_THAT(judged(run), SizeIs(1)) << "only its own metric";
  for (int gpu = 0; gpu < 2; ++gpu) nvlinks(run, gpu, 18, 18);
  const auto found = judged(run);
  EXPECT_EQ(of(found, "nccl/transport").kind, VerdictKind::failed);
  EXPECT_THAT(
      of(found, "nccl/transport").reason,
      HasSubstr(
          "1 of 1 collectives went through the host's memory, though every GPU has NVLinks to NVSwitches"));
}

TEST(BetweenGpus, ARunOfOneGpuSaysNothing) {
  EXPECT_THAT(judged(make_run(1)), IsEmpty());
}

}  // namespace
}  // namespace gpugauge::judge
