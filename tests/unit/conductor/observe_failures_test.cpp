// From what failed in a check to the errors and lines that a diagnosis reads.
#include "conductor/observe_failures.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"
#include "judge/judge.hpp"
#include "unit/conductor/observe_fixture.hpp"

namespace gpugauge::conductor {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* illegal_address =
    "copying the result failed: cudaErrorIllegalAddress (700): A kernel touched memory that is not its own. "
    "Run the program under compute-sanitizer; the process must be started again.";

/// A round of GPU-0, judged by the physical judge as a check does.
class ObserveFailures : public testing::Test {
 protected:
  ObserveFailures() {
    run_.device = "GPU-0";
    run_.started = "2026-11-28T10:00:00Z";
    run_.complete = true;
    run_.fingerprint.device = {{"gpu.0.uuid", "GPU-0"}, {"gpu.0.name", "NVIDIA H100 80GB HBM3"}};
    run_.telemetry.push_back({"gpu:GPU-0", "power_watts", "watt", {1}, {300}});
  }

  void xids(const std::vector<double>& numbers) {
    run_.telemetry.push_back({"gpu:GPU-0", "xid", "1", std::vector<double>(numbers.size(), 1), numbers});
  }
  result::Process& process(const std::string& family, result::Status status, const std::string& reason) {
    result::Process made;
    made.family = family;
    made.index = static_cast<int>(run_.processes.size());
    made.status = status;
    made.reason = reason;
    run_.processes.push_back(made);
    return run_.processes.back();
  }
  static void benchmark(result::Process& process, const std::string& id, result::Status status,
                        const std::string& reason) {
    if (!process.samples) process.samples.emplace().family = process.family;
    result::BenchmarkResult made;
    made.id = id;
    made.status = status;
    made.reason = reason;
    if (status == result::Status::ok) made.verifications = {{"compared", true, 0., 1.}};
    process.samples->benchmarks.push_back(made);
  }

  report::DeviceReport device() const {
    report::DeviceReport out;
    out.rounds = {run_};
    out.verdicts = judge::judge_physical(out.rounds);
    return out;
  }
  diagnose::Observation observation() const { return observe(device(), nullptr); }
  std::vector<std::string> causes() const { return causes_of(observation()); }

  result::Run run_;
};

TEST_F(ObserveFailures, AnXidOfTheMachineIsALineOfTheLogWithItsCount) {
  xids({119, 119, 64});
  EXPECT_THAT(observation().log, ElementsAre("Xid 64 of GPU-0, while it was measured",
                                             "Xid 119 of GPU-0, 2 times, while it was measured"));
  EXPECT_THAT(causes(), Contains("gsp_firmware"));
  EXPECT_THAT(causes(), Contains("hbm_row_remap"));
}

TEST_F(ObserveFailures, AnXidNamesItsOwnCauseOnly) {
  xids({79});
  EXPECT_THAT(causes(), ElementsAre("gpu_lost"));
}

TEST_F(ObserveFailures, FiguresThatAreAsBeforeDenyNoXid) {
  xids({119, 79});
  report::DeviceReport judged = device();
  baseline::Baseline before;
  before.runs = {run_};
  for (const char* const metric_class : {"launch", "init", "gemm16"}) {
    judge::Verdict& verdict = judged.verdicts.emplace_back();
    verdict.metric = std::string(metric_class) + "/x:time";
    verdict.metric_class = metric_class;
    verdict.kind = judge::VerdictKind::ok;
    verdict.value = verdict.baseline = 1;
  }
  std::vector<std::string> found;
  for (const diagnose::Finding& finding : diagnose::diagnose(observe(judged, &before)).findings)
    found.push_back(finding.cause);
  EXPECT_THAT(found, testing::UnorderedElementsAre("gsp_firmware", "gpu_lost"));
}

TEST_F(ObserveFailures, AnXidOfAProgramIsToldBesideAnErrorOnly) {
  xids({31});
  EXPECT_THAT(observation().log, IsEmpty());
  process("cublas", result::Status::failed, illegal_address);
  EXPECT_THAT(observation().log, ElementsAre("Xid 31 of GPU-0, while it was measured"));
}

TEST_F(ObserveFailures, AnotherGpusXidIsNoneOfThisOne) {
  run_.telemetry.push_back({"gpu:GPU-1", "xid", "1", {1}, {79}});
  EXPECT_THAT(observation().log, IsEmpty());
}

TEST_F(ObserveFailures, ACudaErrorHasItsNumberAndNoExplanation) {
  auto& failed = process("cublas", result::Status::failed, "gpugauge-bench-cublas ended with exit code 1.");
  benchmark(failed, "cublas/gemm/bf16", result::Status::failed, illegal_address);
  benchmark(failed, "cublas/gemm/fp32", result::Status::failed, illegal_address);
  const auto errors = observation().errors;
  ASSERT_EQ(errors.size(), 1u);  // the same number again says nothing new
  EXPECT_EQ(errors[0].api, "cuda");
  EXPECT_EQ(errors[0].code, diagnose::Value(700.));
  EXPECT_EQ(errors[0].text, "cublas/gemm/bf16: copying the result failed: cudaErrorIllegalAddress (700)");
  EXPECT_EQ(diagnose::diagnose(observation()).state, diagnose::State::unknown);
}

TEST_F(ObserveFailures, WhatTheSuiteExplainsOfANumberNamesNoCause) {
  const std::string mps =
      "creating a stream failed: cudaErrorMpsConnectionFailed (805): The process could not connect to the "
      "MPS control daemon. Start nvidia-cuda-mps-control -d again, or unset CUDA_MPS_PIPE_DIRECTORY.";
  EXPECT_EQ(error_in(mps).text, "creating a stream failed: cudaErrorMpsConnectionFailed (805)");
  process("launch", result::Status::failed, mps);
  EXPECT_THAT(causes(), ElementsAre("mps_connection_failed"));
}

TEST_F(ObserveFailures, AnotherLibrarysErrorHasItsName) {
  const diagnose::ErrorSeen cudnn = error_in("running failed: CUDNN_STATUS_EXECUTION_FAILED (5000): detail");
  EXPECT_EQ(cudnn.api, "cudnn");
  EXPECT_EQ(cudnn.code, diagnose::Value("CUDNN_STATUS_EXECUTION_FAILED"));
  const diagnose::ErrorSeen cublas = error_in("multiplying failed: CUBLAS_STATUS_ALLOC_FAILED (3): none");
  EXPECT_EQ(cublas.api, "");
  EXPECT_EQ(cublas.code, diagnose::Value("CUBLAS_STATUS_ALLOC_FAILED"));
}

TEST_F(ObserveFailures, WhatHasNoNumberIsTextOnly) {
  for (const char* const reason : {"wrong result: all of the rows", "ended with exit code (1)", "of (100)"}) {
    EXPECT_TRUE(error_in(reason).code.is_null()) << reason;
    EXPECT_EQ(error_in(reason).text, reason);
  }
}

TEST_F(ObserveFailures, TheLoadersWordsReachTheDiagnosis) {
  const std::string said =
      "gpugauge-bench-cudnn: error while loading shared libraries: libcudnn.so.9: cannot open shared object "
      "file: No such file or directory";
  auto& dead = process("cudnn", result::Status::failed,
                       "gpugauge-bench-cudnn ended with exit code 127; it said: " + said + ".");
  dead.output = "cudnn/conv/fp16   12 ns\n\n" + said + "\n";
  const auto seen = observation();
  EXPECT_THAT(seen.log, ElementsAre(said));
  ASSERT_EQ(seen.errors.size(), 1u);
  EXPECT_EQ(seen.errors[0].api, "loader");
  EXPECT_THAT(causes(), ElementsAre("missing_or_wrong_major_cudnn"));
}

TEST_F(ObserveFailures, WhatDisappearedMeanwhileIsAnErrorAndWhatWasNeverThereIsNone) {
  benchmark(process("launch", result::Status::ok, ""), "launch/empty", result::Status::ok, "");
  process("nccl", result::Status::unavailable, "needs 2 GPUs, and there is one.");
  EXPECT_THAT(observation().errors, IsEmpty());
  process("launch", result::Status::unavailable,
          "CUDA could not start: cudaErrorNoDevice (100): The driver works and shows this process no GPU.");
  ASSERT_EQ(observation().errors.size(), 1u);
  EXPECT_EQ(observation().errors[0].code, diagnose::Value(100.));
}

TEST_F(ObserveFailures, AFailedCheckWithoutAFigureIsTold) {
  run_.device = "links";
  run_.telemetry.push_back({"gpu:GPU-0", "lost", "1", {1}, {1}});
  report::DeviceReport judged;
  judged.rounds = {run_};
  judge::Verdict verdict;
  verdict.judge = judge::Judge::physical;
  verdict.kind = judge::VerdictKind::failed;
  verdict.metric = "links/nvlinks";
  verdict.reason =
      "GPU-0 has 16 of 18 NVLinks up that others on the same NVSwitches have: nvidia-smi nvlink -s "
      "names the links, Xid 74 and the fabric manager's log say why";
  judged.verdicts = {verdict};
  const auto errors = observe(judged, nullptr).errors;
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].text,
            "links/nvlinks: GPU-0 has 16 of 18 NVLinks up that others on the same NVSwitches have");
  judged.verdicts[0].advisory = true;
  EXPECT_THAT(observe(judged, nullptr).errors, IsEmpty());
}

TEST_F(ObserveFailures, ALostGpuIsNvmlsAnswer) {
  report::DeviceReport judged = device();
  judge::Verdict verdict;
  verdict.judge = judge::Judge::physical;
  verdict.kind = judge::VerdictKind::failed;
  verdict.metric = "gpu/lost";
  verdict.reason =
      "GPU-0 was lost while this was measured: NVML answers that the GPU is lost; look for its Xid "
      "in dmesg, and restart the machine or replace the card";
  judged.verdicts = {verdict};
  const auto found = diagnose::diagnose(observe(judged, nullptr));
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings.front().cause, "gpu_lost");
}

TEST_F(ObserveFailures, WhatAPolicyCallsAdvisoryIsLeftOut) {
  auto& failed = process("cublas", result::Status::failed, "ended with exit code 1.");
  benchmark(failed, "cublas/gemm/bf16", result::Status::failed, illegal_address);
  report::DeviceReport judged = device();
  for (judge::Verdict& verdict : judged.verdicts) verdict.advisory = true;
  EXPECT_THAT(observe(judged, nullptr).errors, IsEmpty());
}

TEST_F(ObserveFailures, AWrongResultAccusesNoSetting) {
  run_.fingerprint.settings = {
      {"gpu.0.mig", "on"}, {"gpu.0.persistence", "off"}, {"host.container", "docker"}};
  auto& failed = process("integrity", result::Status::failed, "1 of 1 benchmarks failed.");
  benchmark(failed, "integrity/sum", result::Status::failed, "wrong result: sums of all rows");
  EXPECT_THAT(causes(), IsEmpty());
}

TEST_F(ObserveFailures, RanksThatRefuseToBeginTogetherSayWhyAndAreTheCause) {
  for (const char* const what : {"NCCL", "The driver", "NCCL's network plugin",
                                 "The CUDA version of the driver", "NCCL's tuner plugin", "NCCL_ALGO"}) {
    run_.device = "links";
    run_.processes.clear();
    const std::string reason = std::string(what) +
                               " differs between ranks: 2.27.3 on rank 2 (n2), 2.28.9 on ranks 0-1, 3 (n1). "
                               "Install the same on all nodes.";
    result::Samples& samples = process("nccl", result::Status::unavailable, reason).samples.emplace();
    samples.family = "nccl";
    samples.status = result::Status::unavailable;
    samples.reason = reason;
    samples.context = {{"ranks.size", "4"}, {"ranks.nodes", "n1 n2"}};
    ASSERT_THAT(observation().errors, testing::SizeIs(1)) << what;
    EXPECT_EQ(observation().errors[0].text, reason);
    EXPECT_EQ(observation().about.nodes, 2);
    EXPECT_THAT(causes(), testing::ElementsAre("nccl_node_mismatch")) << what;
    samples.context["occupied"] = "true";
    EXPECT_THAT(observation().errors, IsEmpty()) << "a GPU that is in use is no fault";
  }
}

TEST_F(ObserveFailures, AFamilyThatIsInTheBaselineAndDoesNotBeginSaysWhy) {
  const std::string reason = "libnccl.so.2: cannot open shared object file: No such file or directory";
  process("nccl", result::Status::unavailable, reason);
  report::DeviceReport judged = device();
  baseline::Baseline before;
  before.runs = {run_};
  EXPECT_THAT(observe(judged, &before).errors, IsEmpty()) << "nobody missed it";
  judge::Verdict& missed = judged.verdicts.emplace_back();
  missed.judge = judge::Judge::baseline;
  missed.kind = judge::VerdictKind::missing;
  missed.metric = "nccl/all_reduce/256MiB:busbw";
  const auto errors = observe(judged, &before).errors;
  ASSERT_THAT(errors, testing::SizeIs(1));
  EXPECT_EQ(errors[0].api, "loader");
  EXPECT_EQ(errors[0].text, reason);
  judged.verdicts.back().advisory = true;
  EXPECT_THAT(observe(judged, &before).errors, IsEmpty());
}

}  // namespace
}  // namespace gpugauge::conductor
