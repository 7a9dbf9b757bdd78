// A whole family process, from flags to exit code and sample file.
#include "support/family.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/samples.hpp"
#include "support/environment.hpp"
#include "support/mapping.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench {
namespace {

namespace fs = std::filesystem;
using result::Samples;
using result::Status;
using testing::HasSubstr;
using testing::IsEmpty;

void spin(std::int64_t operations) {
  for (std::int64_t i = 0; i < operations; ++i) {
    asm volatile("");
  }
}

void time_and_verify(Trial& trial) {
  trial.time(spin);
  trial.verify("always right", 0, 0);
}

Definition probe(const std::string& op) {
  return define("probe", op)
      .isolates("how a family behaves")
      .bad_value("a fault in the runner")
      .quantity(Quantity::latency, "host_cpu")
      .batch_seconds(1e-4);
}

const Registration good{probe("good").axis("size", {"1", "2"}).body(time_and_verify)};
const Registration wrong{probe("wrong").body([](Trial& trial) {
  trial.time(spin);
  trial.verify("against a reference", std::numeric_limits<double>::quiet_NaN(), 1e9);
})};
const Registration throws{
    probe("throws").body([](Trial&) { throw std::runtime_error("the case has no bottom"); })};
const Registration throws_inside{probe("throws_inside").body([](Trial& trial) {
  trial.time([](std::int64_t) { throw std::runtime_error("thrown while timed"); });
})};
const Registration vanishes{probe("vanishes").body([](Trial&) { raise(SIGKILL); })};
const Registration measured_then_gone{probe("measured_then_gone").body([](Trial& trial) {
  trial.time(spin);
  trial.verify("always right", 0, 0);
  trial.keep_before("something else was looked at, after all was measured");
  raise(SIGKILL);
})};
const Registration skips{probe("skips").body([](Trial& trial) { trial.skip("there is no fourth core"); })};
const Registration hungry{probe("hungry").body([](Trial&) { throw OutOfMemory(123456789); })};
const Registration custom{define("probe", "custom")
                              .isolates("a ratio")
                              .bad_value("x")
                              .custom_metrics({"host_cpu"})
                              .body([](Trial& trial) {
                                result::Metric metric;
                                metric.name = "ratio";
                                metric.unit = "1";
                                metric.metric_class = "host_cpu";
                                metric.statistic = "ratio";
                                metric.value = 0.5;
                                trial.metric(metric);
                                trial.verify("always right", 0, 0);
                              })};
const Registration needs_gpu{probe("needs_gpu").requires_gpu(90).body(time_and_verify)};
const Registration only_hopper{probe("only_hopper").requires_gpu_of(90).body(time_and_verify)};
const Registration stands_in{probe("stands_in").requires_gpu(70).stands_in_below(80).body(time_and_verify)};
const Registration two_gpus{probe("two_gpus").requires_devices(2).body(time_and_verify)};
const Registration signals{probe("signals").body([](Trial& trial) {
  trial.time([](std::int64_t operations) {
    spin(operations);
    static bool raised = false;  // a second signal would end the process at once
    if (!raised) raise(SIGTERM);
    raised = true;
  });
})};

class FamilyProcess : public testing::Test {
 protected:
  ~FamilyProcess() override {
    set_environment({});
    fs::remove(file_);
  }

  // Runs the probe family on these benchmarks; its sample file is `file_`.
  int run(const std::string& filter, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"gpugauge-bench-probe", "--benchmark_filter=" + filter,
                                   "--gpugauge_window=0.01", "--gpugauge_samples=" + file_.string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_plain(std::move(words));
  }
  // Forks, as Google Benchmark runs only once in a process.
  static int run_plain(std::vector<std::string> words) {
    const pid_t child = fork();
    if (child == 0) {
      const int code = run_here(std::move(words));
      std::fflush(stdout);
      _exit(code);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  static int run_here(std::vector<std::string> words) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return run_family({"probe", "0123", 0.5, 0.25}, static_cast<int>(words.size()), arguments.data());
  }
  Samples samples() const { return result::read_samples(file_); }

  fs::path file_ =
      fs::path(testing::TempDir()) /
      (std::string("gpugauge_") + testing::UnitTest::GetInstance()->current_test_info()->name() + ".json");
};

TEST_F(FamilyProcess, WritesASampleFileThatReadsBack) {
  ASSERT_EQ(run("probe/(good|custom)", {"--gpugauge_seed=3"}), exit_ok);
  const Samples all = samples();
  EXPECT_EQ(all.family, "probe");
  EXPECT_EQ(all.status, Status::ok);
  EXPECT_EQ(all.source_hash, "0123");
  EXPECT_EQ(all.seed, 3U);
  EXPECT_EQ(all.context.count("host.cpus_allowed"), 1U);
  ASSERT_EQ(all.benchmarks.size(), 3U);
  for (const result::BenchmarkResult& one : all.benchmarks) {
    EXPECT_EQ(one.status, Status::ok) << one.reason;
    ASSERT_EQ(one.metrics.size(), 1U);
    EXPECT_GT(one.metrics[0].value, 0);
    if (one.id == "probe/custom") continue;
    EXPECT_FALSE(one.batches.seconds_per_operation.empty());
    EXPECT_EQ(one.verifications.size(), 1U);
    EXPECT_EQ(one.parameters.count("size"), 1U);
  }
  EXPECT_EQ(result::parse_samples(result::to_json(all), "again"), all);
}

TEST_F(FamilyProcess, AWrongResultFailsWhateverItsSpeed) {
  EXPECT_EQ(run("probe/(wrong|good/1)"), exit_failed);
  const Samples all = samples();
  EXPECT_EQ(all.status, Status::ok);  // the family ran; one benchmark failed
  ASSERT_EQ(all.benchmarks.size(), 2U);
  EXPECT_EQ(all.benchmarks[1].id, "probe/wrong");
  EXPECT_EQ(all.benchmarks[1].status, Status::failed);
  EXPECT_THAT(all.benchmarks[1].reason, HasSubstr("wrong result: against a reference"));
  EXPECT_FALSE(all.benchmarks[1].batches.seconds_per_operation.empty());
}

TEST_F(FamilyProcess, AnExceptionFailsOneBenchmarkByItsSentence) {
  EXPECT_EQ(run("probe/(throws|throws_inside)$"), exit_failed);
  const Samples all = samples();
  EXPECT_EQ(all.status, Status::failed);
  EXPECT_THAT(all.reason, HasSubstr("the case has no bottom"));
  ASSERT_EQ(all.benchmarks.size(), 2U);
  EXPECT_EQ(all.benchmarks[0].reason, "the case has no bottom");
  EXPECT_EQ(all.benchmarks[1].reason, "thrown while timed");
}

TEST_F(FamilyProcess, WhatDoesNotApplyIsSkippedByName) {
  EXPECT_EQ(run("probe/(skips|hungry|needs_gpu)"), exit_ok);
  const Samples all = samples();
  EXPECT_EQ(all.status, Status::skipped);
  ASSERT_EQ(all.benchmarks.size(), 3U);
  for (const result::BenchmarkResult& one : all.benchmarks) EXPECT_EQ(one.status, Status::skipped) << one.id;
  EXPECT_THAT(all.benchmarks[0].reason, HasSubstr("123456789 bytes"));
  EXPECT_EQ(all.benchmarks[1].reason, "needs a GPU");
  EXPECT_EQ(all.benchmarks[2].reason, "there is no fourth core");
}

TEST_F(FamilyProcess, AskForMoreComputeCapabilityThanThereIsAndItSkips) {
  set_environment(
      {.unavailable = {}, .compute_capability = [] { return 86; }, .devices = {}, .describe = {}});
  EXPECT_EQ(run("probe/needs_gpu"), exit_ok);
  EXPECT_EQ(samples().benchmarks.at(0).reason, "needs compute capability 9.0, this GPU has 8.6");
  set_environment(
      {.unavailable = {}, .compute_capability = [] { return 90; }, .devices = {}, .describe = {}});
  EXPECT_EQ(run("probe/needs_gpu"), exit_ok);
  EXPECT_EQ(samples().benchmarks.at(0).status, Status::ok);
}

TEST_F(FamilyProcess, TakesAGenerationOrANumberOfDevicesExactly) {
  const auto see = [](int capability, int devices) {
    set_environment({.unavailable = {},
                     .compute_capability = [capability] { return capability; },
                     .devices = [devices] { return devices; },
                     .describe = {}});
  };
  see(100, 2);
  EXPECT_EQ(run("probe/only_hopper"), exit_ok);
  EXPECT_EQ(samples().benchmarks.at(0).reason, "needs compute capability 9.0 exactly, this GPU has 10.0");
  EXPECT_EQ(run("probe/two_gpus"), exit_ok);
  EXPECT_EQ(samples().benchmarks.at(0).status, Status::ok);
  see(90, 1);
  EXPECT_EQ(run("probe/only_hopper"), exit_ok);
  EXPECT_EQ(samples().benchmarks.at(0).status, Status::ok);
  EXPECT_EQ(run("probe/two_gpus"), exit_ok);
  EXPECT_EQ(samples().benchmarks.at(0).reason, "needs 2 GPUs, this process sees 1");
}

TEST_F(FamilyProcess, StandsInOnOlderGpusAlone) {
  const auto see = [](int capability) {
    set_environment({.unavailable = {},
                     .compute_capability = [capability] { return capability; },
                     .devices = {},
                     .describe = {}});
  };
  for (const int capability : {70, 75}) {
    see(capability);
    EXPECT_EQ(run("probe/stands_in"), exit_ok);
    EXPECT_EQ(samples().benchmarks.at(0).status, Status::ok) << capability;
  }
  see(80);
  EXPECT_EQ(run("probe/stands_in"), exit_ok);
  EXPECT_EQ(samples().benchmarks.at(0).reason,
            "stands in for another benchmark before compute capability 8.0, this GPU has 8.0");
  EXPECT_EQ(run("probe/(stands_in|good/1)"), exit_ok);
  ASSERT_EQ(samples().benchmarks.size(), 1U) << "nothing is said of it beside what is measured";
  EXPECT_EQ(samples().benchmarks.at(0).id, "probe/good/1");
  see(61);
  EXPECT_EQ(run("probe/stands_in"), exit_ok);
  EXPECT_EQ(samples().benchmarks.at(0).reason, "needs compute capability 7.0, this GPU has 6.1");
}

TEST_F(FamilyProcess, AnUnavailableFamilySaysWhyInItsFile) {
  set_environment({.unavailable = [] { return "no CUDA device is visible"; },
                   .compute_capability = {},
                   .devices = {},
                   .describe = [](result::Facts& facts) { facts["cuda.error"] = "100"; }});
  EXPECT_EQ(run("probe/good"), exit_unavailable);
  const Samples all = samples();
  EXPECT_EQ(all.status, Status::unavailable);
  EXPECT_EQ(all.reason, "no CUDA device is visible");
  EXPECT_EQ(all.context.at("cuda.error"), "100");
  EXPECT_THAT(all.benchmarks, IsEmpty());
}

TEST_F(FamilyProcess, ASignalEndsItBetweenBatchesAndTheFileSaysSo) {
  EXPECT_EQ(run("probe/(good/1|signals|skips)"), exit_interrupted);
  const Samples all = samples();
  EXPECT_EQ(all.status, Status::interrupted);
  ASSERT_EQ(all.benchmarks.size(), 3U);
  EXPECT_EQ(all.benchmarks[0].status, Status::ok);
  EXPECT_EQ(all.benchmarks[1].status, Status::interrupted);
  EXPECT_EQ(all.benchmarks[2].status, Status::interrupted) << "what was not reached is named too";
}

TEST_F(FamilyProcess, AProcessThatIsEndedLeavesWhatItHadMeasured) {
  EXPECT_EQ(run("probe/(good/1|vanishes)"), -SIGKILL);
  const Samples all = samples();
  EXPECT_EQ(all.status, Status::failed);
  ASSERT_EQ(all.benchmarks.size(), 2U);
  EXPECT_EQ(all.benchmarks[0].status, Status::ok);
  EXPECT_EQ(all.benchmarks[1].id, "probe/vanishes");
  EXPECT_EQ(all.benchmarks[1].status, Status::interrupted);
  EXPECT_FALSE(fs::exists(file_.string() + ".part"));
}

TEST_F(FamilyProcess, WhatEndsTheProcessAfterTheMeasuringTakesNoFigureWithIt) {
  EXPECT_EQ(run("probe/(good/1|measured_then_gone)"), -SIGKILL);
  const Samples all = samples();
  EXPECT_EQ(all.status, Status::failed);
  EXPECT_EQ(all.reason, "the process ended while something else was looked at, after all was measured");
  ASSERT_EQ(all.benchmarks.size(), 2U);
  EXPECT_EQ(all.benchmarks[1].id, "probe/measured_then_gone");
  EXPECT_EQ(all.benchmarks[1].status, Status::ok);
  EXPECT_FALSE(all.benchmarks[1].metrics.empty());
  EXPECT_FALSE(all.benchmarks[1].verifications.empty());
}

TEST_F(FamilyProcess, WhatAFailureLeavesNoGroundForIsSkippedByName) {
  Environment without_ground;
  without_ground.lost = [] { return std::optional<std::string>("nothing answers"); };
  set_environment(without_ground);
  EXPECT_EQ(run("probe/(good|throws$|wrong)"), exit_failed);
  const Samples all = samples();
  ASSERT_EQ(all.benchmarks.size(), 4U);
  EXPECT_EQ(all.benchmarks[1].status, Status::ok);
  EXPECT_EQ(all.benchmarks[2].reason, "the case has no bottom");
  EXPECT_EQ(all.benchmarks[3].status, Status::skipped) << all.benchmarks[3].reason;
  EXPECT_EQ(all.benchmarks[3].reason, "not measured: after probe/throws nothing answers");
}

TEST_F(FamilyProcess, RepetitionsKeepTheLastAndSayHowMany) {
  EXPECT_EQ(run("probe/good/1", {"--benchmark_repetitions=3"}), exit_ok);
  const Samples all = samples();
  ASSERT_EQ(all.benchmarks.size(), 1U);
  EXPECT_EQ(all.benchmarks[0].notes.at("repetitions"), "3, the last one kept");
}

TEST_F(FamilyProcess, UsageErrorsWriteNoFile) {
  EXPECT_EQ(run("no/such/benchmark"), exit_usage);
  EXPECT_EQ(run("probe/good", {"--gpugauge_windows=1"}), exit_usage);
  EXPECT_EQ(run("probe/good", {"--benchmark_no_such_flag=1"}), exit_usage);
  EXPECT_EQ(run("probe/good", {"--gpugauge_parent=1073741824"}), exit_usage);
  EXPECT_EQ(run("probe/good", {"--gpugauge_only=/no/such/file"}), exit_family_failed) << "the flag is right";
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(FamilyProcess, ASampleFileThatCannotBeWrittenIsAnError) {
  EXPECT_EQ(run_plain({"x", "--benchmark_filter=probe/custom", "--gpugauge_samples=/proc/no/such/file"}),
            exit_not_kept);
}

TEST_F(FamilyProcess, GoogleBenchmarksOwnJsonIsValidAlsoWhenBenchmarksFail) {
  const fs::path out = file_.string() + ".google";
  EXPECT_EQ(run("probe/(good/1|throws|wrong|custom)", {"--benchmark_out=" + out.string()}), exit_failed);
  std::ifstream text(out);
  const nlohmann::json json = nlohmann::json::parse(text);  // throws on a bare NaN
  fs::remove(out);
  ASSERT_EQ(json.at("benchmarks").size(), 5U);
  int errors = 0;
  for (const auto& one : json.at("benchmarks")) errors += one.value("error_occurred", false);
  EXPECT_EQ(errors, 3);
}

TEST_F(FamilyProcess, ListsAndDescribesWhatThereIs) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_here({"x", "--benchmark_list_tests", "--benchmark_filter=probe/good"}), exit_ok);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "probe/good/1\nprobe/good/2\n");
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_here({"x", "--gpugauge_describe"}), exit_ok);
  const nlohmann::json json = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  EXPECT_EQ(json.at("start_seconds"), 0.5);
  EXPECT_EQ(json.at("beside_seconds"), 0.25);
  bool found = false;
  for (const auto& one : json.at("definitions")) {
    if (one.at("id") != "probe/needs_gpu") continue;
    found = true;
    EXPECT_EQ(one.at("requires").at("minimum_compute_capability"), 90);
    EXPECT_EQ(one.at("requires").at("devices"), 1);
    EXPECT_EQ(one.at("depths").at("probe/needs_gpu"), "standard");
    EXPECT_EQ(one.at("window_share"), 1);
    EXPECT_EQ(one.at("metrics").at(0).at("name"), "latency");
    EXPECT_EQ(one.at("class"), "host_cpu");
    EXPECT_EQ(one.at("classes").at("probe/needs_gpu"), nlohmann::json::array({"host_cpu"}));
    EXPECT_EQ(one.at("isolates"), "how a family behaves");
  }
  EXPECT_TRUE(found);
}

TEST(WindowOf, SharesTheWindowButNeverCutsAMeanBelowASecond) {
  Definition definition = probe("share").window_share(0.5);
  EXPECT_EQ(window_of(definition, 0.5).seconds, 0.25);
  EXPECT_EQ(window_of(definition, 1).seconds, 1);
  EXPECT_EQ(window_of(definition, 4).seconds, 2);
  EXPECT_EQ(window_of(definition, 4).budget_seconds, 6);
}

TEST(WindowOf, KeepsTheMeanOfWhatSmokeMeasuresJudged) {
  Definition definition = probe("mean").window_share(0.5).statistics({Statistic::median, Statistic::mean});
  const auto seconds = [&](double window, double mean) {
    return window_of(instances_of(definition).front(), window, mean).seconds;
  };
  definition.from(Depth::smoke);
  EXPECT_EQ(seconds(0.5, 1), 1);
  EXPECT_EQ(seconds(0.5, 0), 0.25);
  EXPECT_EQ(seconds(4, 1), 2);
  EXPECT_EQ(window_of(instances_of(definition).front(), 0.5, 1).budget_seconds, 3);
  definition.from(Depth::quick);
  EXPECT_EQ(seconds(0.5, 1), 0.25);
  definition.from(Depth::smoke).statistics({Statistic::median});
  EXPECT_EQ(seconds(0.5, 1), 0.25);
}

TEST(WindowOf, GivesSustainedLoadTheTimeThatIsAskedFor) {
  const auto seconds = [](const Definition& definition, double sustained) {
    return window_of(instances_of(definition).front(), 0.2, 1, sustained).seconds;
  };
  Definition definition = probe("sustained").window_share(300);
  EXPECT_EQ(seconds(definition, 600), 60) << "this one did not say that it is";
  definition.sustained();
  EXPECT_EQ(seconds(definition, 0), 60);
  EXPECT_NEAR(seconds(definition, 600), 600, 1e-9);
  EXPECT_NEAR(window_of(instances_of(definition).front(), 0.2, 1, 600).budget_seconds, 1800, 1e-6);
}

}  // namespace
}  // namespace gpugauge::bench
