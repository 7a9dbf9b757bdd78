// A baseline as one file: the same on the other side, or not there at all.
#include "baseline/transfer.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>

#include "folder.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/temporary_file.hpp"

namespace gpugauge::baseline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Transfer : public testing::Test {
 protected:
  TemporaryFolder temporary;
  fs::path folder = temporary.path() / "mine";
  fs::path site = temporary.path() / "site";
  Baseline made = create(folder, "mine", {make_run(0), make_run(1)});

  Baseline unpack(const std::string& text, const std::string& name = "",
                  const std::string& reason = "") const {
    return from_bundle(text, "bundle.json", site, name, reason, "2026-11-21T10:00:00Z");
  }
  /// What unpacking says, and that it leaves nothing behind.
  std::string fault(const std::string& text, const std::string& name = "") const {
    std::string said;
    try {
      unpack(text, name);
    } catch (const std::runtime_error& error) {
      said = error.what();
    }
    EXPECT_TRUE(!fs::exists(site) || fs::is_empty(site)) << "something stayed in " << site;
    return said;
  }
  std::string changed(const std::function<void(nlohmann::json&)>& apply) const {
    nlohmann::json bundle = nlohmann::json::parse(to_bundle(folder));
    apply(bundle);
    return bundle.dump();
  }
};

TEST(Name, IsMadeOfWhatARunSaysAndLeadsNowhere) {
  EXPECT_EQ(name_from("host-quick-0123"), "host-quick-0123");
  EXPECT_EQ(name_from("/tmp/x-../../y"), "x_tmp_x-.._.._y");
  EXPECT_EQ(name_from("..-a"), "x..-a");
  EXPECT_EQ(name_from(""), "x");
  for (const std::string& text : {std::string("\x1b]0;a\n"), std::string(500, '-'), std::string("-rf")})
    EXPECT_TRUE(is_name(name_from(text))) << name_from(text);
}

TEST_F(Transfer, BringsEveryFileByteForByteAsACandidate) {
  const Baseline there = unpack(to_bundle(folder));
  EXPECT_EQ(there.folder, site / "mine");
  EXPECT_EQ(there.runs, made.runs);
  EXPECT_EQ(result::read_file(site / "mine/baseline.json"), result::read_file(folder / "baseline.json"));
  EXPECT_EQ(state_of(there.log), State::candidate);
  EXPECT_THAT(there.log.back().reason, HasSubstr("imported from bundle.json"));
  EXPECT_EQ(load(site / "mine").log.size(), made.log.size() + 1);
}

TEST_F(Transfer, WhatOneNodeLivesWithExcusesNoOther) {
  append_log(folder, {{"2026-11-21T10:00:00Z", "root@there", "its fan is slow", std::nullopt,
                       AcceptedChange{"m", "second", 1, 2, "", ""}}});
  const std::vector<LogEntry> there = read_log(folder);
  EXPECT_NE(accepted_on(there, "m", "2026-11-22T00:00:00Z"), nullptr);
  const Baseline here = unpack(to_bundle(folder));
  EXPECT_EQ(here.log.size(), there.size() + 1);
  EXPECT_EQ(accepted_on(here.log, "m", "2026-11-22T00:00:00Z"), nullptr);
  append_log(here.folder, {{"2026-11-23T10:00:00Z", "root@here", "ours, too", std::nullopt,
                            AcceptedChange{"m", "second", 1, 2, "", ""}}});
  EXPECT_NE(accepted_on(read_log(here.folder), "m", "2026-11-24T00:00:00Z"), nullptr);
}

TEST_F(Transfer, IsActiveAtOnceWithAReasonAndMayBeRenamed) {
  const Baseline there = unpack(to_bundle(folder), "golden", "measured by the site's team");
  EXPECT_EQ(there.folder, site / "golden");
  EXPECT_EQ(state_of(there.log), State::active);
}

TEST_F(Transfer, NeverOverwrites) {
  unpack(to_bundle(folder));
  EXPECT_THROW(unpack(to_bundle(folder)), result::UsageError);
}

TEST_F(Transfer, RefusesWhatWasChangedOnTheWay) {
  const std::string run = "runs/" + run_id(1) + ".json";
  EXPECT_THAT(fault(changed([&](auto& bundle) {
                std::string text = bundle["files"][run];
                text.replace(text.find("boot-1"), 6, "boot-9");
                bundle["files"][run] = text;
              })),
              HasSubstr("was changed since it was pinned"));
  EXPECT_EQ(fault(changed([&](auto& bundle) {
              bundle["files"].erase(run);
            })).find("bundle.json: " + run + " is missing"),
            0U)
      << "the file that was imported, and no folder that is gone";
  EXPECT_THAT(fault(changed([](auto& bundle) { bundle["files"].erase("log.head"); })),
              HasSubstr("log.head is missing"));
  EXPECT_THAT(fault(changed([](auto& bundle) {
                bundle["files"].erase("log.head");
                bundle["files"].erase("log.jsonl");
              })),
              HasSubstr("log.jsonl is missing"));
  EXPECT_THAT(fault(changed([](auto& bundle) { bundle["files"].erase("baseline.json"); })),
              HasSubstr("holds no baseline.json"));
  EXPECT_THAT(fault(changed([&](auto& bundle) { bundle["files"]["runs/" + run_id(7) + ".json"] = "{}"; })),
              HasSubstr("its manifest does not name"));
}

TEST_F(Transfer, WritesNothingOutsideItsFolder) {
  for (const char* name : {"../evil", "/etc/evil", "runs/../../evil.json", "runs/x.json", ".hidden", ""})
    EXPECT_THAT(fault(changed([&](auto& bundle) { bundle["files"][name] = "x"; })),
                HasSubstr("no file of a baseline"))
        << name;
  EXPECT_THAT(fault(to_bundle(folder), "../evil"), HasSubstr("cannot be a folder's"));
  EXPECT_THAT(fault(changed([](auto& bundle) { bundle["name"] = "../evil"; })),
              HasSubstr("cannot be a folder's"));
  EXPECT_FALSE(fs::exists(temporary.path() / "evil"));
}

TEST_F(Transfer, TakesNoNameThatReadsAsAnOptionOrIsHidden) {
  for (const char* const name : {"-rf", "--reason", ".hidden", "_x"}) {
    EXPECT_THAT(fault(to_bundle(folder), name), HasSubstr("that begins with a letter or digit")) << name;
    EXPECT_THAT(fault(changed([&](auto& bundle) { bundle["name"] = name; })),
                HasSubstr("that begins with a letter or digit"))
        << name;
    EXPECT_FALSE(is_name(name)) << name;
  }
  for (const char* const name : {"h100", "7", "a-._b"}) EXPECT_TRUE(is_name(name)) << name;
}

TEST_F(Transfer, ClearsUpAfterOneThatWasKilledAndNotAfterOneThatLives) {
  fs::create_directories(site / ".import-killed/runs");
  fs::create_directories(site / ".import-living");
  const result::Descriptor living(::open((site / ".import-living").c_str(), O_RDONLY | O_DIRECTORY));
  ASSERT_EQ(::flock(living.get(), LOCK_EX), 0);
  unpack(to_bundle(folder));
  EXPECT_FALSE(fs::exists(site / ".import-killed"));
  EXPECT_TRUE(fs::exists(site / ".import-living"));
}

TEST_F(Transfer, RefusesOtherFormatsAndTruncation) {
  const std::string whole = to_bundle(folder);
  EXPECT_THAT(fault(whole.substr(0, whole.size() / 2)), HasSubstr("truncated"));
  EXPECT_THAT(fault(changed([](auto& bundle) { bundle["schema"] = "gpugauge.baseline-bundle/2"; })),
              HasSubstr("schema"));
}

}  // namespace
}  // namespace gpugauge::baseline
