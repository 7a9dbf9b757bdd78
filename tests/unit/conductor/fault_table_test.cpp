// Injected faults: the table, and how the reports of commands are read.
#include "conductor/fault_table.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "conductor/fault_read.hpp"
#include "diagnose/catalogue.hpp"
#include "diagnose/signature.hpp"
#include "result/error.hpp"
#include "result/vocabulary.hpp"
#include "stack/rules/causes.hpp"
#include "unit/conductor/fault_reports.hpp"
#include "unit/run/fake_family.hpp"

namespace gpugauge::conductor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Whether a pattern of ids begins as one of the page of benchmarks does.
bool names_a_benchmark(std::string_view pattern) {
  std::istringstream page(run::read_text(std::filesystem::path(GPUGAUGE_SOURCE_DIR) / "docs/benchmarks.md"));
  constexpr std::string_view heading = "### ";
  for (std::string line; std::getline(page, line);)
    if (line.starts_with(heading) && pattern.starts_with(line.substr(heading.size()))) return true;
  return false;
}

TEST(FaultTable, EveryEntrySetsSomethingThatTheCatalogueCanName) {
  std::set<std::string_view> ids;
  for (const Fault& fault : fault_table()) {
    EXPECT_TRUE(ids.insert(fault.id).second) << fault.id << " is there twice";
    EXPECT_FALSE(fault.what.empty()) << fault.id;
    ASSERT_FALSE(fault.causes.empty()) << fault.id;
    for (const std::string_view cause : fault.causes)
      EXPECT_TRUE(diagnose::find_signature(cause) != nullptr ||
                  (fault.found_by == FoundBy::doctor &&
                   std::count(stack::cause_names.begin(), stack::cause_names.end(), cause) > 0))
          << fault.id << ": " << cause;
    const bool sets = !fault.environment.empty() || fault.quota > 0 ||
                      fault.confined != ConfinedTo::nothing || fault.neighbour != Neighbour::none ||
                      fault.shm_mib > 0 || !fault.library.empty() || fault.made != Made::nothing;
    EXPECT_TRUE(sets) << fault.id;
    EXPECT_EQ(fault.neighbour == Neighbour::family, !fault.neighbour_family.empty()) << fault.id;
    EXPECT_EQ(fault.neighbour_family.empty(), fault.neighbour_filter.empty()) << fault.id;
    for (const std::string_view word : fault.measures)
      EXPECT_TRUE(std::any_of(result::classes.begin(), result::classes.end(),
                              [&](const result::ClassInfo& one) { return one.name == word; }) ||
                  names_a_benchmark(word))
          << fault.id << ": " << word;
  }
}

TEST(FaultTable, ThePageHasEveryEntry) {
  const std::string page = run::read_text(std::filesystem::path(GPUGAUGE_SOURCE_DIR) / "docs/diagnosis.md");
  for (const Fault& fault : fault_table()) {
    EXPECT_THAT(page, HasSubstr("`" + std::string(fault.id) + "`"));
    for (const std::string_view cause : fault.causes)
      EXPECT_THAT(page, HasSubstr("`" + std::string(cause) + "`")) << fault.id;
  }
}

TEST(FaultTable, AnUnknownNameListsWhatThereIs) {
  EXPECT_NO_THROW(require_faults({"cpu_quota", "busy_core"}));
  try {
    require_faults({"cpu_quota", "cpu_qota"});
    FAIL() << "it is in no table";
  } catch (const result::UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cpu_qota"));
    for (const Fault& fault : fault_table()) EXPECT_THAT(error.what(), HasSubstr(std::string(fault.id)));
  }
}

TEST(FaultRead, AChecksReportTellsWhatWasFoundAndNamed) {
  const report::InjectTrial trial = check_trial(
      report_of(1,
                verdict("a", "regressed", "false") + "," + verdict("b", "regressed", "true") + "," +
                    verdict("c", "ok", "false") + "," + verdict("d", "failed", "false") + "," +
                    verdict("d", "regressed", "false"),
                R"({"cause": "cpu_contention", "score": 0.91}, {"cause": "cpu_governor", "score": 0.4})"));
  EXPECT_TRUE(trial.found);
  EXPECT_THAT(trial.metrics, ElementsAre("a", "d"));
  EXPECT_THAT(trial.causes, ElementsAre("cpu_contention", "cpu_governor"));
  EXPECT_DOUBLE_EQ(trial.score, .91);
  EXPECT_THAT(trial.disturbed, ElementsAre("somebody else"));
  EXPECT_EQ(trial.problem, "");
}

TEST(FaultRead, ACheckThatCouldNotJudgeIsAProblemAndNothingFound) {
  const report::InjectTrial trial = check_trial(report_of(3, "", ""));
  EXPECT_FALSE(trial.found);
  EXPECT_EQ(trial.problem, "it was so");
  const report::InjectTrial none = check_trial(R"({"outcome": {"sentence": "busy"}, "devices": []})");
  EXPECT_FALSE(none.found);
  EXPECT_EQ(none.problem, "busy");
  EXPECT_THROW(check_trial(report_of(1, verdict("a", "regresed", "false"), "")), result::FormatError);
  EXPECT_THROW(check_trial("{}"), result::FormatError);
  EXPECT_THROW(check_trial(""), result::FormatError);
}

TEST(FaultRead, WhatIsSlowerBesideAProgramShowsThatProgramOnly) {
  const std::string slower =
      R"({"metric": "a", "verdict": "inconclusive", "advisory": false, "beside_others": true})";
  const std::string doubtful =
      R"({"metric": "b", "verdict": "inconclusive", "advisory": false, "beside_others": false})";
  const report::InjectTrial beside =
      check_trial(report_of(3, slower + "," + doubtful, ""), Beside::a_program);
  EXPECT_TRUE(beside.found);
  EXPECT_EQ(beside.problem, "");
  EXPECT_THAT(beside.metrics, ElementsAre("a"));
  const report::InjectTrial quiet = check_trial(report_of(3, slower, ""));
  EXPECT_FALSE(quiet.found);
  EXPECT_EQ(quiet.problem, "it was so");
  EXPECT_THAT(quiet.metrics, IsEmpty());
  EXPECT_FALSE(check_trial(report_of(3, doubtful, ""), Beside::a_program).found);
}

TEST(FaultRead, OfTheDoctorCountsWhatTheHealthyMachineDoesNotHave) {
  const std::string said = R"({"findings": [{"cause": "old"}, {"cause": "no_visible_device"}]})";
  const report::InjectTrial trial = doctor_trial(said, {"old"});
  EXPECT_TRUE(trial.found);
  EXPECT_THAT(trial.causes, ElementsAre("no_visible_device"));
  EXPECT_FALSE(doctor_trial(said, {"old", "no_visible_device"}).found);
}

TEST(FaultRead, TheLastSentenceOfACommandIsItsReason) {
  EXPECT_EQ(last_said("gpugauge: one\ngpugauge: two.\n", "ended with exit code 2"), "two");
  EXPECT_EQ(last_said("", "was ended by signal 9 (SIGKILL)"), "the command was ended by signal 9 (SIGKILL)");
  EXPECT_EQ(last_said("\n", ""), "it said nothing");
  EXPECT_EQ(without_place("a busy host; it is kept as /tmp/x/state/runs/a.json", "/tmp/x"), "a busy host");
  EXPECT_EQ(without_place("a busy host; it is kept as /srv/a.json", "/tmp/x"),
            "a busy host; it is kept as /srv/a.json");
}

}  // namespace
}  // namespace gpugauge::conductor
