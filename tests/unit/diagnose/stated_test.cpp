// What a line of a log or a text denies, counts none of, or only holds the words and numbers of. Made-up
// lines, and beside them those that a kernel, a loader or CUDA writes.
#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"
#include "diagnose/error_codes.hpp"

namespace gpugauge::diagnose {
namespace {

using ::testing::Contains;
using ::testing::Not;

/// Two figures that are as they were, and one line of a log.
Diagnosis beside_unchanged(const std::string& line) {
  Observation seen = parse_observation(
      R"({"metrics": [{"class": "gemm16", "factor": 1.0}, {"class": "hbm", "factor": 1.0}]})", "stated");
  seen.log = {line};
  return diagnose(seen);
}

std::vector<std::string> causes_of(const Observation& seen) {
  std::vector<std::string> out;
  for (const Finding& finding : diagnose(seen).findings) out.push_back(finding.cause);
  return out;
}

/// An error of this text, and nothing else.
Observation error_that_says(const std::string& text) {
  Observation out;
  out.errors = {{"", {}, text}};
  return out;
}

TEST(Stated, APatternStaysWithinItsLine) {
  EXPECT_FALSE(contains("libcudart.so.11.0 opened\nlibx.so: cannot open", "libcudart*cannot open"));
  EXPECT_TRUE(contains("libcudart opened\nlibcudart.so: cannot open", "libcudart*cannot open"));
  EXPECT_FALSE(contains_any_affirmed("no heat\nslow at once", {"heat*at once"}));
}

TEST(Stated, ATildeIsTheRestOfAFilesName) {
  EXPECT_TRUE(
      contains("ImportError: libcublasLt.so.12: cannot open shared object file", "libcublas~: cannot open"));
  EXPECT_TRUE(contains("libcudart.so opened, libcudart.so.12: cannot open", "libcudart~: cannot open"));
  EXPECT_FALSE(contains("opened libcudart.so.11.0, libnvinfer.so.7: cannot open", "libcudart~: cannot open"));
}

TEST(Stated, ADenialStandsBeforeOrBehind) {
  for (const char* text :
       {"no GPU has fallen off the bus", "GPU fallen off the bus: none", "GPU fallen off the bus = false",
        "GPU fallen off the bus: 0", "GPU fallen off the bus: N/A", "never has it fallen off the bus",
        "\"fallen off the bus\": no, and all is well", "fallen off the bus count 0"})
    EXPECT_FALSE(contains_any_stated(text, {"fallen off the bus"})) << text;
  for (const char* text :
       {"GPU has fallen off the bus.", "no answer, fallen off the bus", "fallen off the bus: no such device",
        "fallen off the bus: 0000:01:00.0", "it does not answer and has fallen off the bus",
        "no GPU has fallen off the bus; GPU 1 has fallen off the bus", "no such GPU, fallen off the bus"})
    EXPECT_TRUE(contains_any_stated(text, {"fallen off the bus"})) << text;
}

TEST(Stated, OnlyWordsOfCountingStandBeforeAnAnswer) {
  for (const char* text :
       {"fallen off the bus recoverable: no", "fallen off the bus gpu=0", "fallen off the bus pid=None",
        "fallen off the bus: None of the devices could be opened", "fallen off the bus: none is left",
        "fallen off the bus index = 0"})
    EXPECT_TRUE(contains_any_stated(text, {"fallen off the bus"})) << text;
  for (const char* text : {"fallen off the bus detected: no", "fallen off the bus events seen: 0",
                           "fallen off the bus errors: none in 79 hours", "fallen off the bus found = none."})
    EXPECT_FALSE(contains_any_stated(text, {"fallen off the bus"})) << text;
  EXPECT_FALSE(contains_any_affirmed("throttle reasons: none", {"throttl"}));
}

TEST(Stated, ADenialIsOfWhatFollowsIt) {
  for (const char* text :
       {"GPU is not responding error", "Rank zero reported error", "node zero error",
        "Will not retry failed error", "job did not start error", "it died without warning error 719"})
    EXPECT_TRUE(contains_any_stated(text, {"error"})) << text;
  for (const char* text :
       {"that is not an error", "there has not been an error", "it did not report error 719",
        "zero GPU error", "done without any error", "no warning or error"})
    EXPECT_FALSE(contains_any_stated(text, {"error"})) << text;
  EXPECT_TRUE(contains_any_stated("did not find libcudnn.so.9: cannot open shared object file",
                                  {"libcudnn~: cannot open"}))
      << "the pattern says itself that it is missing";
}

TEST(Stated, ALongLineTakesLinearTime) {
  for (const std::string piece : {"no error ", "error count 0, ", "error: none. "}) {
    std::string line;
    while (line.size() < 300'000) line += piece;
    EXPECT_FALSE(contains_any_stated(line, {"error"})) << piece;
  }
}

TEST(Stated, LinesThatDenyAreNeitherProofNorHarm) {
  for (const char* line :
       {"no GPU has fallen off the bus", "GPU fallen off the bus: none", "no Xid 79 in the last day",
        "Xids seen: none (79, 48 watched)", "NVML Driver/library version mismatch: no",
        "No GSP firmware timeout, Xid 119 count 0", "    Remapping Failure Occurred          : No",
        "    Remapping Failure Occurred          : N/A",
        "nvidia: module verification failed: signature and/or required key missing - tainting kernel"}) {
    const Diagnosis diagnosis = beside_unchanged(line);
    EXPECT_EQ(diagnosis.state, State::healthy) << line;
    EXPECT_TRUE(diagnosis.findings.empty()) << line;
  }
}

TEST(Stated, LinesThatTellOfAFaultStillDo) {
  for (const auto& [line, cause] : std::vector<std::pair<std::string, std::string>>{
           {"NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.", "gpu_lost"},
           {"NVRM: Xid (PCI:0000:01:00): 79, pid=0, GPU has fallen off the bus.", "gpu_lost"},
           {"Xid 79 on GPU 1", "gpu_lost"},
           {"NVML Driver/library version mismatch: 580.65", "umd_kmd_mismatch"},
           {"NVRM: Xid (PCI:0000:01:00): 119, Timeout waiting for RPC from GSP!", "gsp_firmware"},
           {"    Remapping Failure Occurred          : Yes", "hbm_row_remap"},
           {"Xid 79 gpu=0", "gpu_lost"},
           {"GPU has fallen off the bus recoverable: no", "gpu_lost"},
           {"cudaErrorECCUncorrectable device=0", "hbm_row_remap"},
           {"NVML_ERROR_GPU_IS_LOST index=0", "gpu_lost"},
           {"Xid 79 recovered: no", "gpu_lost"},
           {"XID 79 resolved: false", "gpu_lost"},
           {"Xid 79 process=None", "gpu_lost"},
           {"Xid 79 pid=0", "gpu_lost"},
           {"GPU is not responding Xid 79", "gpu_lost"},
           {"node died without warning Xid 79", "gpu_lost"},
           {"NVRM: Xid (0000:01:00): 79", "gpu_lost"},
           {"Xid (GPU 0000:01:00): 79", "gpu_lost"}}) {
    const Diagnosis diagnosis = beside_unchanged(line);
    ASSERT_FALSE(diagnosis.findings.empty()) << line;
    EXPECT_EQ(diagnosis.findings.front().cause, cause) << line;
  }
  EXPECT_EQ(beside_unchanged("NCCL call to connect failed : 0").state, State::unknown);
  EXPECT_EQ(beside_unchanged("not enough memory error").state, State::unknown);
  for (const char* line :
       {"NCCL error rank=0, peer 3", "watchdog timeout rank=0", "error: None of the devices could be opened",
        "Failed: none of the providers is available", "GPU is not responding Xid 9999",
        "node died without warning Xid 9999", "Rank zero reported error", "Will not retry failed allocation",
        "job did not start error"})
    EXPECT_EQ(beside_unchanged(line).state, State::unknown) << line;
}

TEST(Stated, EachXidOfALineIsRead) {
  EXPECT_TRUE(tells_xid("Xid 13 was before, then Xid: 79", {79}));
  EXPECT_TRUE(tells_xid("no Xid 48, but NVRM: Xid (PCI:0000:01:00): 79, pid=1", {79}));
  EXPECT_FALSE(tells_xid("Xid errors: none in 79 hours", {79}));
  EXPECT_FALSE(tells_xid("Xid (PCI:0000:79:00): 48", {79}));
  EXPECT_FALSE(tells_xid("Xid (0000:79:00): 48", {79}));
  EXPECT_TRUE(tells_xid("NVRM: Xid (0000:01:00): 79", {79}));
  EXPECT_TRUE(tells_xid("Xid (GPU 0000:01:00): 79", {79}));
  EXPECT_TRUE(tells_xid("Xid (79): GPU has fallen off the bus", {79}));
  EXPECT_TRUE(tells_xid("GPU was not found Xid 79", {79}));
  EXPECT_TRUE(tells_xid("rank zero Xid 79", {79}));
  for (const char* text : {"no Xid 79", "without Xid 79", "zero Xid 79", "no new Xid 79",
                           "it did not see Xid 79", "without any Xid 79"})
    EXPECT_FALSE(tells_xid(text, {79})) << text;
}

TEST(Stated, ANumberIsAnErrorsWhereItIsCalledOne) {
  for (const char* text :
       {"CUDA error 100", "error code: 100 (no CUDA-capable device)", "cudart init failure: 100",
        "cudaSetDevice err: 100", "cuInit(0) -> 100", "cuInit returned 100", "cudaErrorNoDevice (100)",
        "Error 100: no CUDA-capable device is detected", "failed call to cuInit: UNKNOWN ERROR (100)",
        "CUDA call failed with status 100", "error 100 no CUDA-capable device is detected",
        "cudaGetDeviceCount failed with 100"})
    EXPECT_TRUE(tells_code(text, 100)) << text;
  for (const char* text : {"expected status 100 samples from cuda loader", "error 100 times",
                           "an NVIDIA A100 gave an error", "cuda error at a.cu:100", "returned 100",
                           "exit code 100 of the cuda program", "error after 100 ms", "error 100ms later"})
    EXPECT_FALSE(tells_code(text, 100)) << text;
  for (const char* text :
       {"error 802 persists after reboot", "error 802 unless rebooted", "CUresult 802 across all ranks",
        "CUDA error 802 occurs after an hour", "cuInit returned 802 unless rebooted",
        "cuda call failed, status 802", "CUDA_ERROR_SYSTEM_NOT_READY, 802", "cudaErrorSystemNotReady, 802",
        "CUDA error: system not yet initialized (802)",
        "CUDA error: system not yet initialized (802) at x.cu:33", "ret=802 from cuInit"})
    EXPECT_TRUE(tells_code(text, 802)) << text;
  for (const char* text : {"error: 802 rows", "CUDA error, 802 items", "cuda is up, exit status 802",
                           "http status 802 beside cuda", "CUDA error: buffer of (802) lines",
                           "error: no room (802)", "cuda call failed\nstatus 802"})
    EXPECT_FALSE(tells_code(text, 802)) << text;
  EXPECT_TRUE(tells_code("CUDA error 35 means the driver is too old", 35));
  EXPECT_FALSE(tells_code("cuda call failed, status 35", 35)) << "a small number is called one more closely";
  EXPECT_TRUE(tells_code("error 35", 35));
  EXPECT_TRUE(tells_code("cudaGetDeviceCount returned 35", 35));
  EXPECT_FALSE(tells_code("returned 35 rows", 35));
  EXPECT_FALSE(tells_code("error 350", 35));
  EXPECT_FALSE(tells_code("cudaError count 0, status 803 items", 803));
}

TEST(Stated, NumbersOfOtherThingsNameNoCause) {
  EXPECT_THAT(causes_of(error_that_says("returned 35 rows")), Not(Contains("driver_too_old")));
  EXPECT_THAT(causes_of(error_that_says("expected status 100 samples from cuda loader")),
              Not(Contains("no_visible_device")));
  EXPECT_THAT(causes_of(error_that_says("cudaError count 0, status 803 items")),
              Not(Contains("umd_kmd_mismatch")));
  EXPECT_THAT(causes_of(error_that_says("requires driver version 525 or newer: ok, found 580")),
              Not(Contains("driver_too_old")));
  EXPECT_THAT(causes_of(error_that_says("requires driver version 525 or newer")), Contains("driver_too_old"));
  EXPECT_THAT(causes_of(error_that_says("CUDA error 35 means it is old")), Contains("driver_too_old"));
  EXPECT_THAT(causes_of(error_that_says("cuda call failed, status 803")), Contains("umd_kmd_mismatch"));
}

TEST(Stated, ALibraryThatOpenedIsNotTheOneThatDidNot) {
  const std::string opened = "Successfully opened dynamic library libcudart.so.11.0";
  const std::string other =
      "Could not load dynamic library 'libnvinfer.so.7'; dlerror: libnvinfer.so.7: cannot open shared object "
      "file: No such file or directory";
  EXPECT_THAT(causes_of(error_that_says(opened + " " + other)), Not(Contains("missing_cuda_libraries")));
  EXPECT_THAT(causes_of(error_that_says(opened + "\n" + other)), Not(Contains("missing_cuda_libraries")));
  EXPECT_THAT(causes_of(error_that_says("libcublas.so.12: cannot open shared object file")),
              Contains("missing_cuda_libraries"));
  EXPECT_THAT(causes_of(error_that_says("did not find libcublas.so.12: cannot open shared object file")),
              Contains("missing_cuda_libraries"));
}

TEST(Stated, ANvmlThatDoesNotAnswerCountsOnce) {
  const Diagnosis diagnosis = diagnose(parse_observation(
      R"({"inventory": {"driver.kernel_module_version": "absent"}, "errors": [{"text": "it ended"}],
          "probes": [{"name": "nvml_query", "outcome": "fails"}]})",
      "stated"));
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().cause, "kernel_module_missing");
  EXPECT_EQ(diagnosis.findings.front().score, .5);
}

}  // namespace
}  // namespace gpugauge::diagnose
