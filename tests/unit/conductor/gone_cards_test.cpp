// A card that a baseline of this machine names and that is nowhere now.
#include "conductor/gone_cards.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpugauge::conductor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

result::Run run_beside(const std::string& device, const std::vector<std::string>& uuids) {
  result::Run run;
  run.device = device;
  run.started = "2026-01-02T03:04:05Z";
  run.fingerprint.device["gpu.count"] = std::to_string(uuids.size());
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    const std::string prefix = "gpu." + std::to_string(i) + ".";
    run.fingerprint.device[prefix + "uuid"] = uuids[i];
    run.fingerprint.topology[prefix + "pci"] = "0000:0" + uuids[i].substr(4) + ":00.0";
  }
  return run;
}

const std::vector<std::string> four{"GPU-0", "GPU-1", "GPU-2", "GPU-3"};
const std::vector<std::string> three{"GPU-0", "GPU-1", "GPU-3"};

/// A device that was measured beside `now`, against a baseline beside `then`.
report::DeviceReport device(const std::string& uuid, const std::vector<std::string>& now,
                            const std::vector<std::string>& then) {
  report::DeviceReport out;
  out.rounds = {run_beside(uuid, now)};
  out.reference = {run_beside(uuid, then)};
  return out;
}

/// The bus shows the cards of these numbers, each at its own address, and nothing else.
Shown bus_of(const std::string& numbers) {
  Shown out;
  out.on_bus = [numbers](const std::string& address) {
    return address.size() > 6 && numbers.find(address[6]) != std::string::npos;
  };
  return out;
}

const Shown nowhere = bus_of("013");

TEST(GoneCards, OneThatTheBaselinesNameAndTheBusDoesNotShowHasFailedOnce) {
  const auto found =
      judge_gone_cards({device("GPU-0", three, four), device("GPU-1", three, four)}, {}, nowhere);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, judge::VerdictKind::failed);
  EXPECT_EQ(found[0].metric, "gpu/gone/GPU-2");
  EXPECT_THAT(
      found[0].reason,
      HasSubstr("GPU-2 (0000:02:00.0) was in this machine at 2026-01-02T03:04:05Z, when its baseline"));
}

TEST(GoneCards, OneThatIsOnlyHiddenIsOnTheBusOrHeldByTheDriver) {
  const std::vector<report::DeviceReport> devices{device("GPU-0", three, four)};
  EXPECT_THAT(judge_gone_cards(devices, {}, bus_of("0123")), IsEmpty());
  Shown moved = nowhere;
  moved.uuids = {"GPU-2"};
  EXPECT_THAT(judge_gone_cards(devices, {}, moved), IsEmpty()) << "at another address";
}

TEST(GoneCards, AnotherCardOfThisMachineAtItsPlaceHidesNothingAndAnUnknownOneHasReplacedIt) {
  for (const auto& [at_its_place, gone] : {std::pair{"GPU-3", 1U}, std::pair{"GPU-9", 0U}}) {
    report::DeviceReport one = device("GPU-0", {"GPU-0", "GPU-1", at_its_place}, four);
    one.rounds[0].fingerprint.topology["gpu.2.pci"] = "0000:02:00.0";
    const auto found = judge_gone_cards({one}, {}, bus_of("012"));
    EXPECT_EQ(std::count_if(found.begin(), found.end(),
                            [](const judge::Verdict& verdict) { return verdict.metric == "gpu/gone/GPU-2"; }),
              gone)
        << at_its_place;
  }
}

TEST(GoneCards, NoneIsMissedWhereGpusAreNotListedOrTheBusDoesNotShowTheMeasuredOne) {
  const std::vector<report::DeviceReport> devices{device("GPU-0", three, four)};
  Shown wsl = nowhere;
  wsl.listed = false;
  EXPECT_THAT(judge_gone_cards(devices, {}, wsl), IsEmpty());
  EXPECT_THAT(judge_gone_cards(devices, {}, bus_of("13")), IsEmpty());
  std::vector<report::DeviceReport> unknown = devices;
  for (int gpu = 0; gpu < 4; ++gpu)
    unknown[0].reference[0].fingerprint.topology[fmt::format("gpu.{}.pci", gpu)] = "unknown";
  unknown[0].rounds[0].fingerprint.topology["gpu.1.pci"] = "unknown";
  EXPECT_THAT(judge_gone_cards(unknown, {}, nowhere), IsEmpty()) << "no address";
}

TEST(GoneCards, NoneWhereAllAreThereOrMoreCameOrNothingWasCompared) {
  EXPECT_THAT(judge_gone_cards({device("GPU-0", four, four), device("GPU-0", four, three)}, {}, nowhere),
              IsEmpty());
  report::DeviceReport without = device("GPU-0", three, four);
  without.reference.clear();
  EXPECT_THAT(judge_gone_cards({without, report::DeviceReport{}}, {}, nowhere), IsEmpty());
}

TEST(GoneCards, ABaselineOfAnotherCardIsOfAnotherMachine) {
  EXPECT_THAT(judge_gone_cards({device("GPU-0", three, {"GPU-7", "GPU-8"})}, {}, nowhere), IsEmpty());
}

TEST(GoneCards, ThePolicySpeaksWhereItSaysHowManyThereShallBe) {
  judge::Policy policy;
  policy.expected_gpus = 3;
  EXPECT_THAT(judge_gone_cards({device("GPU-0", three, four)}, policy, nowhere), IsEmpty());
}

TEST(GoneCards, TheKernelListsWhatItHolds) {
  stack::MachineNow now;
  now.gpus = {{"0000:01:00.0", "GPU-0", "NVIDIA H200"}, {"0000:02:00.0", "", ""}};
  EXPECT_FALSE(shown_of(now).listed);
  now.gpus_listed = true;
  EXPECT_TRUE(shown_of(now).listed);
  EXPECT_THAT(shown_of(now).uuids, ::testing::ElementsAre("", "GPU-0"));
}

}  // namespace
}  // namespace gpugauge::conductor
