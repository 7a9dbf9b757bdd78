// What is said of a framework from the process that ran it: where its work ran, and what that means here.
#include "conductor/frameworks.hpp"

#include <gmock/gmock.h>

namespace gpugauge::conductor {
namespace {

using report::FrameworkState;
using testing::HasSubstr;

stack::GpuReport usable() {
  stack::GpuReport gpus;
  gpus.state = stack::GpuState::usable;
  gpus.gpus.resize(1);
  gpus.gpus.front().uuid = "GPU-1";
  gpus.gpus.front().name = "NVIDIA H200";
  return gpus;
}

stack::GpuReport none() {
  stack::GpuReport gpus;
  gpus.explanation = "There is no NVIDIA GPU here.";
  return gpus;
}

/// One process of one framework whose operations ran at `places`.
result::Process process(const std::string& name, const std::vector<std::string>& places,
                        const std::string& build = "cuda") {
  result::Process out;
  out.family = name;
  out.wall_seconds = 10;
  out.samples.emplace();
  out.samples->family = name;
  out.samples->context = {{"framework.name", name},
                          {"framework.build", build},
                          {"framework.version", build == "cpu" ? "2.8.0+cpu" : "2.8.0"},
                          {"framework.cuda", build == "cpu" ? "none" : "12.8"},
                          {"framework.device_name", build == "cpu" ? "the processor" : "NVIDIA H200"}};
  for (const std::string& place : places) {
    result::BenchmarkResult one;
    one.id = name + "/matmul/fp32/" + std::to_string(out.samples->benchmarks.size());
    one.notes = {{"ran_on", place}, {"evidence", "seen to run on " + place}};
    out.samples->benchmarks.push_back(one);
  }
  return out;
}

report::FrameworksReport judge(std::vector<result::Process> processes, const stack::GpuReport& gpus) {
  result::Run run;
  run.complete = true;
  run.profile = "frameworks";
  run.device = "host";
  run.started = "2026-11-21T10:00:00Z";
  run.processes = std::move(processes);
  return judge_frameworks(run, gpus);
}

TEST(Frameworks, WorkOnTheGpuPassesAndNothingIsFound) {
  const auto report = judge({process("torch", {"gpu", "gpu"})}, usable());
  EXPECT_EQ(report.frameworks.at(0).state, FrameworkState::on_gpu);
  EXPECT_EQ(report.outcome.code, judge::ExitCode::pass);
  EXPECT_FALSE(report.frameworks.at(0).diagnosis.has_value());
}

TEST(Frameworks, ABuildWithoutCudaBesideAUsableGpuFailsAndIsNamed) {
  const auto report = judge({process("torch", {"cpu", "cpu"}, "cpu")}, usable());
  EXPECT_EQ(report.frameworks.at(0).state, FrameworkState::on_cpu);
  EXPECT_EQ(report.outcome.code, judge::ExitCode::regressed);
  ASSERT_TRUE(report.frameworks.at(0).diagnosis.has_value());
  ASSERT_FALSE(report.frameworks.at(0).diagnosis->findings.empty());
  EXPECT_EQ(report.frameworks.at(0).diagnosis->findings.front().cause, "cpu_only_wheel");
  EXPECT_GE(report.frameworks.at(0).diagnosis->findings.front().score, .7);
}

TEST(Frameworks, WhatAProcessPrintedIsKeptLineByLine) {
  result::Process crashed = process("tensorflow", {});
  crashed.samples.reset();
  crashed.status = result::Status::failed;
  crashed.reason = "ended with signal 6 (SIGABRT)";
  crashed.output =
      "Successfully opened dynamic library libcudart.so.11.0\n\n"
      "Could not load dynamic library 'libnvinfer.so.7'; dlerror: libnvinfer.so.7: cannot open shared object "
      "file\n";
  const auto report = judge({crashed}, usable());
  const diagnose::Observation& seen = *report.frameworks.at(0).observation;
  ASSERT_EQ(seen.errors.size(), 1U);
  EXPECT_EQ(seen.errors[0].text, "ended with signal 6 (SIGABRT)");
  ASSERT_EQ(seen.log.size(), 2U);
  EXPECT_EQ(seen.log[0], "Successfully opened dynamic library libcudart.so.11.0");
  for (const diagnose::Finding& finding : report.frameworks.at(0).diagnosis->findings)
    EXPECT_NE(finding.cause, "missing_cuda_libraries");
}

TEST(Frameworks, WhyOneFellBackStandsInWhatItPrinted) {
  result::Process fallen = process("onnxruntime", {"cpu"});
  fallen.samples->context["framework.providers"] = "CPUExecutionProvider";
  fallen.output =
      "[E:onnxruntime] Failed to load library libonnxruntime_providers_cuda.so with error: libcudnn.so.9: cannot "
      "open shared object file\nFailed to create CUDAExecutionProvider\n";
  const auto report = judge({fallen}, usable());
  const report::Framework& framework = report.frameworks.at(0);
  EXPECT_EQ(framework.observation->log.size(), 2U);
  ASSERT_TRUE(framework.diagnosis && !framework.diagnosis->findings.empty());
  EXPECT_EQ(framework.diagnosis->findings.front().cause, "ort_cuda_ep_fallback");
  EXPECT_GE(framework.diagnosis->findings.front().score, .9);
  fallen = process("onnxruntime", {"gpu"});
  fallen.output = "what a healthy one prints\n";
  EXPECT_TRUE(judge({fallen}, usable()).frameworks.at(0).observation->log.empty());
}

TEST(Frameworks, LibrariesThatAProcessMappedTwiceAreTold) {
  result::Process twice = process("torch", {"gpu"});
  result::Facts& context = twice.samples->context;
  context["framework.library.0"] = "/venv/nvidia/cudnn/lib/libcudnn.so.9.20.0";
  context["framework.library.1"] = "/venv/nvidia/cudnn/lib/libcudnn_engines_precompiled.so.9.20.0";
  context["framework.library.2"] = "/usr/lib/libnccl.so.2.28.3";
  const auto inventory = [&] { return judge({twice}, usable()).frameworks.at(0).observation->inventory; };
  for (const char* const key : {"cudnn.copies", "nccl.copies", "libraries.mixed"})
    EXPECT_FALSE(inventory().contains(key)) << key;
  context["framework.library.3"] = "/usr/lib/libcudnn_engines_precompiled.so.9.23.0";
  context["framework.library.4"] = "/venv/nvidia/nccl/lib/libnccl.so.2";
  EXPECT_EQ(inventory().at("libraries.mixed").text(), "cudnn 9.20.0 and 9.23.0");
  EXPECT_EQ(inventory().at("cudnn.copies").items().size(), 2U);
  EXPECT_EQ(inventory().at("nccl.copies").items().size(), 2U);
}

TEST(Frameworks, OneOperationOnTheProcessorCounts) {
  const auto report = judge({process("onnxruntime", {"gpu", "cpu", "gpu"})}, usable());
  EXPECT_EQ(report.frameworks.at(0).state, FrameworkState::on_cpu);
  EXPECT_THAT(report.frameworks.at(0).sentence, HasSubstr("1 of 3 operations ran on the processor"));
  EXPECT_EQ(report.outcome.code, judge::ExitCode::regressed);
}

TEST(Frameworks, WithoutAGpuTheProcessorIsNoFault) {
  const auto report = judge({process("torch", {"cpu"}, "cpu")}, none());
  EXPECT_EQ(report.outcome.code, judge::ExitCode::cannot_judge);
  EXPECT_FALSE(report.frameworks.at(0).diagnosis.has_value());
  EXPECT_EQ(report.gpu_explanation, "There is no NVIDIA GPU here.");
}

TEST(Frameworks, WhatCouldNotBeProvedIsNeitherPassNorFailure) {
  const auto report = judge({process("jax", {"gpu", "unknown"})}, usable());
  EXPECT_EQ(report.frameworks.at(0).state, FrameworkState::unknown);
  EXPECT_EQ(report.outcome.code, judge::ExitCode::cannot_judge);
}

TEST(Frameworks, AWrongResultFailsWhereverItRan) {
  result::Process wrong = process("torch", {"gpu", "gpu"});
  wrong.status = result::Status::failed;
  wrong.samples->benchmarks[1].status = result::Status::failed;
  wrong.samples->benchmarks[1].reason = "the result is wrong";
  const auto report = judge({wrong}, usable());
  EXPECT_EQ(report.frameworks.at(0).state, FrameworkState::failed);
  EXPECT_EQ(report.outcome.code, judge::ExitCode::regressed);
  EXPECT_TRUE(report.frameworks.at(0).operations.at(1).wrong);
}

TEST(Frameworks, ACrashAfterGoodSamplesIsAFailure) {
  result::Process crashed = process("torch", {"gpu"});
  crashed.status = result::Status::failed;
  crashed.reason = "python3 was ended by signal 11 (SIGSEGV)";
  const auto report = judge({crashed}, usable());
  EXPECT_EQ(report.frameworks.at(0).state, FrameworkState::failed);
  EXPECT_THAT(report.frameworks.at(0).sentence, HasSubstr("SIGSEGV"));
}

TEST(Frameworks, WhatOnlyMovesMemoryHasABandwidthInTextAndJson) {
  result::Process streams = process("torch", {"gpu"});
  result::Metric metric;
  metric.name = "bandwidth";
  metric.unit = "byte/second";
  metric.value = 4.5e12;
  streams.samples->benchmarks[0].metrics = {metric};
  const auto report = judge({streams}, usable());
  EXPECT_EQ(report.frameworks.at(0).operations.at(0).bandwidth, 4.5e12);
  EXPECT_FALSE(report.frameworks.at(0).operations.at(0).flops.has_value());
  EXPECT_THAT(report::draw(report, {}), HasSubstr("4.50 TB/s"));
  EXPECT_THAT(report::to_json(report), HasSubstr("\"bandwidth\": 4500000000000"));
}

TEST(Frameworks, AnOperationThatCouldNotBeMeasuredIsNotSaidToHaveRun) {
  result::Process streams = process("torch", {"gpu", ""});
  streams.samples->benchmarks[1].status = result::Status::skipped;
  streams.samples->benchmarks[1].reason = "1.0 GiB of GPU memory are free; 4 GiB are needed";
  const auto report = judge({streams}, usable());
  EXPECT_EQ(report.outcome.code, judge::ExitCode::pass);
  EXPECT_THAT(report.frameworks.at(0).sentence, HasSubstr("1 of 2 operations could be measured"));
  EXPECT_EQ(report.frameworks.at(0).operations.at(1).evidence,
            "1.0 GiB of GPU memory are free; 4 GiB are needed");
}

TEST(Frameworks, TheAbsentDoNotCount) {
  result::Process absent = process("jax", {});
  absent.samples->status = result::Status::unavailable;
  absent.samples->reason = "there is no jax in /usr/bin/python3";
  absent.samples->context["framework.installed"] = "no";
  const auto both = judge({process("torch", {"gpu"}), absent}, usable());
  EXPECT_EQ(both.outcome.code, judge::ExitCode::pass);
  const auto alone = judge({absent}, usable());
  EXPECT_EQ(alone.frameworks.at(0).state, FrameworkState::absent);
  EXPECT_EQ(alone.outcome.code, judge::ExitCode::cannot_judge);
}

TEST(Frameworks, AFrameworkThatCannotBeImportedIsNoAbsentOne) {
  result::Process broken = process("torch", {});
  broken.samples->status = result::Status::unavailable;
  broken.samples->reason = "torch cannot be imported: ImportError: its backend is not installed in /usr/lib";
  broken.samples->context["framework.installed"] = "yes";
  const auto report = judge({broken}, usable());
  EXPECT_EQ(report.frameworks.at(0).state, FrameworkState::failed);
  EXPECT_EQ(report.outcome.code, judge::ExitCode::regressed);
}

}  // namespace
}  // namespace gpugauge::conductor
