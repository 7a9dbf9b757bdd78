#include "judge/standing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/error.hpp"

namespace gpugauge::judge {
namespace {

using testing::HasSubstr;

constexpr double noon = 1768478400;  // 2026-01-15T12:00:00Z
const SeenGpu first{"0000:01:00.0", "GPU-11111111-0000", "NVIDIA H200"};
const SeenGpu second{"0000:02:00.0", "GPU-22222222-0000", "NVIDIA H200"};

Present machine() {
  Present out;
  out.boot_id = "boot";
  out.unix_seconds = noon;
  out.nvidia = out.gpus_listed = true;
  out.gpus = {first, second};
  out.driver_version = "580.65.06";
  return out;
}

StoredVerdict verdict_of(const SeenGpu& gpu, int index, ExitCode code = ExitCode::pass) {
  StoredVerdict out;
  out.device = gpu.uuid;
  out.label = "GPU " + std::to_string(index);
  out.index = index;
  out.address = gpu.address;
  out.boot_id = "boot";
  out.finished = "2026-01-15T09:00:00.000Z";
  out.profile = "standard";
  out.word = code == ExitCode::pass ? "pass" : code == ExitCode::regressed ? "regressed" : "cannot judge";
  out.outcome = {code, out.word + ": of a test"};
  out.driver_version = "580.65.06";
  out.gpus = {first, second};
  return out;
}

std::vector<Kept> healthy() {
  return {{verdict_of(first, 0), {}}, {verdict_of(second, 1), {}}};
}

TEST(Status, VerdictsOfThisMachineAsItIsCount) {
  const Status found = judge_status(healthy(), machine(), {});
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_EQ(found.outcome.code, ExitCode::pass);
  EXPECT_EQ(found.devices[0].word, "pass");
  EXPECT_EQ(found.devices[0].age_seconds, 3 * 3600.0);
  EXPECT_TRUE(found.devices[0].against.empty());
}

TEST(Status, AVerdictThatCannotBeReadHidesNoOther) {
  auto kept = healthy();
  kept[0].verdict = verdict_of(first, 0, ExitCode::regressed);
  kept[1].verdict = {};
  kept[1].verdict.device = kept[1].verdict.label = second.uuid;
  kept[1].unreadable = "b.json is cut off";
  Status found = judge_status(kept, machine(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::regressed);
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_EQ(found.devices[0].reason, "b.json is cut off") << "it has no index, so it sorts first";
  EXPECT_EQ(found.devices[0].code, ExitCode::cannot_judge);
  EXPECT_FALSE(found.devices[0].stored);
  found = judge_status(kept, machine(), {.devices = {"1"}, .most_seconds = {}, .profile = ""});
  EXPECT_EQ(found.devices[0].reason, "has no verdict that can be read: b.json is cut off");
  kept[0].verdict.outcome.code = ExitCode::pass;
  EXPECT_EQ(judge_status(kept, machine(), {}).outcome.code, ExitCode::cannot_judge);
  // That of the node may have been a failure.
  kept = healthy();
  kept.emplace_back().verdict.device = "node";
  kept.back().unreadable = "node.json is cut off";
  EXPECT_EQ(judge_status(kept, machine(), {}).outcome.code, ExitCode::cannot_judge);
}

TEST(Status, AGpuThatIsGoneIsLookedForAndNotMeasured) {
  Present now = machine();
  now.gpus.pop_back();
  const Status found = judge_status(healthy(), now, {});
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_THAT(found.devices[1].reason,
              HasSubstr("it is not in this machine now; `gpugauge doctor` looks for it"));
}

TEST(Status, TheNodeIsNoDevice) {
  auto kept = healthy();
  for (Kept& one : kept) one.verdict.word = "regressed", one.verdict.outcome.code = ExitCode::regressed;
  EXPECT_EQ(judge_status(kept, machine(), {}).outcome.sentence, "regressed: all 2 devices");
  kept.push_back(kept.front());
  kept.back().verdict.device = "node";
  EXPECT_EQ(judge_status(kept, machine(), {}).outcome.sentence, "regressed: the node and all 2 devices");
}

TEST(Status, TheGravestDecides) {
  auto kept = healthy();
  kept[1].verdict = verdict_of(second, 1, ExitCode::regressed);
  EXPECT_EQ(judge_status(kept, machine(), {}).outcome.code, ExitCode::regressed);
  kept[0].verdict = verdict_of(first, 0, ExitCode::cannot_judge);
  EXPECT_EQ(judge_status(kept, machine(), {}).outcome.code, ExitCode::regressed);
  kept[1].verdict = verdict_of(second, 1);
  EXPECT_EQ(judge_status(kept, machine(), {}).outcome.code, ExitCode::cannot_judge);
}

TEST(Status, AnotherBootDriverOrLibraryIsSaidByName) {
  Present now = machine();
  now.driver_version = "590.10.01";
  Status found = judge_status(healthy(), now, {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(found.devices[0].reason, HasSubstr("driver 580.65.06 then, 590.10.01 now"));
  now = machine();
  now.driver_version = "";
  EXPECT_THAT(judge_status(healthy(), now, {}).devices[0].reason,
              HasSubstr("driver 580.65.06 then, none now"));
  now = machine();
  now.boot_id = "another";
  EXPECT_THAT(judge_status(healthy(), now, {}).devices[0].reason, HasSubstr("started anew"));
  now.boot_id = "";
  auto unknown = healthy();
  unknown[0].verdict.boot_id = "";
  EXPECT_EQ(judge_status(unknown, now, {}).outcome.code, ExitCode::cannot_judge)
      << "two unknown boots are not one";
  EXPECT_THAT(judge_status(unknown, now, {}).devices[0].reason,
              HasSubstr("whether the machine was started anew since its last verdict is not known"));
  auto kept = healthy();
  kept[0].changed = {"libcuda 580.65.06 then, 580.82.07 now"};
  found = judge_status(kept, machine(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_EQ(found.devices[1].code, ExitCode::pass);
  EXPECT_THAT(found.devices[0].reason, HasSubstr("libcuda 580.65.06 then, 580.82.07 now"));
}

TEST(Status, LinksCountWithTheGpusThatTheyLieBetween) {
  auto kept = healthy();
  EXPECT_EQ(judge_status(kept, machine(), {}).devices.size(), 2U)
      << "links that were never gauged are not missed";
  kept.push_back({verdict_of(first, 0, ExitCode::regressed), {}});
  kept[2].verdict.device = "links";
  kept[2].verdict.label = "Links between 2 GPUs";
  kept[2].verdict.index.reset();
  kept[2].verdict.address = "";
  Status found = judge_status(kept, machine(), {});
  ASSERT_EQ(found.devices.size(), 3U);
  EXPECT_EQ(found.outcome.code, ExitCode::regressed);
  EXPECT_EQ(found.devices[2].word, "regressed");
  StatusRequest only;
  only.devices = {"links"};
  Present now = machine();
  now.gpus = {first};
  found = judge_status(kept, now, only);
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(found.devices[0].reason, HasSubstr("the GPUs are not those of its last verdict"));
  now = machine();
  now.driver_version = "590.10.01";
  EXPECT_THAT(judge_status(kept, now, only).devices[0].reason, HasSubstr("driver 580.65.06 then"));
  EXPECT_THAT(judge_status(healthy(), machine(), only).devices[0].reason, HasSubstr("never gauged"));
}

TEST(Status, AGpuThatWasNeverGaugedOrIsGoneIsMissed) {
  auto kept = healthy();
  kept.pop_back();
  Status found = judge_status(kept, machine(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_THAT(found.devices[1].reason, HasSubstr("never gauged"));
  Present now = machine();
  now.gpus = {first};
  found = judge_status(healthy(), now, {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(found.devices[1].reason, HasSubstr("not in this machine now"));
  // The same without a verdict of its own: the first one's check saw it.
  found = judge_status(kept, now, {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_THAT(found.devices[1].reason, HasSubstr("was in this machine at 2026-01-15T09:00:00.000Z"));
  // Under WSL nobody lists them.
  now.gpus = {};
  now.gpus_listed = false;
  EXPECT_EQ(judge_status(healthy(), now, {}).outcome.code, ExitCode::pass);
}

TEST(Status, ACardOfAnEarlierBootThatIsGoneIsARemark) {
  auto kept = healthy();
  kept[1].verdict.boot_id = "earlier";
  kept[0].verdict.gpus = {first};
  Present now = machine();
  now.gpus = {first};
  const Status found = judge_status(kept, now, {});
  EXPECT_EQ(found.outcome.code, ExitCode::pass);
  ASSERT_EQ(found.remarks.size(), 1U);
  EXPECT_THAT(found.remarks[0], HasSubstr("GPU 1 is not in this machine"));
}

TEST(Status, TheKernelTellsAUuidOnlyOnceTheGpuWasUsed) {
  Present now = machine();
  for (SeenGpu& gpu : now.gpus) gpu.uuid = gpu.name = "";
  EXPECT_EQ(judge_status(healthy(), now, {}).outcome.code, ExitCode::pass);
  now.gpus[1].address = "0000:03:00.0";
  EXPECT_EQ(judge_status(healthy(), now, {}).outcome.code, ExitCode::cannot_judge);
  // Another card in the same place is told apart where the kernel knows it.
  now = machine();
  now.gpus[1].uuid = "GPU-33333333-0000";
  EXPECT_EQ(judge_status(healthy(), now, {}).outcome.code, ExitCode::cannot_judge);
}

TEST(Status, AnInstanceIsWhereItsGpuIs) {
  StoredVerdict slice = verdict_of(first, 0);
  slice.device = "MIG-44444444-0000";
  Present now = machine();
  now.gpus = {first};
  slice.gpus = {first};
  EXPECT_EQ(judge_status({{slice, {}}}, now, {}).outcome.code, ExitCode::pass);
}

TEST(Status, AgeCountsAndATimeInTheFutureIsNone) {
  StatusRequest request;
  request.most_seconds = 2 * 3600;
  Status found = judge_status(healthy(), machine(), request);
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(found.devices[0].reason, HasSubstr("older than"));
  request.most_seconds = 4 * 3600;
  EXPECT_EQ(judge_status(healthy(), machine(), request).outcome.code, ExitCode::pass);
  Present now = machine();
  now.unix_seconds = noon - 4 * 3600;
  EXPECT_THAT(judge_status(healthy(), now, {}).devices[0].reason, HasSubstr("in the future"));
  auto kept = healthy();
  kept[0].verdict.finished = "yesterday";
  EXPECT_THAT(judge_status(kept, machine(), {}).devices[0].reason, HasSubstr("cannot be read"));
}

TEST(Status, AProfileThatIsAskedForMustBeWhole) {
  StatusRequest request;
  request.profile = "deep";
  EXPECT_THAT(judge_status(healthy(), machine(), request).devices[0].reason,
              HasSubstr("of profile standard, and deep is asked for"));
  request.profile = "standard";
  EXPECT_EQ(judge_status(healthy(), machine(), request).outcome.code, ExitCode::pass);
  auto kept = healthy();
  kept[0].verdict.narrowed = {"hbm"};
  EXPECT_EQ(judge_status(kept, machine(), request).outcome.code, ExitCode::cannot_judge);
  request.profile = "";
  const Status found = judge_status(kept, machine(), request);
  EXPECT_EQ(found.outcome.code, ExitCode::pass);
  EXPECT_THAT(found.devices[0].reason, HasSubstr("only of hbm"));
}

TEST(Status, AFailureThatADeeperProfileFoundCountsForALesserOne) {
  auto kept = healthy();
  kept[1].verdict = verdict_of(second, 1, ExitCode::regressed);
  StatusRequest request;
  request.devices = {"1"};
  request.profile = "smoke";
  EXPECT_EQ(judge_status(kept, machine(), request).outcome.code, ExitCode::cannot_judge);
  request.deeper_profiles = {"quick", "standard"};
  EXPECT_EQ(judge_status(kept, machine(), request).outcome.code, ExitCode::regressed);
  kept[1].verdict.narrowed = {"hbm"};
  EXPECT_EQ(judge_status(kept, machine(), request).outcome.code, ExitCode::regressed);
  request.devices = {"0"};
  EXPECT_EQ(judge_status(kept, machine(), request).outcome.code, ExitCode::cannot_judge)
      << "a pass is not one";
}

TEST(Status, WhatTheNodeFailedCountsBesideItsGpus) {
  auto kept = healthy();
  StoredVerdict node = verdict_of({}, 0, ExitCode::regressed);
  node.device = "node";
  node.index.reset();
  kept.push_back({node, {}});
  EXPECT_EQ(judge_status(kept, machine(), {}).outcome.code, ExitCode::regressed);
  EXPECT_EQ(judge_status(kept, machine(), {{"0"}, {}, {}}).outcome.code, ExitCode::regressed);
  kept.back().verdict = verdict_of({}, 0);
  kept.back().verdict.device = "node";
  EXPECT_EQ(judge_status(kept, machine(), {}).devices.size(), 2U);
  kept.back().verdict = node;
  kept.back().verdict.boot_id = "earlier";
  EXPECT_EQ(judge_status(kept, machine(), {}).outcome.code, ExitCode::pass);
}

TEST(Status, ChoosesByIndexAndByTheBeginningOfAUuid) {
  EXPECT_EQ(judge_status(healthy(), machine(), {{"1"}, {}, {}}).devices.at(0).device, second.uuid);
  EXPECT_EQ(judge_status(healthy(), machine(), {{"GPU-2222"}, {}, {}}).devices.at(0).device, second.uuid);
  const Status none = judge_status(healthy(), machine(), {{"7"}, {}, {}});
  EXPECT_EQ(none.outcome.code, ExitCode::cannot_judge);
  EXPECT_EQ(none.devices.at(0).reason, "was never gauged, and the kernel shows no such GPU");
  EXPECT_THAT(judge_status({}, machine(), {{"GPU-2222"}, {}, {}}).devices.at(0).reason,
              HasSubstr("never gauged"));
  EXPECT_THAT(judge_status({}, machine(), {{"GPU-9999"}, {}, {}}).devices.at(0).reason,
              HasSubstr("the kernel shows no such GPU"));
  auto kept = healthy();
  kept[1].verdict.device = "GPU-11111111-9999";
  EXPECT_THROW(judge_status(kept, machine(), {{"GPU-1111"}, {}, {}}), result::UsageError);
}

TEST(Status, AMachineWithoutGpusIsNoPass) {
  Present now = machine();
  now.gpus = {};
  now.nvidia = false;
  now.driver_version = "";
  Status found = judge_status({}, now, {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(found.outcome.sentence, HasSubstr("has no NVIDIA GPU"));
  now.nvidia = true;
  EXPECT_THAT(judge_status({}, now, {}).outcome.sentence, HasSubstr("gpugauge doctor"));
  found = judge_status({}, now, {{"host"}, {}, {}});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  StoredVerdict host = verdict_of({}, 0);
  host.device = "host";
  host.driver_version = "of no matter";
  EXPECT_EQ(judge_status({{host, {}}}, now, {{"host"}, {}, {}}).outcome.code, ExitCode::pass);
}

StoredVerdict verdict_of_instance(const SeenGpu& card, const std::string& finished) {
  StoredVerdict out = verdict_of(card, 0);
  out.device = "MIG-33333333-0000";
  out.label = "GPU 0 MIG";
  out.finished = finished;
  return out;
}

TEST(Status, AFailureOfThisBootAsksForItsOwnProfile) {
  auto kept = healthy();
  kept[0].verdict.outcome.code = ExitCode::regressed;
  kept[0].verdict.profile = "deep";
  kept[0].verdict.finished = "2026-01-01T00:00:00.000Z";
  StatusRequest request;
  request.most_seconds = 3600;
  EXPECT_THAT(judge_status(kept, machine(), request).devices.at(0).reason,
              HasSubstr("`gpugauge check --device " + first.uuid + " --profile deep` measures again"));
}

TEST(Status, OfACardThatTheKernelShowsSplitTheVerdictOnTheWholeDoesNotHold) {
  Present now = machine();
  now.instances = {{first.address, 2}, {second.address, 0}};
  const Status found = judge_status(healthy(), now, {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_EQ(found.devices.at(0).reason,
            "the card is split into 2 instances now (MIG); `gpugauge check` measures what is there now");
  EXPECT_EQ(found.devices.at(1).word, "pass");
}

TEST(Status, OfAnInstanceWhoseCardIsWholeNowTheVerdictDoesNotHold) {
  Present now = machine();
  now.gpus = {first};
  std::vector<Kept> kept{{verdict_of_instance(first, "2026-01-15T10:00:00.000Z"), {}}};
  kept[0].verdict.gpus = {first};
  EXPECT_EQ(judge_status(kept, now, {}).outcome.code, ExitCode::pass) << "nothing is known of instances";
  now.instances = {{first.address, 1}};
  EXPECT_EQ(judge_status(kept, now, {}).outcome.code, ExitCode::pass);
  now.instances = {{first.address, 0}};
  EXPECT_THAT(judge_status(kept, now, {}).devices.at(0).reason,
              HasSubstr("its card has no MIG instance now"));
}

TEST(Status, OfACardThatWasMeasuredWholeAndInPartsTheLaterCheckHolds) {
  auto kept = healthy();
  kept.push_back({verdict_of_instance(first, "2026-01-15T10:00:00.000Z"), {}});
  Status found = judge_status(kept, machine(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::pass);
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_EQ(found.devices[0].device, "MIG-33333333-0000");
  ASSERT_EQ(found.remarks.size(), 1U);
  EXPECT_THAT(found.remarks[0], HasSubstr("GPU 0: an instance of it was measured at "
                                          "2026-01-15T10:00:00.000Z: the card is split (MIG)."));
  found = judge_status(kept, machine(), {{first.uuid}, {}, {}});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge) << "who asks for the whole card is told";
  // A failure that was shown is no mere remark.
  kept[0].verdict.outcome.code = ExitCode::regressed;
  found = judge_status(kept, machine(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(found.devices.back().reason + found.devices.front().reason,
              HasSubstr("told until the machine is started anew, or the file of " + first.uuid));
  // One of an earlier boot is: nothing could ever take its place.
  kept[0].verdict.boot_id = "earlier";
  found = judge_status(kept, machine(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::pass);
  EXPECT_EQ(found.remarks.size(), 1U);

  kept = healthy();
  kept.push_back({verdict_of_instance(first, "2026-01-15T08:00:00.000Z"), {}});
  found = judge_status(kept, machine(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::pass);
  ASSERT_EQ(found.remarks.size(), 1U);
  EXPECT_THAT(found.remarks[0], HasSubstr("the whole card was measured at "
                                          "2026-01-15T09:00:00.000Z: the instance is gone."));
}

}  // namespace
}  // namespace gpugauge::judge
