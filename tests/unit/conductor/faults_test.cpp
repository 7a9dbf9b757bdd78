// Injected faults: the loop, with a command that is a script.
#include "conductor/faults.hpp"

#include <csignal>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <unistd.h>

#include "run/surroundings.hpp"
#include "unit/conductor/fault_reports.hpp"
#include "unit/run/fake_family.hpp"

namespace gpugauge::conductor {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

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
  doctor) cat "$here/doctor.json"; exit 1 ;;
  frameworks) [ -n "$PYTHONPATH" ] || exit 2
    [ "$GPUGAUGE_FAULT_TF32" = on ] || [ ! -e "$here/broken" ] || { echo "failed: torch"; exit 1; }
    [ "$GPUGAUGE_FAULT_TF32" = on ] || : >"$GPUGAUGE_FAULT_MARK"
    echo "{\"tf32\": \"$GPUGAUGE_FAULT_TF32\"}" >"$5"; exit 0 ;;
  compare) cat "$3"/*.json "$5"/*.json >"$here/compared"; leave switched 1 ;;
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

/// Faults of a GPU, with what they need beside the command.
class FaultsOfAGpu : public Faults {
 protected:
  FaultsOfAGpu() {
    options_.bench.targets = {{DeviceKind::host, "host", "host"}, {DeviceKind::gpu, "GPU-1", "a GPU"}};
    for (const auto& [id, profile] :
         {std::pair{"memory/footprint", "standard"}, std::pair{"memory/read/cold", "standard"},
          std::pair{"peak/bf16/mma_sync", "smoke"}, std::pair{"launch/op", "smoke"}}) {
      Benchmark benchmark;
      benchmark.id = id;
      benchmark.kind = DeviceKind::gpu;
      benchmark.profile = profile;
      options_.bench.catalogue.benchmarks.push_back(benchmark);
    }
    setenv("GPUGAUGE_LIBEXEC", fakes_.path().c_str(), 1);
    answer("kept", "l2_persisting_left");
    answer("switched", "tf32_disabled_by_framework_default");
  }
  ~FaultsOfAGpu() override { unsetenv("GPUGAUGE_LIBEXEC"); }

  void install(const std::string& file) const {
    std::filesystem::create_directories((fakes_.path() / file).parent_path());
    run::write_text(fakes_.path() / file, "");
  }
};

TEST_F(FaultsOfAGpu, AreMeasuredInTheShallowestProfileThatShowsThem) {
  options_.only = {"persisting_l2"};
  install("faults/persisting_l2.so");
  const report::InjectReport report = inject(R"sh(
    case $LD_PRELOAD in */faults/persisting_l2.so*) : >"$GPUGAUGE_FAULT_MARK" ;; esac
    leave kept 1)sh");
  const report::InjectedFault& fault = the(report, "persisting_l2");
  EXPECT_EQ(fault.not_run, "");
  EXPECT_EQ(report::found(fault), 1);
  EXPECT_EQ(report::named_first(fault), 1);
  EXPECT_THAT(asked(), HasSubstr("baseline create --device GPU-1 --profile standard --rounds 5 --name "
                                 "healthy-gpu-standard"));
  EXPECT_THAT(asked(),
              HasSubstr("--only memory/footprint --only memory/read/cold --only peak/bf16/mma_sync"));
  EXPECT_THAT(asked(), HasSubstr("check --device GPU-1 --profile standard --baseline healthy-gpu-standard"));
  EXPECT_THAT(asked(), Not(HasSubstr("--profile smoke"))) << "nobody needs the healthy rounds of the host";
  ASSERT_EQ(report.healthy.size(), 1U);
  EXPECT_EQ(report.healthy.front().profile, "standard");
}

TEST_F(FaultsOfAGpu, ThatNeverTookEffectAreNotFoundWhateverIsNamed) {
  options_.only = {"persisting_l2"};
  options_.repeat = 2;
  install("faults/persisting_l2.so");
  const report::InjectReport report =
      inject("[ $(grep -c ': check' \"$here/asked\") -ne 1 ] || : >\"$GPUGAUGE_FAULT_MARK\"; leave kept 1");
  const report::InjectedFault& fault = the(report, "persisting_l2");
  EXPECT_EQ(report::found(fault), 1) << "the mark of the first trial is none of the second";
  ASSERT_EQ(fault.trials.size(), 2U);
  EXPECT_THAT(fault.trials.back().problem, HasSubstr("never took effect"));
  EXPECT_EQ(report::outcome(report).code, judge::ExitCode::regressed);
}

TEST_F(FaultsOfAGpu, WhoseLibraryIsNotInstalledOrWhichNothingShowsAreNotRun) {
  options_.only = {"persisting_l2", "tf32_math_mode", "tf32_framework"};
  install("faults/tf32_math_mode.so");
  const report::InjectReport report = inject("leave kept 1");
  EXPECT_THAT(the(report, "persisting_l2").not_run,
              HasSubstr("faults/persisting_l2.so is not installed here"));
  EXPECT_THAT(the(report, "tf32_math_mode").not_run, HasSubstr("no profile measures cublas/tf32/lt/*"));
  EXPECT_THAT(the(report, "tf32_framework").not_run,
              HasSubstr("frameworks/fault_tf32 is not installed here"));
}

TEST_F(FaultsOfAGpu, OfAFrameworkAreComparedWithItsHealthyRounds) {
  options_.only = {"tf32_framework"};
  install("frameworks/fault_tf32/sitecustomize.py");
  const report::InjectReport report = inject("exit 2");
  const report::InjectedFault& fault = the(report, "tf32_framework");
  EXPECT_EQ(fault.not_run, "");
  EXPECT_EQ(report::found(fault), 1);
  EXPECT_EQ(report::named_first(fault), 1);
  const std::string compared = run::read_text(fakes_.path() / "compared");
  const auto count = [&](const std::string& word) {
    int out = 0;
    for (std::size_t at = compared.find(word); at != std::string::npos; at = compared.find(word, at + 1))
      ++out;
    return out;
  };
  EXPECT_EQ(count(R"("tf32": "on")"), 5);
  EXPECT_EQ(count(R"("tf32": "off")"), 3);
}

TEST_F(FaultsOfAGpu, AFrameworkThatFailsWithTheFaultIsATrialThatFoundNothing) {
  options_.only = {"tf32_framework"};
  install("frameworks/fault_tf32/sitecustomize.py");
  install("broken");
  const report::InjectReport report = inject("exit 2");
  ASSERT_EQ(the(report, "tf32_framework").trials.size(), 1U);
  EXPECT_EQ(the(report, "tf32_framework").trials.front().problem, "no rounds of PyTorch: failed: torch");
  EXPECT_EQ(report::found(the(report, "tf32_framework")), 0);
}

TEST_F(FaultsOfAGpu, WhatTheDoctorSaysOfTheHealthyMachineCannotBeShown) {
  options_.only = {"cpu_only_framework"};
  run::write_text(fakes_.path() / "doctor.json", R"({"findings": [{"cause": "cpu_only_wheel"}]})");
  const report::InjectReport report = inject("exit 2");
  EXPECT_THAT(the(report, "cpu_only_framework").not_run,
              HasSubstr("names cpu_only_wheel of the machine as it is"));
  EXPECT_THAT(the(report, "cpu_only_framework").trials, IsEmpty());
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
