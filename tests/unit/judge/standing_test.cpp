#include "judge/standing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kept_verdicts.hpp"
#include "result/error.hpp"

namespace gpugauge::judge {
namespace {

using testing::HasSubstr;

TEST(Status, VerdictsOfThisMachineAsItIsCount) {
  const Status found = judge_status(all_pass(), two_gpus(), {});
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_EQ(found.outcome.code, ExitCode::pass);
  EXPECT_EQ(found.devices[0].word, "pass");
  EXPECT_EQ(found.devices[0].age_seconds, 3 * 3600.0);
  EXPECT_TRUE(found.devices[0].against.empty());
}

TEST(Status, AVerdictThatCannotBeReadHidesNoOther) {
  auto kept = all_pass();
  kept[0].verdict = verdict_of(first_gpu, 0, ExitCode::regressed);
  kept[1].verdict = {};
  kept[1].verdict.device = kept[1].verdict.label = second_gpu.uuid;
  kept[1].unreadable = "b.json is cut off";
  Status found = judge_status(kept, two_gpus(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::regressed);
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_EQ(found.devices[0].reason, "b.json is cut off") << "it has no index, so it sorts first";
  EXPECT_EQ(found.devices[0].code, ExitCode::cannot_judge);
  EXPECT_FALSE(found.devices[0].stored);
  found = judge_status(kept, two_gpus(), {.devices = {"1"}, .most_seconds = {}, .profile = ""});
  EXPECT_EQ(found.devices[0].reason, "has no verdict that can be read: b.json is cut off");
  kept[0].verdict.outcome.code = ExitCode::pass;
  EXPECT_EQ(judge_status(kept, two_gpus(), {}).outcome.code, ExitCode::cannot_judge);
  // That of the node may have been a failure.
  kept = all_pass();
  kept.emplace_back().verdict.device = "node";
  kept.back().unreadable = "node.json is cut off";
  EXPECT_EQ(judge_status(kept, two_gpus(), {}).outcome.code, ExitCode::cannot_judge);
}

TEST(Status, AGpuThatIsGoneIsLookedForAndNotMeasured) {
  Present now = two_gpus();
  now.gpus.pop_back();
  const Status found = judge_status(all_pass(), now, {});
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_THAT(found.devices[1].reason,
              HasSubstr("it is not in this machine now; `gpugauge doctor` looks for it"));
}

TEST(Status, TheNodeIsNoDevice) {
  auto kept = all_pass();
  for (Kept& one : kept) one.verdict.word = "regressed", one.verdict.outcome.code = ExitCode::regressed;
  EXPECT_EQ(judge_status(kept, two_gpus(), {}).outcome.sentence, "regressed: all 2 devices");
  kept.push_back(kept.front());
  kept.back().verdict.device = "node";
  EXPECT_EQ(judge_status(kept, two_gpus(), {}).outcome.sentence, "regressed: the node and all 2 devices");
}

TEST(Status, TheGravestDecides) {
  auto kept = all_pass();
  kept[1].verdict = verdict_of(second_gpu, 1, ExitCode::regressed);
  EXPECT_EQ(judge_status(kept, two_gpus(), {}).outcome.code, ExitCode::regressed);
  kept[0].verdict = verdict_of(first_gpu, 0, ExitCode::cannot_judge);
  EXPECT_EQ(judge_status(kept, two_gpus(), {}).outcome.code, ExitCode::regressed);
  kept[1].verdict = verdict_of(second_gpu, 1);
  EXPECT_EQ(judge_status(kept, two_gpus(), {}).outcome.code, ExitCode::cannot_judge);
}

TEST(Status, AnotherBootDriverOrLibraryIsSaidByName) {
  Present now = two_gpus();
  now.driver_version = "590.10.01";
  Status found = judge_status(all_pass(), now, {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(found.devices[0].reason, HasSubstr("driver 580.65.06 then, 590.10.01 now"));
  now = two_gpus();
  now.driver_version = "";
  EXPECT_THAT(judge_status(all_pass(), now, {}).devices[0].reason,
              HasSubstr("driver 580.65.06 then, none now"));
  now = two_gpus();
  now.boot_id = "another";
  EXPECT_THAT(judge_status(all_pass(), now, {}).devices[0].reason, HasSubstr("started anew"));
  now.boot_id = "";
  auto unknown = all_pass();
  unknown[0].verdict.boot_id = "";
  EXPECT_EQ(judge_status(unknown, now, {}).outcome.code, ExitCode::cannot_judge)
      << "two unknown boots are not one";
  EXPECT_THAT(judge_status(unknown, now, {}).devices[0].reason,
              HasSubstr("whether the machine was started anew since its last verdict is not known"));
  auto kept = all_pass();
  kept[0].changed = {"libcuda 580.65.06 then, 580.82.07 now"};
  found = judge_status(kept, two_gpus(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_EQ(found.devices[1].code, ExitCode::pass);
  EXPECT_THAT(found.devices[0].reason, HasSubstr("libcuda 580.65.06 then, 580.82.07 now"));
}

TEST(Status, LinksCountWithTheGpusThatTheyLieBetween) {
  auto kept = all_pass();
  EXPECT_EQ(judge_status(kept, two_gpus(), {}).devices.size(), 2U)
      << "links that were never gauged are not missed";
  kept.push_back({verdict_of(first_gpu, 0, ExitCode::regressed), {}});
  kept[2].verdict.device = "links";
  kept[2].verdict.label = "Links between 2 GPUs";
  kept[2].verdict.index.reset();
  kept[2].verdict.address = "";
  Status found = judge_status(kept, two_gpus(), {});
  ASSERT_EQ(found.devices.size(), 3U);
  EXPECT_EQ(found.outcome.code, ExitCode::regressed);
  EXPECT_EQ(found.devices[2].word, "regressed");
  StatusRequest only;
  only.devices = {"links"};
  Present now = two_gpus();
  now.gpus = {first_gpu};
  found = judge_status(kept, now, only);
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(found.devices[0].reason, HasSubstr("the GPUs are not those of its last verdict"));
  now = two_gpus();
  now.driver_version = "590.10.01";
  EXPECT_THAT(judge_status(kept, now, only).devices[0].reason, HasSubstr("driver 580.65.06 then"));
  EXPECT_THAT(judge_status(all_pass(), two_gpus(), only).devices[0].reason, HasSubstr("never gauged"));
}

TEST(Status, AGpuThatWasNeverGaugedOrIsGoneIsMissed) {
  auto kept = all_pass();
  kept.pop_back();
  Status found = judge_status(kept, two_gpus(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_THAT(found.devices[1].reason, HasSubstr("never gauged"));
  Present now = two_gpus();
  now.gpus = {first_gpu};
  found = judge_status(all_pass(), now, {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(found.devices[1].reason, HasSubstr("not in this machine now"));
  // The same without a verdict of its own: the first_gpu one's check saw it.
  found = judge_status(kept, now, {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_THAT(found.devices[1].reason, HasSubstr("was in this machine at 2026-01-15T09:00:00.000Z"));
  // Under WSL nobody lists them.
  now.gpus = {};
  now.gpus_listed = false;
  EXPECT_EQ(judge_status(all_pass(), now, {}).outcome.code, ExitCode::pass);
}

TEST(Status, ACardOfAnEarlierBootThatIsGoneIsARemark) {
  auto kept = all_pass();
  kept[1].verdict.boot_id = "earlier";
  kept[0].verdict.gpus = {first_gpu};
  Present now = two_gpus();
  now.gpus = {first_gpu};
  const Status found = judge_status(kept, now, {});
  EXPECT_EQ(found.outcome.code, ExitCode::pass);
  ASSERT_EQ(found.remarks.size(), 1U);
  EXPECT_THAT(found.remarks[0], HasSubstr("GPU 1 is not in this machine"));
}

TEST(Status, TheKernelTellsAUuidOnlyOnceTheGpuWasUsed) {
  Present now = two_gpus();
  for (SeenGpu& gpu : now.gpus) gpu.uuid = gpu.name = "";
  EXPECT_EQ(judge_status(all_pass(), now, {}).outcome.code, ExitCode::pass);
  now.gpus[1].address = "0000:03:00.0";
  EXPECT_EQ(judge_status(all_pass(), now, {}).outcome.code, ExitCode::cannot_judge);
  // Another card in the same place is told apart where the kernel knows it.
  now = two_gpus();
  now.gpus[1].uuid = "GPU-33333333-0000";
  EXPECT_EQ(judge_status(all_pass(), now, {}).outcome.code, ExitCode::cannot_judge);
}

TEST(Status, AnInstanceIsWhereItsGpuIs) {
  StoredVerdict slice = verdict_of(first_gpu, 0);
  slice.device = "MIG-44444444-0000";
  Present now = two_gpus();
  now.gpus = {first_gpu};
  slice.gpus = {first_gpu};
  EXPECT_EQ(judge_status({{slice, {}}}, now, {}).outcome.code, ExitCode::pass);
}

TEST(Status, AProfileThatIsAskedForMustBeWhole) {
  StatusRequest request;
  request.profile = "deep";
  EXPECT_THAT(judge_status(all_pass(), two_gpus(), request).devices[0].reason,
              HasSubstr("of profile standard, and deep is asked for"));
  request.profile = "standard";
  EXPECT_EQ(judge_status(all_pass(), two_gpus(), request).outcome.code, ExitCode::pass);
  auto kept = all_pass();
  kept[0].verdict.narrowed = {"hbm"};
  EXPECT_EQ(judge_status(kept, two_gpus(), request).outcome.code, ExitCode::cannot_judge);
  request.profile = "";
  const Status found = judge_status(kept, two_gpus(), request);
  EXPECT_EQ(found.outcome.code, ExitCode::pass);
  EXPECT_THAT(found.devices[0].reason, HasSubstr("only of hbm"));
}

TEST(Status, AFailureThatADeeperProfileFoundCountsForALesserOne) {
  auto kept = all_pass();
  kept[1].verdict = verdict_of(second_gpu, 1, ExitCode::regressed);
  StatusRequest request;
  request.devices = {"1"};
  request.profile = "smoke";
  EXPECT_EQ(judge_status(kept, two_gpus(), request).outcome.code, ExitCode::cannot_judge);
  request.deeper_profiles = {"quick", "standard"};
  EXPECT_EQ(judge_status(kept, two_gpus(), request).outcome.code, ExitCode::regressed);
  kept[1].verdict.narrowed = {"hbm"};
  EXPECT_EQ(judge_status(kept, two_gpus(), request).outcome.code, ExitCode::regressed);
  request.devices = {"0"};
  EXPECT_EQ(judge_status(kept, two_gpus(), request).outcome.code, ExitCode::cannot_judge)
      << "a pass is not one";
}

TEST(Status, WhatTheNodeFailedCountsBesideItsGpus) {
  auto kept = all_pass();
  StoredVerdict node = verdict_of({}, 0, ExitCode::regressed);
  node.device = "node";
  node.index.reset();
  kept.push_back({node, {}});
  EXPECT_EQ(judge_status(kept, two_gpus(), {}).outcome.code, ExitCode::regressed);
  EXPECT_EQ(judge_status(kept, two_gpus(), {{"0"}, {}, {}}).outcome.code, ExitCode::regressed);
  kept.back().verdict = verdict_of({}, 0);
  kept.back().verdict.device = "node";
  EXPECT_EQ(judge_status(kept, two_gpus(), {}).devices.size(), 2U);
  kept.back().verdict = node;
  kept.back().verdict.boot_id = "earlier";
  EXPECT_EQ(judge_status(kept, two_gpus(), {}).outcome.code, ExitCode::pass);
}

TEST(Status, ChoosesByIndexAndByTheBeginningOfAUuid) {
  EXPECT_EQ(judge_status(all_pass(), two_gpus(), {{"1"}, {}, {}}).devices.at(0).device, second_gpu.uuid);
  EXPECT_EQ(judge_status(all_pass(), two_gpus(), {{"GPU-2222"}, {}, {}}).devices.at(0).device,
            second_gpu.uuid);
  const Status none = judge_status(all_pass(), two_gpus(), {{"7"}, {}, {}});
  EXPECT_EQ(none.outcome.code, ExitCode::cannot_judge);
  EXPECT_EQ(none.devices.at(0).reason, "was never gauged, and the kernel shows no such GPU");
  EXPECT_THAT(judge_status({}, two_gpus(), {{"GPU-2222"}, {}, {}}).devices.at(0).reason,
              HasSubstr("never gauged"));
  EXPECT_THAT(judge_status({}, two_gpus(), {{"GPU-9999"}, {}, {}}).devices.at(0).reason,
              HasSubstr("the kernel shows no such GPU"));
  auto kept = all_pass();
  kept[1].verdict.device = "GPU-11111111-9999";
  EXPECT_THROW(judge_status(kept, two_gpus(), {{"GPU-1111"}, {}, {}}), result::UsageError);
}

TEST(Status, AMachineWithoutGpusIsNoPass) {
  Present now = two_gpus();
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
  auto kept = all_pass();
  kept[0].verdict.outcome.code = ExitCode::regressed;
  kept[0].verdict.profile = "deep";
  kept[0].changed = {"libcuda 580.65.06 then, 580.82.07 now"};
  EXPECT_THAT(judge_status(kept, two_gpus(), {}).devices.at(0).reason,
              HasSubstr("`gpugauge check --device " + first_gpu.uuid + " --profile deep` measures again"));
}

TEST(Status, OfACardThatTheKernelShowsSplitTheVerdictOnTheWholeDoesNotHold) {
  Present now = two_gpus();
  now.instances = {{first_gpu.address, 2}, {second_gpu.address, 0}};
  const Status found = judge_status(all_pass(), now, {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_EQ(found.devices.at(0).reason,
            "the card is split into 2 instances now (MIG); `gpugauge check` measures what is there now");
  EXPECT_EQ(found.devices.at(1).word, "pass");
}

TEST(Status, OfAnInstanceWhoseCardIsWholeNowTheVerdictDoesNotHold) {
  Present now = two_gpus();
  now.gpus = {first_gpu};
  std::vector<Kept> kept{{verdict_of_instance(first_gpu, "2026-01-15T10:00:00.000Z"), {}}};
  kept[0].verdict.gpus = {first_gpu};
  EXPECT_EQ(judge_status(kept, now, {}).outcome.code, ExitCode::pass) << "nothing is known of instances";
  now.instances = {{first_gpu.address, 1}};
  EXPECT_EQ(judge_status(kept, now, {}).outcome.code, ExitCode::pass);
  now.instances = {{first_gpu.address, 0}};
  EXPECT_THAT(judge_status(kept, now, {}).devices.at(0).reason,
              HasSubstr("its card has no MIG instance now"));
}

TEST(Status, OfACardThatWasMeasuredWholeAndInPartsTheLaterCheckHolds) {
  auto kept = all_pass();
  kept.push_back({verdict_of_instance(first_gpu, "2026-01-15T10:00:00.000Z"), {}});
  Status found = judge_status(kept, two_gpus(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::pass);
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_EQ(found.devices[0].device, "MIG-33333333-0000");
  ASSERT_EQ(found.remarks.size(), 1U);
  EXPECT_THAT(found.remarks[0], HasSubstr("GPU 0: an instance of it was measured at "
                                          "2026-01-15T10:00:00.000Z: the card is split (MIG)."));
  found = judge_status(kept, two_gpus(), {{first_gpu.uuid}, {}, {}});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge) << "who asks for the whole card is told";
  // A failure that was shown is no mere remark.
  kept[0].verdict.outcome.code = ExitCode::regressed;
  found = judge_status(kept, two_gpus(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(found.devices.back().reason + found.devices.front().reason,
              HasSubstr("told until the machine is started anew, or the file of " + first_gpu.uuid));
  // One of an earlier boot is: nothing could ever take its place.
  kept[0].verdict.boot_id = "earlier";
  found = judge_status(kept, two_gpus(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::pass);
  EXPECT_EQ(found.remarks.size(), 1U);

  kept = all_pass();
  kept.push_back({verdict_of_instance(first_gpu, "2026-01-15T08:00:00.000Z"), {}});
  found = judge_status(kept, two_gpus(), {});
  EXPECT_EQ(found.outcome.code, ExitCode::pass);
  ASSERT_EQ(found.remarks.size(), 1U);
  EXPECT_THAT(found.remarks[0], HasSubstr("the whole card was measured at "
                                          "2026-01-15T09:00:00.000Z: the instance is gone."));
}

}  // namespace
}  // namespace gpugauge::judge
