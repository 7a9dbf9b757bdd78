// Injected faults: the table, and the loop with a command that is a script.
#include "conductor/faults.hpp"

#include <csignal>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <unistd.h>

#include "conductor/fault_read.hpp"
#include "diagnose/catalogue.hpp"
#include "diagnose/signature.hpp"
#include "result/error.hpp"
#include "result/vocabulary.hpp"
#include "run/surroundings.hpp"
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
      EXPECT_NE(diagnose::find_signature(cause), nullptr) << fault.id << ": " << cause;
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

std::string report_of(int code, const std::string& verdicts, const std::string& findings) {
  return R"({"schema": "x", "outcome": {"exit_code": 1, "sentence": "whole"}, "devices": [{"device": "host",
    "outcome": {"exit_code": )" +
         std::to_string(code) +
         R"(, "sentence": "it was so"}, "disturbances": ["somebody else"], "verdicts": [)" + verdicts +
         R"(], "findings": [)" + findings + "]}]}";
}

std::string verdict(const std::string& metric, const std::string& word, const std::string& advisory) {
  return R"({"metric": ")" + metric + R"(", "verdict": ")" + word + R"(", "advisory": )" + advisory + "}";
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
  EXPECT_THROW(check_trial("{}"), result::FormatError);
  EXPECT_THROW(check_trial(""), result::FormatError);
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
}

/// A command that is a script: healthy unless "$fault" says otherwise. What it was asked stands in "asked".
class Faults : public testing::Test {
 protected:
  Faults() {
    options_.bench.profile = "smoke";
    options_.bench.targets = {{DeviceKind::host, "host", "host"}};
    options_.bench.folder = fakes_.path() / "bench";
    options_.bench.root = fakes_.path() / "no-groups";
    std::filesystem::create_directories(options_.bench.folder);
    run::write_text(fakes_.path() / "healthy.json", report_of(0, verdict("a", "ok", "false"), ""));
    answer("contended", "cpu_contention");
    answer("confined", "cpu_affinity_wrong");
  }

  void answer(const std::string& name, const std::string& cause) const {
    run::write_text(
        fakes_.path() / (name + ".json"),
        report_of(1, verdict("a", "regressed", "false"), R"({"cause": ")" + cause + R"(", "score": 0.9})"));
  }

  /// `check` is run where a check is asked for, with $report, $under and $neighbours set.
  report::InjectReport inject(const std::string& check) {
    options_.bench.executable = fakes_.script("gpugauge", R"(
here=$(dirname "$0")
if [ "$2" = load ]; then echo $$ >>"$here/loads"; echo ready; exec sleep 1000; fi
under=
while [ $# -gt 0 ] && [ "$1" != -- ]; do under="$under $1"; shift; done
shift
echo "$under : $*" >>"$here/asked"
for word; do case $word in json=*) report=${word#json=} ;; esac; done
leave() { cp "$here/$1.json" "$report"; exit "$2"; }
case $1 in
  baseline) [ ! -e "$here/unfit" ] || { echo "gpugauge: run 1 cannot be part of a baseline" >&2; exit 2; }; exit 0 ;;
  check) neighbours=$(cat "$here/loads" 2>/dev/null | wc -l)
)" + check + "\n;; esac\n");
    return inject_faults(options_);
  }

  const report::InjectedFault& the(const report::InjectReport& report, const std::string& id) const {
    for (const report::InjectedFault& fault : report.faults)
      if (fault.id == id) return fault;
    throw std::out_of_range(id);
  }

  /// Of the loads that were started, those that live.
  int living() const {
    int out = 0;
    std::istringstream lines(run::read_text(fakes_.path() / "loads"));
    for (pid_t one = 0; lines >> one;) out += kill(one, 0) == 0 ? 1 : 0;
    return out;
  }

  std::string asked() const { return run::read_text(fakes_.path() / "asked"); }

  run::Fakes fakes_;
  InjectOptions options_;
};

TEST_F(Faults, AreSetOneByOneAndJudgedAgainstHealthyRounds) {
  if (run::allowed_processors().size() < 2) GTEST_SKIP() << "this process may use one processor only";
  options_.only = {"busy_core", "processors_taken"};
  options_.repeat = 2;
  options_.quiet_runs = 1;
  const report::InjectReport report = inject(R"sh(
    case $under in *--processors*) [ "$neighbours" -gt 0 ] && leave confined 1 ;; esac
    case $(tail -n 1 "$here/loads" 2>/dev/null) in '') leave healthy 0 ;; esac
    kill -0 "$(tail -n 1 "$here/loads")" 2>/dev/null && leave contended 1
    leave healthy 0)sh");
  for (const char* id : {"busy_core", "processors_taken"}) {
    const report::InjectedFault& fault = the(report, id);
    EXPECT_EQ(fault.not_run, "") << id;
    EXPECT_EQ(fault.trials.size(), 2U) << id;
    EXPECT_EQ(report::found(fault), 2) << id;
    EXPECT_EQ(report::named_first(fault), 2) << id;
    EXPECT_THAT(report::confusions(fault), IsEmpty()) << id;
  }
  ASSERT_EQ(report.quiet.size(), 1U);
  EXPECT_FALSE(report.quiet.front().found) << "a neighbour was still there";
  EXPECT_EQ(report::outcome(report).code, judge::ExitCode::pass) << report::outcome(report).sentence;
  EXPECT_EQ(report.faults.size(), 2U);
  EXPECT_EQ(living(), 0);
  EXPECT_THAT(asked(), HasSubstr("baseline create --device host --profile smoke --rounds 5"));
  EXPECT_THAT(asked(), HasSubstr("--processors " + std::to_string(run::allowed_processors().back()) + " :"));
  EXPECT_THAT(asked(), HasSubstr("check --device host --profile smoke --baseline healthy-host"));
}

TEST_F(Faults, WhatIsNamedOtherwiseOrNotAtAllIsAConfusion) {
  options_.only = {"memory_taken"};
  options_.repeat = 3;
  const report::InjectReport report = inject(R"sh(
    count=$(grep -c ': check' "$here/asked")
    [ "$count" -ne 1 ] || leave contended 1
    [ "$count" -ne 2 ] || leave confined 1
    leave healthy 0)sh");
  const report::InjectedFault& fault = the(report, "memory_taken");
  EXPECT_EQ(report::found(fault), 2);
  EXPECT_EQ(report::named_first(fault), 1);
  EXPECT_EQ(report::confusions(fault), (std::map<std::string, int>{{"", 1}, {"cpu_affinity_wrong", 1}}));
  EXPECT_EQ(report::outcome(report).code, judge::ExitCode::regressed);
  EXPECT_EQ(living(), 0);
}

TEST_F(Faults, AnAlarmInAQuietRunFails) {
  options_.only = {"processors_taken"};
  options_.quiet_runs = 2;
  const report::InjectReport report = inject("leave contended 1");
  EXPECT_EQ(report.quiet.size(), 2U);
  EXPECT_THAT(report::outcome(report).sentence, HasSubstr("2 of 2 quiet runs raised an alarm"));
  EXPECT_EQ(report::outcome(report).code, judge::ExitCode::regressed);
}

TEST_F(Faults, WithoutHealthyRoundsNothingIsTried) {
  run::write_text(fakes_.path() / "unfit", "");
  options_.quiet_runs = 1;
  const report::InjectReport report = inject("leave contended 1");
  for (const report::InjectedFault& fault : report.faults) EXPECT_THAT(fault.trials, IsEmpty()) << fault.id;
  EXPECT_EQ(the(report, "processors_taken").not_run, "there are no healthy rounds of host to judge against");
  ASSERT_EQ(report.healthy.size(), 1U);
  EXPECT_THAT(report.healthy.front().problem, HasSubstr("run 1 cannot be part of a baseline"));
  EXPECT_THAT(report.quiet, IsEmpty());
  EXPECT_EQ(report::outcome(report).code, judge::ExitCode::cannot_judge);
  EXPECT_THAT(asked(), Not(HasSubstr(": check")));
}

TEST_F(Faults, WhatCannotBeSetHereIsListedWithItsReason) {
  options_.bench.no_gpu = "no GPU can be used here";
  const report::InjectReport report = inject("leave contended 1");
  EXPECT_THAT(the(report, "cpu_quota").not_run, HasSubstr("no control group"));
  EXPECT_EQ(the(report, "launch_blocking").not_run, "no GPU can be used here");
  EXPECT_THAT(the(report, "mixed_libraries").not_run, HasSubstr("no CUDA runtime"));
  for (const report::InjectedFault& fault : report.faults)
    EXPECT_NE(fault.not_run.empty(), fault.trials.empty()) << fault.id;
  const std::string page = report::draw(report, report::Terminal{.width = 1000});
  for (const report::InjectedFault& fault : report.faults) EXPECT_THAT(page, HasSubstr(fault.id));
  EXPECT_THAT(page, HasSubstr("Not run:"));
}

TEST_F(Faults, AChildThatIsRefusedIsNotRunAndNotMissed) {
  options_.only = {"busy_core"};
  options_.repeat = 3;
  if (run::allowed_processors().size() < 2) GTEST_SKIP() << "this process may use one processor only";
  const report::InjectReport report = inject("echo 'gpugauge: the kernel said no' >&2; exit 9");
  EXPECT_EQ(the(report, "busy_core").not_run, "the kernel said no");
  EXPECT_THAT(the(report, "busy_core").trials, IsEmpty());
  EXPECT_EQ(report::outcome(report).code, judge::ExitCode::cannot_judge);
}

TEST_F(Faults, ACheckThatFailsIsATrialThatFoundNothing) {
  options_.only = {"processors_taken"};
  const report::InjectReport report = inject("echo 'gpugauge: the disk is full' >&2; exit 2");
  ASSERT_EQ(the(report, "processors_taken").trials.size(), 1U);
  EXPECT_EQ(the(report, "processors_taken").trials.front().problem, "the disk is full");
  EXPECT_EQ(report::outcome(report).code, judge::ExitCode::regressed);
}

TEST_F(Faults, ASignalEndsWhatRunsAndLeavesNothing) {
  options_.only = {"processors_taken", "memory_taken"};
  options_.repeat = 20;
  const report::InjectReport report =
      inject("kill -INT $PPID; trap 'exit 3' TERM; while :; do sleep 0.05; done");
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report::outcome(report).code, judge::ExitCode::cannot_judge);
  EXPECT_THAT(the(report, "processors_taken").trials, IsEmpty());
  EXPECT_THAT(the(report, "memory_taken").not_run, HasSubstr("signal"));
  EXPECT_EQ(living(), 0);
}

TEST_F(Faults, ANeighbourThatDoesNotLiveIsSaid) {
  options_.only = {"processors_taken"};
  options_.bench.executable =
      fakes_.script("broken", "[ \"$2\" != load ] || { echo 'no thread' >&2; exit 1; }");
  const report::InjectReport report = inject_faults(options_);
  EXPECT_THAT(the(report, "processors_taken").not_run, HasSubstr("no thread"));
}

}  // namespace
}  // namespace gpugauge::conductor
