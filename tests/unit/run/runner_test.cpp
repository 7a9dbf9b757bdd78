#include "run/runner.hpp"

#include <csignal>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_family.hpp"
#include "result/build.hpp"
#include "result/error.hpp"

namespace gpugauge::run {
namespace {

using result::Status;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

const auto no_progress = [](const Progress&) {};

/// Temporary files of the run under test go into a folder of the test's own, which must be empty afterwards.
class RunnerTest : public ::testing::Test {
 protected:
  RunnerTest() {
    std::filesystem::create_directory(scratch_);
    setenv("TMPDIR", scratch_.c_str(), 1);
  }
  ~RunnerTest() override {
    EXPECT_TRUE(std::filesystem::is_empty(scratch_));
    if (earlier_) {
      setenv("TMPDIR", earlier_->c_str(), 1);
    } else {
      unsetenv("TMPDIR");
    }
  }

  /// The one process of a run of one family.
  result::Process run_one(const std::string& body, double limit_seconds = 20) {
    auto plan = quick_plan({fakes_.family("fake", body)});
    plan.profile.limit_seconds = limit_seconds;
    run_ = execute(plan, no_progress);
    EXPECT_EQ(run_.processes.size(), 1U);
    EXPECT_NO_THROW(result::parse_run(result::to_json(run_), "run")) << "the run is not valid";
    return run_.processes.at(0);
  }

  Fakes fakes_;
  std::filesystem::path scratch_ = fakes_.path() / "scratch";
  std::optional<std::string> earlier_ =
      getenv("TMPDIR") != nullptr ? std::optional<std::string>(getenv("TMPDIR")) : std::nullopt;
  result::Run run_;
};

TEST_F(RunnerTest, KeepsWhatAFamilyMeasured) {
  const auto process = run_one("leave; echo hello");
  EXPECT_EQ(process.status, Status::ok);
  EXPECT_EQ(process.reason, "");
  EXPECT_EQ(process.exit_code, 0);
  EXPECT_EQ(process.output, "hello\n");
  ASSERT_TRUE(process.samples);
  EXPECT_EQ(*process.samples, good_samples("fake"));
  EXPECT_TRUE(run_.complete);
  EXPECT_EQ(run_.partial_reason, "");
  EXPECT_THAT(remarks_of(run_), IsEmpty());
}

TEST_F(RunnerTest, DescribesTheRun) {
  auto plan = quick_plan({fakes_.family("fake", "leave")});
  plan.seed = 99;
  plan.round = 3;
  plan.device_selection = "all";
  plan.command = {"gpugauge", "run"};
  plan.fingerprint.device["host.cpu_model"] = "some";
  const auto run = execute(plan, no_progress);
  EXPECT_THAT(run.id, MatchesRegex("[0-7][0-9A-HJKMNP-TV-Z]{25}"));
  EXPECT_THAT(run.started, MatchesRegex("20..-..-..T..:..:..\\....Z"));
  EXPECT_EQ(run.seed, 99U);
  EXPECT_EQ(run.round, 3);
  EXPECT_EQ(run.device, "all");
  EXPECT_EQ(run.profile, "smoke");
  EXPECT_THAT(run.command, ElementsAre("gpugauge", "run"));
  EXPECT_EQ(run.boot_id.size(), 36U);
  EXPECT_GT(run.wall_seconds, 0);
  EXPECT_EQ(run.fingerprint.device.at("host.cpu_model"), "some");
  EXPECT_EQ(run.fingerprint.suite.at("suite.profile"), "smoke");
  EXPECT_EQ(run.fingerprint.suite.at("suite.version"), "0.1.0");
  EXPECT_EQ(run.fingerprint.suite.at("suite.source_hash.fake"), std::string(64, 'a'));
}

TEST_F(RunnerTest, PassesTheFlagsAFamilyNeeds) {
  auto plan = quick_plan(
      {fakes_.family("fake", "leave; echo $seed $window $parent $CUDA_VISIBLE_DEVICES $depth; cat $only")});
  plan.only = {"fake/op", "fake/other"};
  plan.profile.window_seconds = .25;
  plan.device = "GPU-1";
  const auto run = execute(plan, no_progress);
  EXPECT_THAT(run.processes.at(0).output,
              AllOf(HasSubstr(" 0.25 " + std::to_string(getpid()) + " GPU-1 smoke\n"),
                    EndsWith("\nfake/op\nfake/other\n")));
  EXPECT_EQ(run.only, plan.only);
}

TEST_F(RunnerTest, GivesAHostPlanNoDevice) {
  unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(run_one("leave; echo [${CUDA_VISIBLE_DEVICES-unset}] [${CUDA_DEVICE_ORDER-unset}]").output,
            "[unset] [unset]\n");
}

TEST_F(RunnerTest, RunsEveryFamilyInFreshProcessesWithSeedsOfTheirOwn) {
  auto plan = quick_plan({fakes_.family("a", "leave; echo $seed"), fakes_.family("b", "leave; echo $seed")});
  plan.profile.processes = 3;
  const auto run = execute(plan, no_progress);
  ASSERT_EQ(run.processes.size(), 6U);
  std::set<std::string> seeds;
  std::map<std::string, std::vector<int>> indices;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(run.processes[i].order, static_cast<int>(i));
    EXPECT_EQ(run.processes[i].status, Status::ok);
    seeds.insert(run.processes[i].output);
    indices[run.processes[i].family].push_back(run.processes[i].index);
  }
  EXPECT_EQ(seeds.size(), 6U);
  EXPECT_THAT(indices["a"], ElementsAre(0, 1, 2));
  EXPECT_THAT(indices["b"], ElementsAre(0, 1, 2));
  EXPECT_TRUE(run.complete);
}

TEST_F(RunnerTest, NamesAFamilyThatHangs) {
  const auto process = run_one("echo working; sleep 100", 1);
  EXPECT_EQ(process.status, Status::failed);
  EXPECT_EQ(process.reason,
            "gpugauge-bench-fake exceeded its time limit of 1 s and was ended; it said: working.");
  EXPECT_EQ(process.output, "working\n");
  EXPECT_TRUE(run_.complete);
}

TEST_F(RunnerTest, NamesAFamilyThatCrashes) {
  const auto process = run_one("echo last words; kill -SEGV $$");
  EXPECT_EQ(process.status, Status::failed);
  EXPECT_EQ(process.signal, SIGSEGV);
  EXPECT_EQ(process.reason, "gpugauge-bench-fake was ended by signal 11 (SIGSEGV); it said: last words.");
  EXPECT_EQ(process.output, "last words\n");
}

TEST_F(RunnerTest, RepeatsWhatTheLoaderSaid) {
  const auto process =
      run_one("echo 'error while loading shared libraries: libx.so.1: not found' >&2; exit 127");
  EXPECT_EQ(process.reason,
            "gpugauge-bench-fake ended with exit code 127; it said: error while loading shared libraries: "
            "libx.so.1: not "
            "found.");
}

TEST_F(RunnerTest, KeepsSamplesOfAFamilyThatCrashedAtItsEnd) {
  const auto process = run_one("leave; kill -ABRT $$");
  EXPECT_EQ(process.status, Status::failed);
  EXPECT_EQ(process.signal, SIGABRT);
  EXPECT_TRUE(process.samples);
}

TEST_F(RunnerTest, NamesAnExitCodeWithoutSamples) {
  const auto process = run_one("exit 3");
  EXPECT_EQ(process.status, Status::failed);
  EXPECT_EQ(process.exit_code, 3);
  EXPECT_EQ(process.reason, "gpugauge-bench-fake ended with exit code 3.");
}

TEST_F(RunnerTest, NamesAnExitCodeAndTheBenchmarkThatFailed) {
  auto family = fakes_.family("fake", "leave; exit 1");
  auto samples = good_samples("fake");
  samples.benchmarks.push_back(samples.benchmarks[0]);
  samples.benchmarks[1].id = "fake/wrong";
  samples.benchmarks[1].status = Status::failed;
  samples.benchmarks[1].reason = "the result is wrong.";
  write_text(fakes_.path() / "good-fake.json", result::to_json(samples));
  const auto process = execute(quick_plan({family}), no_progress).processes.at(0);
  EXPECT_EQ(process.status, Status::failed);
  EXPECT_EQ(
      process.reason,
      "gpugauge-bench-fake ended with exit code 1: 1 of 2 benchmarks failed (first fake/wrong: the result is "
      "wrong.).");
  EXPECT_EQ(process.samples, samples);
}

TEST_F(RunnerTest, TakesOverThatAFamilyIsUnavailable) {
  auto family = fakes_.family("fake", "leave; exit 1");
  auto samples = good_samples("fake");
  samples.benchmarks.clear();
  samples.status = Status::unavailable;
  samples.reason = "libcublas.so.13 is missing.";
  write_text(fakes_.path() / "good-fake.json", result::to_json(samples));
  const auto process = execute(quick_plan({family}), no_progress).processes.at(0);
  EXPECT_EQ(process.status, Status::unavailable);
  EXPECT_EQ(process.reason, "libcublas.so.13 is missing.");
}

TEST_F(RunnerTest, RefusesMissingAndBrokenSampleFiles) {
  const auto reason = [&](const std::string& body) {
    const auto process = run_one(body);
    EXPECT_EQ(process.status, Status::failed) << body;
    EXPECT_EQ(process.samples, std::nullopt) << body;
    EXPECT_THAT(process.reason, StartsWith("gpugauge-bench-fake left ")) << body;
    return process.reason;
  };
  const std::string unreadable = "left a sample file that cannot be read: ";
  EXPECT_THAT(reason("exit 0"), HasSubstr("left no sample file"));
  EXPECT_THAT(reason("leave; truncate -s 100 $samples"), HasSubstr(unreadable));
  EXPECT_THAT(reason(": > $samples"), HasSubstr(unreadable));
  EXPECT_THAT(reason("echo '{]' > $samples"), HasSubstr(unreadable));
  EXPECT_THAT(reason("echo '{\"schema\": \"gpugauge.samples/99\"}' > $samples"), HasSubstr(unreadable));
  EXPECT_THAT(reason("head -c 100000 /dev/urandom > $samples"), HasSubstr(unreadable));
  EXPECT_THAT(reason("head -c 100000 /dev/zero | tr '\\0' '[' > $samples"), HasSubstr(unreadable));
  EXPECT_THAT(reason("mkdir $samples"), HasSubstr(unreadable));
  EXPECT_THAT(reason("mkfifo $samples"), HasSubstr(unreadable));
  EXPECT_THAT(reason("ln -s /dev/zero $samples"), HasSubstr(unreadable));
  EXPECT_THAT(reason("ln -s $samples $samples"), HasSubstr(unreadable));
  EXPECT_THAT(reason("leave; sed -i 's/fake/other/' $samples"),
              HasSubstr("left samples of the family 'other'"));
}

TEST_F(RunnerTest, GoesOnAfterFamiliesThatCannotBeStarted) {
  const auto plain = fakes_.path() / "gpugauge-bench-plain";
  write_text(plain, "#!/bin/sh\n");
  auto plan = quick_plan({{"missing", fakes_.path() / "gpugauge-bench-missing"},
                          {"plain", plain},
                          fakes_.family("good", "leave")});
  const auto run = execute(plan, no_progress);
  std::map<std::string, result::Process> processes;
  for (const auto& process : run.processes) processes[process.family] = process;
  EXPECT_EQ(processes["missing"].status, Status::failed);
  EXPECT_THAT(processes["missing"].reason, HasSubstr("gpugauge-bench-missing does not exist"));
  EXPECT_EQ(processes["plain"].status, Status::failed);
  EXPECT_THAT(processes["plain"].reason, HasSubstr("is not executable"));
  EXPECT_EQ(processes["good"].status, Status::ok);
  EXPECT_TRUE(run.complete);
}

TEST_F(RunnerTest, RemarksOnProcessesThatWereLeftBehind) {
  EXPECT_EQ(run_one("leave; setsid sleep 100 & leave; sleep .1").status, Status::ok);
  EXPECT_THAT(remarks_of(run_),
              ElementsAre("fake, process 0: left 1 process running when it ended; it was ended."));
}

TEST_F(RunnerTest, RemarksOnABuildThatChangedInMidRun) {
  auto plan = quick_plan({fakes_.family("fake", "leave; cd ${0%/*}; sed -i s/aaaa/bbbb/ good-fake.json")});
  plan.profile.processes = 2;
  EXPECT_THAT(remarks_of(execute(plan, no_progress)),
              ElementsAre(StartsWith("suite.source_hash.fake changed during the run")));
}

TEST_F(RunnerTest, SaysWhatTheProcessUsed) {
  const auto process = run_one("leave; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done");
  EXPECT_GT(process.host.at("cpu_seconds"), .01);
  EXPECT_LE(process.host.at("cpu_seconds"), process.wall_seconds + .1);
  EXPECT_EQ(process.host.count("involuntary_switches"), 1U);
  EXPECT_EQ(process.host.count("steal_seconds"), 1U);
  EXPECT_EQ(process.host.count("other_cpu_seconds"), 1U);
}

TEST_F(RunnerTest, ReportsProgressWithTheTimeLeft) {
  auto plan = quick_plan({fakes_.family("fake", "leave; sleep .2")});
  plan.profile.processes = 3;
  std::vector<Progress> seen;
  const auto run = execute(plan, [&](const Progress& progress) { seen.push_back(progress); });
  ASSERT_GE(seen.size(), 6U);
  EXPECT_EQ(seen.front().done, 0);
  EXPECT_EQ(seen.front().total, 3);
  EXPECT_EQ(seen.front().family, "fake");
  EXPECT_LT(seen.front().left_seconds, 0);  // nothing to go by yet
  const auto second = std::find_if(seen.begin(), seen.end(), [](const auto& one) { return one.done == 1; });
  ASSERT_NE(second, seen.end());
  EXPECT_GE(second->left_seconds, 2 * run.processes[0].wall_seconds - 1e-9) << "two are still to come, whole";
  EXPECT_EQ(seen.back().done, 3);
  EXPECT_EQ(seen.back().left_seconds, 0);
}

TEST_F(RunnerTest, PassesOnWhatProgressThrows) {
  EXPECT_THROW(execute(quick_plan({fakes_.family("fake", "sleep 100")}),
                       [](const Progress&) { throw std::runtime_error("no terminal"); }),
               std::runtime_error);
}

TEST_F(RunnerTest, ComesBackWithAPartialRunWhenASignalStopsIt) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    auto plan =
        quick_plan({fakes_.family("fake", "leave; echo $seed; if [ -e ${0%/*}/hang ]; then sleep 100; fi")});
    plan.profile.processes = 4;
    std::filesystem::remove(fakes_.path() / "hang");
    const auto run = execute(plan, [&](const Progress& progress) {
      if (progress.done != 1) return;
      if (std::filesystem::exists(fakes_.path() / "hang")) {
        raise(signal);
      } else {
        write_text(fakes_.path() / "hang", "");
      }
    });
    const auto name = signal_name(signal);
    EXPECT_FALSE(run.complete);
    ASSERT_EQ(run.processes.size(), 2U);
    EXPECT_EQ(run.processes[0].status, Status::ok);
    EXPECT_EQ(run.processes[1].status, Status::interrupted);
    EXPECT_EQ(run.processes[1].reason, name + " stopped the run.");
    EXPECT_EQ(run.partial_reason,
              name + " stopped the run after 1 of 4 processes; not measured: fake (3 of 4)");
    EXPECT_EQ(result::parse_run(result::to_json(run), "run"), run);
    EXPECT_TRUE(std::filesystem::is_empty(scratch_));
  }
}

TEST_F(RunnerTest, SaysThatASignalFromElsewhereEndedAFamily) {
  // As our families do it: what was measured is written, and says which signal came.
  result::Samples samples = good_samples("fake");
  samples.status = Status::interrupted;
  samples.reason = "signal 15 (SIGTERM) ended the process";
  write_text(fakes_.path() / "cut.json", result::to_json(samples));
  auto plan =
      quick_plan({fakes_.family("fake",
                                "if mkdir ${0%/*}/first 2>/dev/null; then cp ${0%/*}/cut.json $samples; "
                                "exit 130; fi; leave")});
  plan.profile.processes = 3;
  const auto run = execute(plan, no_progress);
  EXPECT_FALSE(run.complete);
  ASSERT_EQ(run.processes.size(), 3U);
  EXPECT_EQ(run.processes[0].status, Status::interrupted);
  EXPECT_THAT(run.processes[0].reason,
              HasSubstr("was told from elsewhere to end, not by this command: signal 15 (SIGTERM)"));
  EXPECT_EQ(run.processes[2].status, Status::ok);
  EXPECT_EQ(run.partial_reason,
            "a signal from elsewhere ended 1 of 3 processes; not measured: fake (1 of 3)");
}

TEST_F(RunnerTest, KillsAtOnceAtTheSecondSignal) {
  auto plan =
      quick_plan({fakes_.family("fake", "trap '' TERM; echo > ${0%/*}/ready; while :; do sleep 100; done")});
  plan.profile.grace_seconds = 1000;
  const auto run = execute(plan, [&](const Progress&) {
    if (std::filesystem::exists(fakes_.path() / "ready")) raise(SIGINT);
  });
  EXPECT_EQ(run.processes.at(0).signal, SIGKILL);
  EXPECT_EQ(run.processes.at(0).status, Status::interrupted);
  EXPECT_FALSE(run.complete);
}

TEST_F(RunnerTest, PutsTheSignalHandlersBack) {
  struct sigaction handler {};
  handler.sa_handler = [](int) {};
  struct sigaction before {};
  sigaction(SIGINT, &handler, &before);
  run_one("leave");
  struct sigaction after {};
  sigaction(SIGINT, &before, &after);
  EXPECT_EQ(after.sa_handler, handler.sa_handler);
}

TEST_F(RunnerTest, OutlivesTheTerminalUnderNohup) {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  struct sigaction before {};
  sigaction(SIGHUP, &ignore, &before);
  const auto process = run_one("leave; kill -HUP $parent");
  sigaction(SIGHUP, &before, nullptr);
  EXPECT_EQ(process.status, Status::ok);
  EXPECT_TRUE(run_.complete);
}

TEST_F(RunnerTest, SaysWhenThereIsNoPlaceForTemporaryFiles) {
  setenv("TMPDIR", "/no/such/folder", 1);
  try {
    execute(quick_plan({fakes_.family("fake", "leave")}), no_progress);
    FAIL() << "no error";
  } catch (const result::FileError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("/no/such/folder"), HasSubstr("set TMPDIR")));
  }
}

TEST_F(RunnerTest, KeepsTheFolderOfSamplesPrivate) {
  EXPECT_EQ(run_one("leave; stat -c %a ${samples%/*}").output, "700\n");
}

TEST_F(RunnerTest, RecordsTheHostBesideTheProcesses) {
  run_one("leave; sleep .7");
  const auto load = std::find_if(run_.telemetry.begin(), run_.telemetry.end(),
                                 [](const auto& series) { return series.name == "load1"; });
  ASSERT_NE(load, run_.telemetry.end());
  EXPECT_EQ(load->source, "host");
  EXPECT_GE(load->values.size(), 3U);  // begin, half a second, end
}

}  // namespace
}  // namespace gpugauge::run
