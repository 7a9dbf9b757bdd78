// What `upgrade begin` leaves in the state folder, and what it measures.
#include "conductor/upgrade_begin.hpp"

#include <set>

#include <gmock/gmock.h>

#include "result/error.hpp"
#include "result/file.hpp"
#include "unit/conductor/upgrade_fixture.hpp"

namespace gpugauge::conductor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class UpgradeBegins : public Upgrade {
 protected:
  UpgradeBegins() {
    begin_.asked.target = "";
    begin_.asked.root = "/";
    begin_.asked.device = "host";
    begin_.asked.profile = "quick";
    begin_.asked.rounds = 2;
    begin_.before.present("python.path", "/opt/venv/bin/python3", "made");
  }

  std::filesystem::path state() const { return fakes_.path() / "state"; }
  KeptUpgrade recorded() { return record_upgrade(state(), begin_, {"node3", "0123456789abcdef"}, {target_}); }

  static std::set<std::string> files_of(const KeptUpgrade& kept) {
    std::set<std::string> out;
    for (const std::filesystem::path& file : entries_of(kept.folder)) out.insert(file.filename());
    return out;
  }

  UpgradeBegin begin_;
};

TEST_F(UpgradeBegins, TheRecordSaysWhoBeganItWhereAndOnWhat) {
  const KeptUpgrade kept = recorded();
  EXPECT_EQ(kept.folder, upgrade_folder(state(), kept.record.name));
  EXPECT_EQ(kept.record.host, "node3");
  EXPECT_EQ(kept.record.machine, "0123456789abcdef");
  EXPECT_EQ(kept.record.python, "/opt/venv/bin/python3");
  EXPECT_EQ(kept.record.state, UpgradeState::measuring);
  EXPECT_THAT(kept.record.devices, ElementsAre(UpgradeDevice{"host", "host"}));
  ASSERT_TRUE(open_upgrade(state()).has_value());
  EXPECT_EQ(open_upgrade(state())->record, kept.record);
}

TEST_F(UpgradeBegins, TwoWithinOneSecondGetTwoNames) {
  std::set<std::string> names;
  for (int i = 0; i < 3; ++i) names.insert(recorded().record.name);
  EXPECT_EQ(names.size(), 3U);
}

TEST_F(UpgradeBegins, WhatIsNotKnownHasNoFile) {
  const KeptUpgrade kept = recorded();
  EXPECT_EQ(files_of(kept).count("plan.json"), 0U);
  EXPECT_EQ(files_of(kept).count("constraints.txt"), 0U);
  EXPECT_EQ(result::read_file(kept.folder / "inventory.json"), stack::to_json(begin_.before));
  const std::string text = result::read_file(kept.folder / "way-back.txt");
  EXPECT_THAT(text, HasSubstr("The way back from upgrade " + kept.record.name + " (no plan), recorded "));
  EXPECT_THAT(text, HasSubstr("No package or version was recorded that these commands could bring back.\n"));
  EXPECT_THAT(advice_before(kept, begin_.before, {}), IsEmpty());
}

TEST_F(UpgradeBegins, WheelsArePinnedAndListed) {
  begin_.before.present("wheel.torch.version", "2.8.0", "made");
  const KeptUpgrade kept = recorded();
  EXPECT_EQ(result::read_file(kept.folder / "constraints.txt"), "torch==2.8.0\n");
  EXPECT_THAT(result::read_file(kept.folder / "way-back.txt"),
              HasSubstr("\nRecorded packages:\ntorch\t2.8.0\n"));
  EXPECT_THAT(advice_before(kept, begin_.before, {}).back().commands,
              ElementsAre("export PIP_CONSTRAINT=" + (kept.folder / "constraints.txt").string()));
}

TEST_F(UpgradeBegins, AFolderThatCannotBeWrittenWholeIsNotThere) {
  run::write_text(state() / "upgrades", "");
  EXPECT_THROW(recorded(), result::FileError);
  std::filesystem::remove(state() / "upgrades");
  EXPECT_THAT(list_upgrades(state()), IsEmpty());
}

TEST_F(UpgradeBegins, OnlyADriverThatIsAskedForCanBeTooOld) {
  const auto asked = [](const std::string& text) { return stack::parse_plan(text, "", "", "--to"); };
  EXPECT_TRUE(too_old_for_build(asked("driver=550"), "580.65.06"));
  EXPECT_TRUE(too_old_for_build(asked("driver=580.50"), "580.65.06"));
  EXPECT_FALSE(too_old_for_build(asked("driver=580"), "580.65.06")) << "580 means its newest";
  EXPECT_FALSE(too_old_for_build(asked("driver=590"), "580.65.06"));
  EXPECT_FALSE(too_old_for_build(asked("cuda=12.8"), "580.65.06"));
  EXPECT_FALSE(too_old_for_build(asked("driver=550"), "")) << "a build without CUDA";
}

TEST_F(UpgradeBegins, EveryDeviceOfTheRecordIsMeasuredOrNamed) {
  int done = 0;
  const auto count = [&] { ++done; };
  EXPECT_EQ(measure_old_sides(kept_, options_, {{target_, choice_}}, {}, count), "");
  EXPECT_EQ(done, 1);
  EXPECT_TRUE(is_old_measured(kept_, device()));
  kept_.record.devices.push_back({"GPU-a", "GPU 0"});
  EXPECT_THAT(
      [&] {
        measure_old_sides(kept_, options_, {{target_, choice_}}, {}, count);
      },
      testing::ThrowsMessage<result::UsageError>(
          "GPU 0 is not there any more; close the upgrade and begin anew"));
}

}  // namespace
}  // namespace gpugauge::conductor
