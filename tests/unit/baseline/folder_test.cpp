// Baseline folders: what is pinned comes back, and what was touched since is refused by name.
#include "folder.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baseline/baseline.hpp"
#include "baseline/digest.hpp"
#include "result/error.hpp"
#include "result/file.hpp"

namespace gpugauge::baseline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

template <typename Error, typename Function>
std::string refusal(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

class Folder : public testing::Test {
 protected:
  TemporaryFolder temporary;
  fs::path folder = temporary.path() / "node";

  Baseline made(int rounds = 3) {
    std::vector<result::Run> runs;
    runs.reserve(static_cast<std::size_t>(rounds));
    for (int i = 0; i < rounds; ++i) runs.push_back(make_run(i));
    return create(folder, "node", runs);
  }
  void replace(const fs::path& file, const std::string& what, const std::string& by) const {
    std::string text = result::read_file(folder / file);
    const auto at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    result::write_file(folder / file, text.replace(at, what.size(), by));
  }
  std::string load_refusal() const {
    return refusal<result::FormatError>([&] { load(folder); });
  }
  fs::path run_file(int i) const { return fs::path("runs") / (run_id(i) + ".json"); }
};

TEST(Digest, IsSha256) {
  // FIPS 180-2, appendix B.1, and the digest of nothing.
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_F(Folder, WhatWasPinnedComesBack) {
  const Baseline before = made();
  const Baseline after = load(folder);
  EXPECT_EQ(after.runs, before.runs);
  EXPECT_EQ(after.manifest.name, "node");
  EXPECT_EQ(after.manifest.key, key(before.runs.front().fingerprint));
  EXPECT_EQ(after.manifest.device, "host");
  ASSERT_EQ(after.manifest.entries.size(), 3U);
  EXPECT_EQ(after.manifest.entries[1].file, run_file(1).string());
  EXPECT_EQ(after.manifest.entries[1].sha256, sha256(result::read_file(folder / run_file(1))));
}

TEST_F(Folder, AnExistingBaselineIsNeverOverwritten) {
  made();
  const std::string manifest = result::read_file(folder / "baseline.json");
  EXPECT_THAT(refusal<result::UsageError>([&] { made(); }), HasSubstr("already holds a baseline"));
  EXPECT_EQ(result::read_file(folder / "baseline.json"), manifest);
}

TEST_F(Folder, RunsWithoutAManifestAreNoBaselineAndMayBeCompleted) {
  made();
  fs::remove(folder / "baseline.json");
  EXPECT_THAT(load_refusal(), HasSubstr("baseline.json is missing"));
  EXPECT_NO_THROW(made());
  EXPECT_NO_THROW(load(folder));
}

TEST_F(Folder, RunsThatDoNotFitAreRefusedBeforeAnythingIsWritten) {
  const auto refused = [&](std::vector<result::Run> runs) {
    std::string sentence = refusal<result::UsageError>([&] { create(folder, "x", runs); });
    EXPECT_FALSE(fs::exists(folder));
    return sentence;
  };
  EXPECT_THAT(refused({}), HasSubstr("at least one run"));
  result::Run other = make_run(1);
  other.complete = false;
  other.partial_reason = "interrupted";
  EXPECT_THAT(refused({make_run(0), other}), HasSubstr("is partial (interrupted)"));
  other = make_run(1);
  other.only = {"host/triad"};
  EXPECT_THAT(refused({make_run(0), other}), HasSubstr("different selections"));
  EXPECT_THAT(refused({make_run(0), make_run(0)}), HasSubstr("given twice"));
  other = make_run(1);
  other.fingerprint.stack["driver.version"] = "570.1";
  EXPECT_THAT(refused({make_run(0), other}), HasSubstr("stack.driver.version"));
  other = make_run(1);
  other.fingerprint.suite.erase("suite.source_hash.host");
  EXPECT_THAT(refused({make_run(0), other}), HasSubstr("families"));
  other = make_run(1);
  other.device = "GPU-1";
  EXPECT_THAT(refused({make_run(0), other}), HasSubstr("GPU-1"));
  other = make_run(1);
  result::Run first = make_run(0);
  first.fingerprint.device["host.identity"] = "00aa";
  other.fingerprint.device["host.identity"] = "00bb";
  EXPECT_THAT(refused({first, other}), HasSubstr("are of two machines"));
  first = make_run(0);
  first.processes.emplace_back().samples.emplace().benchmarks.emplace_back().id = "host/triad";
  other = first;
  other.id = make_run(1).id;
  EXPECT_THAT(
      refused({first, make_run(2), other}),
      HasSubstr("are one measurement under two ids (same start, same samples): each round counts once"));
  other = make_run(1);
  other.id = "../../../../tmp/escape0000";
  EXPECT_THAT(refused({other}), HasSubstr("cannot be pinned"));
}

TEST_F(Folder, ACardIsTheSameInWhateverHost) {
  std::vector<result::Run> runs{make_run(0), make_run(1)};
  for (result::Run& run : runs) run.device = "GPU-1";
  runs[0].fingerprint.device["host.identity"] = "00aa";
  runs[1].fingerprint.device["host.identity"] = "00bb";
  create(folder, "x", runs);
  EXPECT_EQ(load(folder).runs.size(), 2U);
}

TEST_F(Folder, ASelectionMayBePinnedWhenAllRunsShareIt) {
  std::vector<result::Run> runs{make_run(0), make_run(1)};
  for (result::Run& run : runs) run.only = {"host/triad"};
  create(folder, "x", runs);
  EXPECT_EQ(load(folder).runs, runs);
}

TEST_F(Folder, AnEditedRunIsNamed) {
  made();
  replace(run_file(1), "\"seed\": 7", "\"seed\": 8");
  EXPECT_THAT(load_refusal(), HasSubstr(run_id(1) + ".json was changed since it was pinned"));
}

TEST_F(Folder, ATruncatedRunIsNamed) {
  made();
  fs::resize_file(folder / run_file(2), 100);
  EXPECT_THAT(load_refusal(), HasSubstr(run_id(2) + ".json has 100 bytes"));
  EXPECT_THAT(load_refusal(), HasSubstr("truncated"));
}

TEST_F(Folder, AMissingRunIsNamed) {
  made();
  fs::remove(folder / run_file(0));
  EXPECT_THAT(load_refusal(), HasSubstr(run_id(0) + ".json is missing"));
}

TEST_F(Folder, AMissingLogIsNamed) {
  made();
  fs::remove(folder / "log.jsonl");
  fs::remove(folder / "log.head");
  EXPECT_THAT(load_refusal(), HasSubstr("log.jsonl is missing: every baseline has a log"));
}

TEST_F(Folder, WhatAKilledAttemptLeftOfTheLogIsNoHindrance) {
  made();
  fs::remove(folder / "baseline.json");
  fs::remove(folder / "log.head");
  made();
  EXPECT_EQ(load(folder).log.size(), 1U);
}

TEST_F(Folder, OfSeveralWritersAtOnceOneMakesTheBaseline) {
  std::atomic<int> succeeded = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      try {
        create(folder, "node", {make_run(2 * i), make_run(2 * i + 1)});
        ++succeeded;
      } catch (const result::UsageError&) {
        ++refused;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(succeeded, 1);
  EXPECT_EQ(refused, 3);
  const Baseline there = load(folder);
  EXPECT_EQ(there.log.size(), 1U);
  EXPECT_EQ(there.runs.size(), 2U);
}

TEST_F(Folder, ALinkIsRefusedEvenToTheRightContent) {
  made();
  const fs::path elsewhere = temporary.path() / "elsewhere.json";
  fs::rename(folder / run_file(0), elsewhere);
  fs::create_symlink(elsewhere, folder / run_file(0));
  EXPECT_THAT(load_refusal(), HasSubstr("is a link"));
}

TEST_F(Folder, ALinkedRunsFolderIsRefused) {
  made();
  fs::rename(folder / "runs", temporary.path() / "runs");
  fs::create_directory_symlink(temporary.path() / "runs", folder / "runs");
  EXPECT_THAT(load_refusal(), HasSubstr("is a link"));
}

TEST_F(Folder, AManifestThatPointsElsewhereIsRefused) {
  made();
  replace("baseline.json", run_file(0).string(), "../" + run_file(0).string());
  EXPECT_THAT(load_refusal(), HasSubstr("entries[0].file"));
}

TEST_F(Folder, AManifestThatLiesAboutARunIsRefused) {
  made();
  replace("baseline.json", "\"boot_id\": \"boot-0\"", "\"boot_id\": \"boot-9\"");
  EXPECT_THAT(load_refusal(), HasSubstr("boot-9"));
}

TEST_F(Folder, GarbageAnEmptyFileAndAFutureSchemaAreRefusedByName) {
  made();
  const std::string good = result::read_file(folder / "baseline.json");
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("\0\xff\xfe", 3),
        std::string(100000, '['), good.substr(0, good.size() / 2)}) {
    result::write_file(folder / "baseline.json", text);
    EXPECT_THAT(load_refusal(), HasSubstr("baseline.json")) << text.substr(0, 20);
  }
  result::write_file(folder / "baseline.json", good);
  replace("baseline.json", "gpugauge.baseline/1", "gpugauge.baseline/2");
  EXPECT_THAT(load_refusal(), HasSubstr("gpugauge.baseline/2"));
}

TEST_F(Folder, AnUnknownKeyOrABadDigestIsRefusedWithItsPlace) {
  made();
  const std::string good = result::read_file(folder / "baseline.json");
  replace("baseline.json", "\"name\"", "\"nickname\": \"x\",\n  \"name\"");
  EXPECT_THAT(load_refusal(), HasSubstr("nickname"));
  result::write_file(folder / "baseline.json", good);
  replace("baseline.json", "\"sha256\": \"", "\"sha256\": \"zz");
  EXPECT_THAT(load_refusal(), HasSubstr("entries[0].sha256"));
}

TEST_F(Folder, ARunTwiceInTheManifestIsRefused) {
  made(2);
  Manifest manifest = load_manifest(folder);
  manifest.entries[1] = manifest.entries[0];
  result::write_file(folder / "baseline.json", to_json(manifest));
  EXPECT_THAT(load_refusal(), HasSubstr("twice"));
}

TEST(Provisional, UntilThreeBootsOrThreeDays) {
  const auto baseline = [](int boots, int days) {
    Baseline out;
    for (int i = 0; i < 6; ++i) {
      result::Run run = make_run(i);
      run.boot_id = fmt::format("boot-{}", i % boots);
      run.started = fmt::format("2026-01-{:02}T0{}:00:00Z", 1 + i % days, i);
      out.runs.push_back(run);
    }
    return out;
  };
  EXPECT_TRUE(baseline(1, 1).provisional());
  EXPECT_TRUE(baseline(2, 2).provisional());
  EXPECT_FALSE(baseline(3, 1).provisional());
  EXPECT_FALSE(baseline(1, 3).provisional());
}

TEST(Provisional, AnUnknownBootIsNoBootOfItsOwn) {
  Baseline baseline;
  for (const char* boot : {"a", "b", "", ""}) {
    baseline.runs.push_back(make_run(0));
    baseline.runs.back().boot_id = boot;
  }
  EXPECT_TRUE(baseline.provisional());
  baseline.runs.back().boot_id = "c";
  EXPECT_FALSE(baseline.provisional());
}

}  // namespace
}  // namespace gpugauge::baseline
