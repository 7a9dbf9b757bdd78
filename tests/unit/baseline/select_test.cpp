// Given before own before shipped before none, always with a sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baseline/baseline.hpp"
#include "baseline/fields.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/time.hpp"
#include "selected.hpp"

namespace gpugauge::baseline {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(Select, NoneIsSaid) {
  const Selection found = select({}, now());
  EXPECT_FALSE(found.baseline);
  EXPECT_THAT(found.origin, HasSubstr("No baseline"));
  result::Fingerprint nothing = now();
  nothing.suite.clear();
  EXPECT_THAT(select({}, nothing).origin, HasSubstr("No family measured anything"));
  EXPECT_THAT(found.problems, IsEmpty());
  EXPECT_EQ(found.damaged, "");
  EXPECT_THAT(select({}, now(), "host").origin,
              HasSubstr("`gpugauge baseline create --device host --profile quick`"));
}

TEST_F(Select, AnOwnOneThatCannotBeReadIsNoSilence) {
  const fs::path mine = pin("state/baselines/mine");
  pin("state/baselines/other", [](result::Run& run) { run.device = "GPU-1"; });
  const fs::path file = mine / "runs" / (run_id(0) + ".json");
  fs::resize_file(file, 100);
  fs::remove(temporary.path() / "state/baselines/other/runs" / (run_id(0) + ".json"));
  Selection found = select({}, now(), "host");
  EXPECT_FALSE(found.baseline);
  EXPECT_THAT(found.damaged, HasSubstr("has 100 bytes and was pinned with"));
  EXPECT_THAT(found.origin, HasSubstr("The baseline of this machine cannot be used"));
  for (const Listed& one : list())
    EXPECT_THAT(one.fault, HasSubstr(one.folder == mine ? "has 100 bytes" : "is missing")) << one.folder;

  pin("shipped/NVIDIA X/quick");
  EXPECT_TRUE(select({}, now(), "host").baseline);
  EXPECT_NE(select({}, now(), "host").damaged, "")
      << "another machine's tells less than what was pinned here";
  const auto same = [](result::Run&) {};
  pin("state/baselines/older", same, "2025-01-01T00:00:00Z");
  EXPECT_EQ(select({}, now(), "host").baseline->manifest.name, "older");
  EXPECT_THAT(select({}, now(), "host").damaged, HasSubstr("has 100 bytes")) << "it was in force";
  pin("state/baselines/newer", same, "2999-01-01T00:00:00Z");
  EXPECT_EQ(select({}, now(), "host").damaged, "") << "it was in force no more";
  fs::resize_file(temporary.path() / "state/baselines/newer/baseline.json", 100);
  EXPECT_NE(select({}, now(), "host").damaged, "") << "nothing tells that it was not in force";
}

TEST_F(Select, ADamagedOneThatWouldNotFitIsMissedByNobody) {
  const auto other_stack = [](result::Run& run) { run.fingerprint.stack["driver.version"] = "550.1"; };
  std::vector<result::Run> runs{make_run(0), make_run(1)};
  for (result::Run& run : runs) other_stack(run);
  const fs::path folder = temporary.path() / "state/baselines/other";
  Manifest manifest = create(folder, "other", runs).manifest;
  manifest.created = "2999-01-01T00:00:00Z";
  result::write_file(folder / "baseline.json", to_json(manifest));
  fs::resize_file(folder / "runs" / (run_id(0) + ".json"), 100);
  EXPECT_NE(select({}, now(), "host").damaged, "");
  pin("state/baselines/mine");
  EXPECT_EQ(select({}, now(), "host").damaged, "") << "another driver's comes behind";
}

TEST_F(Select, WhatWouldNotBeUsedAnywayMayBeDamaged) {
  const fs::path retired = pin("state/baselines/mine");
  append_log(retired, {{result::utc_now(), "me", "old board", State::retired, std::nullopt}});
  const fs::path deep = pin("state/baselines/deep", [](result::Run& run) { run.profile = "deep"; });
  for (const fs::path& folder : {retired, deep}) fs::remove(folder / "runs" / (run_id(0) + ".json"));
  EXPECT_EQ(select({}, now(), "host").damaged, "");
  fs::resize_file(deep / "baseline.json", 100);
  EXPECT_THAT(select({}, now(), "host").damaged, HasSubstr("baseline.json")) << "whose it is cannot be seen";
}

TEST_F(Select, OneCardsManifestThatCannotBeReadStopsNoOtherCards) {
  const auto of = [](const char* device) { return [device](result::Run& run) { run.device = device; }; };
  pin("state/baselines/gpu0", of("GPU-0"));
  const fs::path other = pin("state/baselines/gpu1", of("GPU-1"));
  fs::resize_file(other / "baseline.json", 100);
  const Selection whole = select({}, now(), "GPU-0");
  EXPECT_EQ(whole.baseline->manifest.name, "gpu0");
  EXPECT_EQ(whole.damaged, "");
  EXPECT_THAT(whole.problems, ElementsAre(HasSubstr("gpu1"))) << "and yet it is said";
  EXPECT_EQ(select({}, now(), "GPU-2").damaged, "");
  EXPECT_THAT(select({}, now(), "GPU-1").damaged, ::testing::Not(HasSubstr("may be")));
  EXPECT_NE(select({}, now(), "GPU-1").damaged, "");
  fs::resize_file(other / "runs" / (run_id(0) + ".json"), 100);
  EXPECT_THAT(select({}, now(), "GPU-0").damaged, HasSubstr("it may be this device's"));
  append_log(other, {{result::utc_now(), "me", "lost", State::retired, std::nullopt}});
  EXPECT_EQ(select({}, now(), "GPU-0").damaged, "");
}

TEST_F(Select, OwnBeforeShippedAndGivenBeforeOwn) {
  pin("shipped/NVIDIA X/quick");
  EXPECT_THAT(select({}, now()).origin, HasSubstr("ships with GPUGauge"));
  pin("state/baselines/mine");
  EXPECT_THAT(select({}, now()).origin, HasSubstr("own baseline mine"));
  const fs::path given = pin("given");
  const Selection found = select(given, now());
  EXPECT_THAT(found.origin, HasSubstr("given baseline given"));
  EXPECT_EQ(found.baseline->manifest.name, "given");
}

TEST_F(Select, AGivenOneThatIsBrokenIsRefused) {
  const fs::path given = pin("given");
  fs::remove(given / "baseline.json");
  EXPECT_THROW(select(given, now()), result::FormatError);
}

TEST_F(Select, TheNewestOwnOneThatMatchesWins) {
  const auto same = [](result::Run&) {};
  pin("state/baselines/a", same, "2026-03-01T00:00:00Z");
  pin("state/baselines/b", same, "2026-02-01T00:00:00Z");
  EXPECT_EQ(select({}, now()).baseline->manifest.name, "a");
}

/// Older versions wrote whole seconds.
TEST_F(Select, OfTwoOfOneSecondTheNewerOneWins) {
  const auto same = [](result::Run&) {};
  pin("state/baselines/a", same, "2026-03-01T00:00:00Z");
  pin("state/baselines/b", same, "2026-03-01T00:00:00.400Z");
  EXPECT_EQ(select({}, now()).baseline->manifest.name, "b");
  pin("state/baselines/c", same, "2026-03-01T00:00:00.399Z");
  EXPECT_EQ(select({}, now()).baseline->manifest.name, "b");
  pin("state/baselines/d", same, "2026-03-01T00:00:01Z");
  EXPECT_EQ(select({}, now()).baseline->manifest.name, "d");
}

TEST_F(Select, AnUpgradedDriverStillFindsTheOldBaselineAndSaysSo) {
  pin("state/baselines/old", [](result::Run& run) { run.fingerprint.stack["driver.version"] = "550.1"; });
  const Selection found = select({}, now());
  ASSERT_TRUE(found.baseline);
  EXPECT_EQ(found.not_compared, "Not c" + found.origin.substr(1));
  EXPECT_THAT(found.origin, HasSubstr("software stack is another one."));
  EXPECT_THAT(found.origin, Not(HasSubstr("--treatment"))) << "whether it was declared is not known here";
  EXPECT_EQ(mismatches(now(), found.baseline->runs.front().fingerprint).size(), 1U);
  pin("state/baselines/new");
  EXPECT_EQ(select({}, now()).baseline->manifest.name, "new") << "a full match is preferred";
}

TEST_F(Select, AnotherMachineOrProfileIsNotUsedAndSaid) {
  pin("state/baselines/other", [](result::Run& run) { run.fingerprint.device["host.cpu_model"] = "Y"; });
  pin("state/baselines/profile", [](result::Run& run) { run.fingerprint.suite["suite.profile"] = "deep"; });
  const Selection found = select({}, now());
  EXPECT_FALSE(found.baseline);
  EXPECT_THAT(found.problems,
              ElementsAre(HasSubstr("host.cpu_model differ"), HasSubstr("suite.profile differ")));
}

TEST_F(Select, AnotherCardsBaselineIsNeverTakenByItself) {
  const auto other_card = [](result::Run& run) { run.fingerprint.device["gpu.0.uuid"] = "GPU-2"; };
  pin("state/baselines/other", other_card);
  EXPECT_FALSE(select({}, now()).baseline);
  pin("shipped/model/quick", other_card);
  EXPECT_TRUE(select({}, now()).baseline) << "a shipped one is of the model";
}

TEST_F(Select, TheDeviceNarrowsOwnBaselines) {
  pin("state/baselines/card", [](result::Run& run) { run.device = "GPU-1"; });
  EXPECT_FALSE(select({}, now(), "host").baseline);
  EXPECT_TRUE(select({}, now(), "GPU-1").baseline);
}

TEST_F(Select, BaselinesOfOtherFamiliesAreNoCandidates) {
  pin("state/baselines/gemm", [](result::Run& run) {
    run.fingerprint.suite.erase("suite.source_hash.host");
    run.fingerprint.suite["suite.source_hash.gemm"] = "cd";
  });
  const Selection found = select({}, now());
  EXPECT_FALSE(found.baseline);
  EXPECT_THAT(found.problems, IsEmpty());
}

TEST_F(Select, ABrokenFolderIsReportedAndTheNextOneUsed) {
  const fs::path broken = pin("state/baselines/broken");
  fs::resize_file(broken / "runs" / (run_id(0) + ".json"), 10);
  pin("state/baselines/good");
  const Selection found = select({}, now());
  EXPECT_EQ(found.baseline->manifest.name, "good");
  EXPECT_THAT(found.problems, ElementsAre(HasSubstr("truncated")));
}

TEST(StateDirectory, FollowsTheVariablesInTheirOrder) {
  const Variable home("HOME", "/home/u");
  const Variable xdg("XDG_STATE_HOME", "/x");
  {
    const Variable own("GPUGAUGE_STATE", "/own");
    EXPECT_EQ(state_directory(), "/own");
  }
  const Variable own("GPUGAUGE_STATE", std::nullopt);
  EXPECT_EQ(state_directory(), "/x/gpugauge");
  const Variable no_xdg("XDG_STATE_HOME", std::nullopt);
  EXPECT_EQ(state_directory(), "/home/u/.local/state/gpugauge");
  const Variable relative_xdg("XDG_STATE_HOME", "x");
  EXPECT_EQ(state_directory(), "/home/u/.local/state/gpugauge");
  const Variable relative_home("HOME", "u");
  try {
    state_directory();
    FAIL() << "nothing was refused";
  } catch (const result::UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--state-dir"));
  }
}

void decide(const fs::path& folder, State state) {
  append_log(folder, {{"2026-11-21T10:00:00Z", "root@node", "because", state, std::nullopt}});
}

TEST_F(Select, ACandidateIsSaidAndNotUsedUntilItIsAccepted) {
  const fs::path folder = pin("state/baselines/mine");
  decide(folder, State::candidate);
  const Selection before = select({}, now());
  EXPECT_FALSE(before.baseline);
  EXPECT_THAT(before.problems, ElementsAre(HasSubstr("is a candidate")));
  decide(folder, State::active);
  EXPECT_TRUE(select({}, now()).baseline);
}

TEST_F(Select, ARetiredOneIsPassedOverInSilenceUnlessGiven) {
  const fs::path folder = pin("state/baselines/mine");
  decide(folder, State::retired);
  EXPECT_FALSE(select({}, now()).baseline);
  EXPECT_THAT(select({}, now()).problems, IsEmpty());
  EXPECT_THAT(select(folder, now()).origin, HasSubstr("it is retired"));
}

TEST_F(Select, OneOfThisSiteComesBetweenOwnAndShipped) {
  pin("shipped/NVIDIA X/quick");
  pin("state/site/golden");
  EXPECT_THAT(select({}, now()).origin, HasSubstr("this site's baseline golden"));
  EXPECT_TRUE(select({}, now()).baseline->other_node);
  pin("state/baselines/mine");
  EXPECT_THAT(select({}, now()).origin, HasSubstr("own baseline mine"));
  EXPECT_FALSE(select({}, now()).baseline->other_node);
}

TEST_F(Select, ADamagedLogIsAProblemThatIsSaid) {
  const fs::path folder = pin("state/baselines/mine");
  fs::remove(folder / "log.jsonl");
  const Selection found = select({}, now());
  EXPECT_FALSE(found.baseline);
  EXPECT_THAT(found.problems, ElementsAre(HasSubstr("log.jsonl is missing")));
}

TEST_F(Select, ListsEveryPlaceAndWhatIsSuperseded) {
  const auto same = [](result::Run&) {};
  pin("state/baselines/new", same, "2026-03-01T00:00:00Z");
  pin("state/baselines/old", same, "2026-02-01T00:00:00Z");
  pin("shipped/NVIDIA X/quick");
  result::write_file(temporary.path() / "state/site/broken/baseline.json", "{");
  const std::vector<Listed> all = list();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].manifest->name, "new");
  EXPECT_FALSE(all[0].superseded);
  EXPECT_TRUE(all[1].superseded);
  EXPECT_EQ(all[2].place, "site");
  EXPECT_FALSE(all[2].manifest);
  EXPECT_THAT(all[2].fault, HasSubstr("truncated"));
  EXPECT_EQ(all[3].place, "shipped");
}

/// As many rounds as verdicts need.
std::vector<result::Run> enough_runs() {
  std::vector<result::Run> out(minimum_rounds);
  for (int i = 0; i < minimum_rounds; ++i) out[i] = make_run(i);
  return out;
}

TEST_F(Select, OneThatCanDecideComesBeforeANewerOneThatCannot) {
  create(temporary.path() / "state/baselines/five", "five", enough_runs());
  pin(
      "state/baselines/one", [](result::Run&) {}, "2999-01-01T00:00:00Z");
  EXPECT_EQ(select({}, now()).baseline->manifest.name, "five");
  const std::vector<Listed> all = list();
  EXPECT_FALSE(all[0].superseded) << "five rounds";
  EXPECT_TRUE(all[1].superseded) << "one round";
}

TEST_F(Select, OfSeveralThatDecideTheNewestComesFirstHoweverFewItsBoots) {
  std::vector<result::Run> runs = enough_runs();
  create(temporary.path() / "state/baselines/mature", "mature", runs);
  for (result::Run& run : runs) {
    run.boot_id = "boot";
    run.started = "2026-01-09T00:00:00Z";
  }
  const fs::path folder = temporary.path() / "state/baselines/provisional";
  Manifest manifest = create(folder, "provisional", runs).manifest;
  EXPECT_TRUE(manifest.provisional());
  manifest.created = "2999-01-01T00:00:00Z";
  result::write_file(folder / "baseline.json", to_json(manifest));
  EXPECT_EQ(select({}, now()).baseline->manifest.name, "provisional");
  const std::vector<Listed> all = list();
  EXPECT_TRUE(all[0].superseded) << "mature";
  EXPECT_EQ(all[0].superseded_by, folder);
  EXPECT_EQ(all[1].superseded_by, "");
}

TEST_F(Select, OfTwoOfOneSecondTheNameDecides) {
  const auto same = [](result::Run&) {};
  pin("state/baselines/b", same, "2026-03-01T00:00:00Z");
  pin("state/baselines/a", same, "2026-03-01T00:00:00Z");
  EXPECT_EQ(select({}, now()).baseline->manifest.name, "a");
  EXPECT_FALSE(list()[0].superseded);
  EXPECT_TRUE(list()[1].superseded);
}

TEST_F(Select, OneThatIsNamedIsAnotherNodesWhereItsFolderOrItsCardSaysSo) {
  EXPECT_TRUE(select(pin("state/site/golden"), now()).baseline->other_node);
  EXPECT_TRUE(select(pin("shipped/NVIDIA X/quick"), now()).baseline->other_node);
  EXPECT_FALSE(select(pin("state/baselines/mine"), now()).baseline->other_node);
  const auto of_gpu = [](result::Run& run) { run.device = "GPU-1"; };
  const fs::path card = pin("state/baselines/card", of_gpu);
  EXPECT_FALSE(select(card, now(), "GPU-1").baseline->other_node);
  EXPECT_TRUE(select(card, now(), "GPU-2").baseline->other_node);
}

/// Makes a run one of the host with that identity.
auto on_host(const std::string& identity) {
  return [identity](result::Run& run) { run.fingerprint.device[std::string(host_identity_fact)] = identity; };
}

/// What is selected on the host "here" for the device.
Selection selected_here(const std::string& device = "host") {
  result::Run run = make_run(5);
  on_host("here")(run);
  return select({}, run.fingerprint, device);
}

TEST_F(Select, AnotherHostsBaselineInASharedHomeIsAnotherNodes) {
  pin("state/baselines/other", on_host("there"));
  const Selection found = selected_here();
  ASSERT_TRUE(found.baseline) << "a host that was renamed must not lose its baselines";
  EXPECT_TRUE(found.baseline->other_node);
  EXPECT_THAT(found.origin, HasSubstr("baseline other (1 round from 2"));
  EXPECT_THAT(found.origin, HasSubstr("recorded on another node, or on this one before its name"));
  EXPECT_TRUE(select(temporary.path() / "state/baselines/other", make_run(5).fingerprint, "host").baseline);
  EXPECT_FALSE(select({}, now(), "host").baseline->other_node) << "this side lacks the fact";
}

TEST_F(Select, AnotherHostsInASharedHomeDoesNotHideThatThisOnesIsDamaged) {
  const fs::path mine = pin("state/baselines/mine", on_host("here"));
  pin("state/baselines/other", on_host("there"));
  EXPECT_EQ(selected_here().damaged, "");
  fs::resize_file(mine / "runs" / (run_id(0) + ".json"), 100);
  EXPECT_EQ(selected_here().baseline->manifest.name, "other");
  EXPECT_THAT(selected_here().damaged, HasSubstr("has 100 bytes"));
}

TEST_F(Select, TheSameHostOrOneThatIsNotKnownIsThisMachine) {
  pin("state/baselines/mine", on_host("here"));
  EXPECT_FALSE(selected_here().baseline->other_node);
  EXPECT_THAT(selected_here().origin, HasSubstr("this machine's own baseline mine"));
  fs::remove_all(temporary.path() / "state/baselines/mine");
  pin("state/baselines/earlier");
  EXPECT_FALSE(selected_here().baseline->other_node) << "made before there was the fact";
  EXPECT_THAT(selected_here().origin, HasSubstr("this machine's own baseline earlier"));
}

TEST_F(Select, AHostPrefersItsOwnToANewerOneOfAnotherThatSupersedesNothing) {
  pin("state/baselines/mine", on_host("here"), "2026-02-01T00:00:00Z");
  pin("state/baselines/other", on_host("there"), "2026-03-01T00:00:00Z");
  EXPECT_EQ(selected_here().baseline->manifest.name, "mine");
  for (const Listed& one : list()) EXPECT_FALSE(one.superseded) << one.folder;
}

TEST_F(Select, ACardIsTheSameOneInAnotherHostAndLinksAreTheNodes) {
  const auto of = [](const char* device) {
    return [device](result::Run& run) {
      run.device = device;
      on_host("there")(run);
    };
  };
  pin("state/baselines/card", of("GPU-1"));
  pin("state/baselines/links", of("links"));
  EXPECT_FALSE(selected_here("GPU-1").baseline->other_node);
  EXPECT_TRUE(selected_here("links").baseline->other_node);
}

TEST_F(Select, SaysThatARoundIsDatedLaterThanNow) {
  const fs::path folder =
      pin("state/baselines/mine", [](result::Run& run) { run.started = "2999-01-02T03:04:05Z"; });
  const auto said = ElementsAre(HasSubstr("holds a round dated 2999-01-02T03:04:05Z, later than now"));
  EXPECT_THAT(select({}, now()).problems, said);
  EXPECT_THAT(select(folder, now()).problems, said);
}

}  // namespace
}  // namespace gpugauge::baseline
