// What replaying reports that nobody here had read showed: answers that were read backwards, facts that were
// not read, and sentences that were not so. Made-up reports, and beside them one that means another thing.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"

namespace gpugauge::diagnose {
namespace {
namespace taught {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

Diagnosis of(const std::string& text) {
  return diagnose(parse_observation(text, "taught"));
}

std::string best(const std::string& text) {
  const Diagnosis diagnosis = of(text);
  return diagnosis.findings.empty() ? "" : diagnosis.findings.front().cause;
}

/// The finding's score, 0 where it is none.
double score(const std::string& text, const std::string& cause) {
  for (const Finding& finding : of(text).findings)
    if (finding.cause == cause) return finding.score;
  return 0;
}

TEST(Taught, WhatRecoversWithoutGpudirectIsNotThatItIsOff) {
  const auto tried = [](const std::string& detail, const std::string& more = "") {
    return R"({"about": {"nodes": 2}, "metrics": [{"class": "coll_large", "factor": null}],
        "inventory": {"nccl.transport": "ib", "host.infiniband": true}, "probes": [{"name": "change_setting",
        "outcome": "recovers", "detail": ")" +
           detail + "\"}]" + more + "}";
  };
  for (const char* off : {"NCCL_NET_GDR_LEVEL=0", "NCCL_NET_GDR_LEVEL=LOC", "nvidia_peermem=unloaded",
                          "NCCL_DMABUF_ENABLE=0", "HPL_USE_NVSHMEM=0, NCCL_NET_GDR_LEVEL=0"}) {
    EXPECT_EQ(score(tried(off), "gdr_disabled"), 0) << off;
    EXPECT_EQ(best(tried(off)), "acs_enabled") << off;
    EXPECT_LT(score(tried(off), "acs_enabled"), confident) << "the IOMMU does the same";
    EXPECT_GT(score(tried(off), "iommu_translation"), 0) << off;
  }
  for (const char* on : {"NCCL_NET_GDR_LEVEL=SYS", "NCCL_NET_GDR_READ=1", "nvidia_peermem=loaded"})
    EXPECT_EQ(best(tried(on)), "gdr_disabled") << on;
}

TEST(Taught, ChannelsThatSayGdrdmaHaveIt) {
  const auto logged = [](const std::string& channel) {
    return R"({"about": {"nodes": 2}, "metrics": [{"class": "coll_large", "factor": 3}],
        "inventory": {"peermem.module": null, "nccl.transport": "ib", "host.infiniband": true},
        "log": ["n1:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0)" +
           channel + "\"]}";
  };
  EXPECT_EQ(score(logged("/GDRDMA"), "gdr_disabled"), 0);
  EXPECT_GT(score(logged(""), "gdr_disabled"), 0);
}

TEST(Taught, RedirectedCopiesMayHang) {
  const Diagnosis diagnosis = of(R"({"metrics": [{"class": "coll_large", "factor": null, "note": "hangs"}],
             "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "NCCL_P2P_DISABLE=1"}]})");
  std::vector<std::string> causes;
  for (const Finding& finding : diagnosis.findings) {
    causes.push_back(finding.cause);
    for (const Excluded& other : finding.excluded)
      EXPECT_FALSE(other.cause == "acs_enabled" && other.why == "something fails, and it only slows");
  }
  EXPECT_THAT(causes, Contains("acs_enabled"));
}

/// JAX says so where its CUDA part is there and fails to load, too.
TEST(Taught, ABuildWithCudaIsNotTheProcessors) {
  const auto jax = [](const std::string& build, const std::string& path) {
    return R"({"metrics": [{"class": "application", "note": "runs on the processor, slow"}],
        "telemetry": {"ran_on": "cpu"}, "inventory": {"framework.name": "jax", "framework.build": ")" +
           build + R"("}, "environment": {"LD_LIBRARY_PATH": ")" + path +
           R"("}, "log": ["RuntimeError: Unable to load cuSPARSE. Is it installed?",
               "a CUDA-enabled jaxlib is not installed. Falling back to cpu.", "nvidia-nvjitlink-cu12==12.9.41"]})";
  };
  const std::string older = "/opt/cudnn-8.9_cuda12/lib:/opt/cuda/12.1.0/lib64";
  EXPECT_EQ(best(jax("cuda", older)), "mixed_library_versions");
  EXPECT_LT(score(jax("cuda", older), "mixed_library_versions"), confident);
  EXPECT_EQ(best(jax("cuda", "/usr/local/cuda-12.9/lib64")), "") << "the same CUDA";
  EXPECT_EQ(best(jax("cuda", "/opt/nccl_2.18.3-1+cuda12.1_x86_64/lib")), "")
      << "another library, built for it";
  EXPECT_EQ(best(jax("cuda", "/usr/local/cuda-11.8/lib64")), "") << "libraries of other names";
  EXPECT_EQ(score(jax("cuda", ""), "cpu_only_wheel"), 0);
}

TEST(Taught, TheNextStepNamesNoOtherFramework) {
  const Diagnosis diagnosis =
      of(R"({"metrics": [{"class": "application", "note": "slow"}], "inventory": {"framework.name": "jax"},
             "log": ["No GPU/TPU found, falling back to CPU."]})");
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_THAT(diagnosis.findings.front().next.front(), HasSubstr("import jax"));
}

TEST(Taught, AMachineWithSwitchesMayOnlyWaitForThem) {
  const auto refused = [](const std::string& gpu, const std::string& more = "") {
    return R"({"about": {"gpu": ")" + gpu + R"("}, "metrics": [{"class": "init", "factor": null}],
        "errors": [{"api": "driver", "text": "No CUDA devices"}],
        "probes": [{"name": "nvml_query", "outcome": "normal"}])" +
           more + "}";
  };
  EXPECT_EQ(best(refused("NVIDIA A100-SXM4-80GB")), "fabric_manager_down");
  EXPECT_LT(score(refused("NVIDIA A100-SXM4-80GB"), "fabric_manager_down"), confident);
  EXPECT_LT(score(refused("NVIDIA A100-SXM4-80GB"), "no_visible_device"), confident);
  EXPECT_EQ(best(refused("NVIDIA A100-PCIE-40GB")), "no_visible_device");
  const std::string hidden = R"(, "environment": {"CUDA_VISIBLE_DEVICES": ""})";
  EXPECT_EQ(best(refused("NVIDIA A100-SXM4-80GB", hidden)), "no_visible_device");
}

TEST(Taught, OneErrorIsOnePieceOfEvidence) {
  const Diagnosis diagnosis = of(
      R"({"metrics": [{"class": "init", "factor": null}], "errors": [{"api": "driver", "text": "No CUDA devices"}],
             "probes": [{"name": "nvml_query", "outcome": "normal"}]})");
  ASSERT_FALSE(diagnosis.findings.empty());
  for (const Finding& finding : diagnosis.findings) {
    const auto tells = std::count_if(finding.evidence.begin(), finding.evidence.end(), [](const auto& text) {
      return text.find("No CUDA devices") != std::string::npos;
    });
    EXPECT_LE(tells, 1) << finding.cause;
  }
}

TEST(Taught, BetweenMachinesThereIsTheNetwork) {
  const auto run = [](int nodes) {
    return fmt::format(R"({{"about": {{"gpus": 8, "nodes": {}, "compared_with": "other_configuration"}},
        "metrics": [{{"class": "application", "factor": 2.9, "note": "1 h 45 min on two, 36 min on one"}}]}})",
                       nodes);
  };
  EXPECT_EQ(best(run(2)), "");
  EXPECT_EQ(best(run(1)), "acs_enabled");
}

TEST(Taught, AnMpsThatCannotBeReachedIsNoNeighbour) {
  const auto failed = [](const std::string& error) {
    return R"({"metrics": [{"class": "init", "factor": null}], "errors": [)" + error + "]}";
  };
  EXPECT_EQ(best(failed(R"({"api": "cuda", "code": 805})")), "mps_connection_failed");
  const std::string text =
      failed(R"({"text": "MPS client failed to connect to the MPS control daemon or the MPS server"})");
  EXPECT_EQ(best(text), "mps_connection_failed");
  EXPECT_EQ(score(text, "neighbour_process"), 0);
  EXPECT_NE(best(failed(R"({"api": "cuda", "code": 100})")), "mps_connection_failed");
}

TEST(Taught, UncorrectedErrorsAsTheyArePrinted) {
  const auto seen = [](const std::string& more) {
    return R"({"metrics": [{"class": "alloc", "factor": null}], )" + more + "}";
  };
  for (const char* line : {"GPU 1: Volatile Uncorr. ECC 1", "DRAM Uncorrectable : 2",
                           "ecc.errors.uncorrected.volatile.total, 3"})
    EXPECT_EQ(best(seen(fmt::format(R"("log": ["{}"])", line))), "hbm_row_remap") << line;
  for (const char* line :
       {"GPU 1: Volatile Uncorr. ECC 0", "DRAM Uncorrectable : N/A", "Volatile Uncorr. ECC"})
    EXPECT_EQ(best(seen(fmt::format(R"("log": ["{}"])", line))), "") << line;
  EXPECT_EQ(best(seen(R"("inventory": {"gpu.ecc_uncorrected": 1})")), "hbm_row_remap");
  EXPECT_EQ(best(seen(R"("inventory": {"gpu.ecc_uncorrected": 0})")), "");
}

TEST(Taught, AFrameworkForACudaThatDoesNotKnowTheGpu) {
  const auto built = [](const char* cuda) {
    return fmt::format(R"({{"about": {{"compute_capability": "8.6", "compared_with": "peers"}},
        "metrics": [{{"class": "application", "note": "slower than on an older card"}}],
        "inventory": {{"framework.name": "torch", "framework.cuda": "{}"}}}})",
                       cuda);
  };
  EXPECT_EQ(best(built("11.0")), "old_toolkit_codegen");
  EXPECT_EQ(best(built("11.1")), "");
}

std::vector<std::string> asked(const std::string& text) {
  std::vector<std::string> out;
  for (const Needed& one : of(text).needed) out.push_back(one.cause);
  return out;
}

TEST(Taught, SlowCopiesAreAskedForWhatSlowsCopies) {
  const auto causes = asked(R"({"metrics": [{"class": "h2d", "factor": 3}]})");
  EXPECT_THAT(causes, testing::IsSubsetOf({"pcie_link_degraded", "numa_misplacement", "pageable_memory"}));
  EXPECT_EQ(causes.size(), 3U);
}

TEST(Taught, CopiesThatVaryOnTwoSockets) {
  const auto copies = [](const char* spread, const char* machine) {
    return fmt::format(R"({{"metrics": [{{"class": "h2d", "factor": 3, "spread": {}}}], "log": ["{}"]}})",
                       spread, machine);
  };
  EXPECT_EQ(best(copies("0.35", "2 x AMD EPYC 7543 32-Core Processor")), "numa_misplacement");
  EXPECT_EQ(best(copies("0.35", "AMD EPYC 7543 32-Core Processor")), "");
  EXPECT_EQ(best(copies("0.01", "2 x AMD EPYC 7543 32-Core Processor")), "");
}

TEST(Taught, WhatIsExcludedIsNotAskedFor) {
  for (const char* text :
       {R"({"metrics": [{"class": "application", "factor": 1.12}], "telemetry": {"drift": "worse_with_time"},
            "probes": [{"name": "repeat_in_fresh_process", "outcome": "recovers"}]})",
        R"({"about": {"nodes": 1}, "metrics": [{"class": "coll_large", "factor": null}]})",
        R"({"metrics": [{"class": "init", "factor": null}], "errors": [{"api": "cuda", "code": 999}]})"}) {
    const Diagnosis diagnosis = of(text);
    for (const Excluded& excluded : diagnosis.excluded)
      EXPECT_THAT(diagnosis.needed, Not(Contains(Field(&Needed::cause, excluded.cause)))) << text;
  }
}

TEST(Taught, AModelThatLeftTheGpu) {
  const auto updated = [](const std::string& more) {
    return R"({"changed": {"application": [null, "update"]}, "metrics": [{"class": "application",
        "note": "slow; models are no longer loaded into GPU memory"}])" +
           more + "}";
  };
  const std::string lower = R"(, "telemetry": {"moved": {"memory_used_mib": "lower"}})";
  for (const char* cause : {"cpu_only_wheel", "built_without_cuda"}) {
    EXPECT_GE(score(updated(lower), cause), .6) << cause;
    EXPECT_LT(score(updated(lower), cause), confident) << cause;
  }
  EXPECT_EQ(score(updated(lower + R"(, "inventory": {"framework.build": "cuda"})"), "cpu_only_wheel"), 0);
  EXPECT_EQ(best(updated(R"(, "telemetry": {"moved": {"memory_used_mib": "higher"}})")),
            "app_kernel_regression");
}

TEST(Taught, AContainerThatWasGivenNoSharedMemory) {
  const auto full = [](const std::string& command, const std::string& error) {
    return R"({"metrics": [{"class": "application", "factor": null}], "log": [")" + command +
           R"("], "errors": [{"api": "framework", "text": ")" + error + "\"}]}";
  };
  const std::string error = "OSError: [Errno 28] No space left on device";
  EXPECT_EQ(best(full("docker run --gpus all image", error)), "shm_too_small");
  EXPECT_LT(score(full("docker run --gpus all image", error), "shm_too_small"), .5);
  EXPECT_EQ(best(full("docker run --shm-size=64g --gpus all image", error)), "");
  EXPECT_EQ(best(full("docker run --ipc=host image", error)), "");
  EXPECT_EQ(best(full("docker run --gpus all image", error + ": '/data/out.bin'")), "");
  EXPECT_EQ(best(full("docker run --gpus all image", "OSError: [Errno 2] No such file")), "");
}

TEST(Taught, WhatAProfilerToldIsNoProfiler) {
  const auto amp = [](const std::string& line) {
    return R"({"metrics": [{"class": "application", "scope": {"dtype": "fp16"}, "note": "slower than in fp32"}],
        "log": [")" +
           line + "\"]}";
  };
  EXPECT_EQ(best(amp("nvprof: no kernel with s884 in its name")), "tc_not_selected_for_shape");
  EXPECT_EQ(best(amp("nvprof: 40% of the time in volta_sgemm")), "");
  EXPECT_EQ(best(amp("==5431== NVPROF is profiling process 5431")), "profiler_attached");
}

TEST(Taught, AnImageIsSeveralComponents) {
  EXPECT_THAT(std::string(find_signature("stack_upgrade_mixed")->title), HasSubstr("image"));
}

TEST(Taught, AnInstanceThatTheProgramAskedFor) {
  const auto on = [](const std::string& environment) {
    return R"({"metrics": [{"class": "framework_op", "factor": null}, {"class": "application", "factor": 1.0}],
        "inventory": {"gpu.mig": true}, "environment": {)" +
           environment + "}}";
  };
  EXPECT_EQ(
      score(on(R"("CUDA_VISIBLE_DEVICES": "MIG-feee0c61-26ec-5616-bb59-b6d777cc4f34")"), "mig_left_enabled"),
      0);
  EXPECT_GT(score(on(""), "mig_left_enabled"), 0);
}

TEST(Taught, SlowerWithTimeAndFineAfterARestart) {
  const std::string slower = R"({"metrics": [{"class": "application", "factor": 1.12}],
      "telemetry": {"drift": "worse_with_time"}, "probes": [{"name": "repeat_in_fresh_process", "outcome": ")";
  EXPECT_LT(score(slower + R"(recovers"}]})", "thermal_throttle"), .5);
  EXPECT_EQ(best(slower + R"(slow"}]})"), "");
}

TEST(Taught, ATimerThatDoesNotWait) {
  const auto timed = [](const std::string& code) {
    return R"({"metrics": [{"class": "h2d", "note": "extremely long"}], "inventory": {"framework.name": "torch"},
        "log": [")" +
           code + "\"]}";
  };
  EXPECT_EQ(best(timed("start = time.time(); x = x.to(device); t += time.time() - start")),
            "measurement_method");
  EXPECT_EQ(best(timed(
                "start = time.time(); x = x.to(device); torch.cuda.synchronize(); t += time.time() - start")),
            "");
  EXPECT_EQ(best(timed("start = time.time(); batch = next(loader); t += time.time() - start")), "");
}

TEST(Taught, NoArticleBeforeAModel) {
  const Diagnosis diagnosis =
      of(R"({"about": {"gpu": "A100-SXM4-80GB"}, "metrics": [{"class": "init", "factor": null}],
      "errors": [{"api": "cuda", "code": 802}]})");
  ASSERT_FALSE(diagnosis.findings.empty());
  for (const std::string& text : diagnosis.findings.front().evidence)
    EXPECT_THAT(text, Not(HasSubstr("a A100")));
}

TEST(Taught, AVersionThatCannotBeUsedIsNotAbsent) {
  const auto refused = [](const std::string& why) {
    return R"({"metrics": [{"class": "conv", "factor": null}], "errors": [{"api": "loader",
        "text": "Could not load library libcudnn_cnn_train.so.8. Error: )" +
           why + "\"}]}";
  };
  const std::string symbol = "/opt/cuda/lib64/libcudnn_cnn_train.so.8: undefined symbol: _ZN5cudnn3cnn";
  EXPECT_EQ(best(refused(symbol)), "mixed_library_versions");
  EXPECT_EQ(score(refused(symbol), "missing_or_wrong_major_cudnn"), 0);
  EXPECT_EQ(best(refused("cannot open shared object file")), "missing_or_wrong_major_cudnn");
}

}  // namespace taught
}  // namespace
}  // namespace gpugauge::diagnose
