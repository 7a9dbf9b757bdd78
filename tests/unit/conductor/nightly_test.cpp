// The monitor's sums on the node: kept from check to check, and nothing that costs a verdict.
#include "conductor/nightly.hpp"

#include <chrono>
#include <filesystem>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/file.hpp"
#include "result/temporary_directory.hpp"
#include "unit/judge/runs.hpp"

namespace gpugauge::conductor {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class NightlyTest : public testing::Test {
 protected:
  /// A night on which triad takes so many times as long.
  Nightly night(int day, double triad) {
    result::Run run = judge::make_run(600 + static_cast<std::uint64_t>(day), {.triad = triad});
    run.started = fmt::format("2026-03-{:02}T02:00:00Z", day);
    return add_to_nights(folder(), run, baseline_, {});
  }
  fs::path folder() const { return home_.path() / "monitor"; }
  fs::path only_file() const {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(folder())) {
      EXPECT_TRUE(found.empty()) << "two files";
      found = entry.path();
    }
    return found;
  }

  result::TemporaryDirectory home_;
  baseline::Baseline baseline_ = judge::make_baseline(10);
};

TEST_F(NightlyTest, AlarmsAfterSomeNightsWithinTheTolerance) {
  int nights = 0;
  Nightly found;
  while (found.declines.empty() && nights < 20) found = night(++nights, 1.08);
  EXPECT_EQ(found.problem, "");
  EXPECT_GT(nights, 2) << "two nights may be chance";
  ASSERT_THAT(found.declines, SizeIs(1));
  EXPECT_EQ(found.declines[0].metric, judge::triad);
  EXPECT_EQ(found.declines[0].nights, nights);
  EXPECT_EQ(found.declines[0].since, "2026-03-01T02:00:00Z");
  EXPECT_NEAR(found.declines[0].change, 1 - 1 / 1.08, .01);
}

TEST_F(NightlyTest, HealthyNightsNeverDo) {
  for (int day = 1; day <= 28; ++day) EXPECT_THAT(night(day, 1).declines, IsEmpty());
}

TEST_F(NightlyTest, AnotherBaselineBeginsAnew) {
  night(1, 1.08);
  const std::string first = result::read_file(only_file(), 1 << 20);
  EXPECT_THAT(first, AllOf(HasSubstr("gpugauge.monitor/1"), HasSubstr(judge::triad),
                           HasSubstr("2026-03-01T02:00:00Z")));
  const fs::path of_first = only_file();
  baseline_.manifest.entries = {
      {"runs/a.json", std::string(64, 'a'), "A", "boot", "2026-01-01T00:00:00Z", 1}};
  night(2, 1.08);
  EXPECT_EQ(result::read_file(of_first, 1 << 20), first);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 2);
}

TEST_F(NightlyTest, APartialRoundIsNoNight) {
  result::Run run = judge::make_run(700, {.triad = 1.08});
  run.complete = false;
  add_to_nights(folder(), run, baseline_, {});
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(NightlyTest, ADamagedFileIsBegunAnewAndThatIsSaid) {
  night(1, 1.08);
  const fs::path file = only_file();
  const std::string sound = result::read_file(file, 1 << 20);
  const auto with = [&](const std::string& before, const std::string& after) {
    std::string text = sound;
    const std::size_t at = text.find(before, text.find(judge::triad));
    EXPECT_NE(at, std::string::npos) << before;
    return text.replace(at, before.size(), after);
  };
  const std::vector<std::string> damaged{
      "{",
      "[]",
      with("\"nights\": 1", "\"nights\": 2147483647"),
      with("\"nights\": 1", "\"nights\": 0"),
      with("\"sum\": ", "\"sum\": -"),
      with("\"sum\": ", "\"sum\": 1e300, \"was\": "),
      with("\"total\": ", "\"total\": -5000, \"was\": "),
      with("\"since\": \"2026", "\"since\": \"year"),
      std::string(5 << 20, ' '),
  };
  for (const std::string& text : damaged) {
    result::write_file(file, text);
    const Nightly found = night(2, 1.08);
    EXPECT_THAT(found.problem, AllOf(HasSubstr("begins anew"), HasSubstr(file.filename().string())))
        << text.substr(0, 200);
    EXPECT_THAT(result::read_file(file, 1 << 20), HasSubstr("2026-03-02")) << text.substr(0, 200);
  }
}

/// Nights of several devices of one node, which last wrote long ago.
class ForgottenTest : public NightlyTest {
 protected:
  /// A night of one device, after which all files look as if nobody had written them for a year.
  void night_of(const char* device, const char* started) {
    result::Run run = judge::make_run(700);
    run.device = device;
    run.started = started;
    const Nightly found = add_to_nights(folder(), run, baseline_, {});
    EXPECT_EQ(found.problem, "");
    for (const auto& entry : fs::directory_iterator(folder()))
      fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(24 * 366));
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder()), fs::directory_iterator()));
  }
};

TEST_F(ForgottenTest, ADeviceThatHadNoNightForAYear) {
  night_of("gone", "2025-02-27T02:00:00Z");
  night_of("here", "2026-02-28T02:00:00Z");
  EXPECT_EQ(files(), 2U) << "one night alone may have a wrong clock";
  result::write_file(folder() / "notes.txt", "not ours");
  night_of("here", "2026-03-01T02:00:00Z");
  EXPECT_EQ(files(), 2U);
  EXPECT_TRUE(fs::exists(folder() / "notes.txt"));
  night_of("there", "2026-03-01T03:00:00Z");
  night_of("there", "2026-03-02T03:00:00Z");
  EXPECT_EQ(files(), 3U);
}

TEST_F(ForgottenTest, NoneByOneNightOfAWrongClock) {
  for (const char* const device : {"a", "b", "c"}) night_of(device, "2026-03-01T02:00:00Z");
  for (const char* const device : {"a", "b"}) night_of(device, "2040-01-01T02:00:00Z");
  EXPECT_EQ(files(), 3U);
  for (const char* const device : {"b", "c"}) night_of(device, "2026-03-02T02:00:00Z");
  EXPECT_EQ(files(), 3U) << "it was wrong then";
}

TEST_F(NightlyTest, AFolderThatCannotBeWrittenCostsOnlyTheMonitor) {
  result::write_file(folder(), "in the folder's place");
  const Nightly found = night(1, 1.08);
  EXPECT_THAT(found.problem, HasSubstr("could not be kept"));
}

judge::Decline decline(const std::string& metric, double change) {
  return {metric, metric.substr(0, metric.find(':')), "2026-03-01T02:00:00Z", 9, change, .03, {}};
}

TEST(ToldOf, AsksTheOtherRounds) {
  const baseline::Baseline baseline = judge::make_baseline(10);
  const auto told = [&](const std::vector<const result::Run*>& other) {
    return told_of({decline(judge::triad, .08)}, other, baseline, {}, {});
  };
  const result::Run slow = judge::make_run(501, {.triad = 1.08});
  const result::Run healthy = judge::make_run(502);
  const auto confirmed = told({&slow, &healthy});
  ASSERT_THAT(confirmed, SizeIs(1));
  EXPECT_NEAR(*confirmed[0].again, 1 - 1 / 1.08, .01);
  EXPECT_THAT(told({&healthy}), IsEmpty()) << "it was that night's round alone";
  ASSERT_THAT(told({}), SizeIs(1)) << "not measured again";
  EXPECT_FALSE(told({})[0].again);
}

TEST(ToldOf, IsSilentOnWhatRegressedAndNamesTheWorstFirst) {
  const baseline::Baseline baseline = judge::make_baseline(10);
  judge::Verdict regressed;
  regressed.metric = "memory/copy:bandwidth";
  regressed.kind = judge::VerdictKind::regressed;
  const auto told = told_of({decline("memory/read:bandwidth", .011), decline(regressed.metric, .05),
                             decline("memory/triad:bandwidth", .018)},
                            {}, baseline, {}, {regressed});
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[0].metric, "memory/triad:bandwidth");
  EXPECT_EQ(told[1].metric, "memory/read:bandwidth");
}

}  // namespace
}  // namespace gpugauge::conductor
