// From a check to its observation, and from there to the cause: the host's faults as a check sees them.
#include "conductor/host_load.hpp"
#include "unit/conductor/observe_fixture.hpp"

namespace gpugauge::conductor {
namespace {

using testing::Contains;
using testing::Not;

TEST_F(Observe, TurnsVerdictsIntoSlownessWhicheverWayIsBetter) {
  slow_host();
  verdict("launch", judge::VerdictKind::ok, 1.04, 1);
  verdict("sync", judge::VerdictKind::inconclusive, 1.2, 1);
  const diagnose::Observation seen = observation();
  ASSERT_EQ(seen.metrics.size(), 3u);
  EXPECT_DOUBLE_EQ(*seen.metrics[0].factor, 2);
  EXPECT_DOUBLE_EQ(*seen.metrics[1].factor, 2);
  EXPECT_DOUBLE_EQ(*seen.metrics[2].factor, 1);  // within its tolerance: unchanged
  EXPECT_EQ(seen.about.compared_with, "earlier");
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(seen), "again"), seen);
}

TEST_F(Observe, LeavesOutWhatIsAdvisory) {
  verdict("host_cpu", judge::VerdictKind::regressed, 2, 1);
  device_.verdicts.back().advisory = true;
  EXPECT_TRUE(observation().metrics.empty());
}

TEST_F(Observe, SaysThatABenchmarkDoesNotRun) {
  verdict("hbm", judge::VerdictKind::failed);
  device_.verdicts.back().value.reset();
  ASSERT_EQ(observation().metrics.size(), 1u);
  EXPECT_TRUE(observation().metrics[0].fails);
}

TEST_F(Observe, CountsWhatIsFarBelowAPhysicalLimitAsSlower) {
  verdict("host_cpu", judge::VerdictKind::failed, .3);
  device_.verdicts.back().judge = judge::Judge::physical;
  device_.verdicts.back().share = .25;
  ASSERT_EQ(observation().metrics.size(), 1u);
  EXPECT_DOUBLE_EQ(*observation().metrics[0].factor, 4);
  counters()["other_cpu_seconds"] = 60;
  EXPECT_EQ(best(), "cpu_contention");
}

TEST_F(Observe, NamesTheKernelsOfSlowProductsOnTensorCoresOnly) {
  const auto benchmark = [](const std::string& id, const std::string& metric_class,
                            const std::string& kernel) {
    result::BenchmarkResult made;
    made.id = id;
    made.notes["kernel"] = kernel;
    made.metrics.emplace_back().name = "throughput";
    made.metrics.back().metric_class = metric_class;
    return made;
  };
  now().processes.front().samples.emplace();
  now().processes.front().samples->benchmarks = {benchmark("host/gemm16", "gemm16", "ampere_sgemm_128x64_nn"),
                                                 benchmark("host/sound", "gemm16", "nvjet_tst_128x256"),
                                                 benchmark("host/gemm32", "gemm32", "ampere_sgemm_64x64_tn")};
  EXPECT_TRUE(observation().kernels.empty());
  verdict("gemm32", judge::VerdictKind::regressed, 1, 2, result::Direction::higher);
  EXPECT_TRUE(observation().kernels.empty());
  verdict("gemm16", judge::VerdictKind::regressed, 1, 2, result::Direction::higher);
  EXPECT_THAT(observation().kernels, testing::ElementsAre("ampere_sgemm_128x64_nn"));
  verdict("gemm16", judge::VerdictKind::failed, 100);
  device_.verdicts.back().metric = "tensor_cores/gemm16";
  EXPECT_THAT(observation().kernels, testing::ElementsAre("ampere_sgemm_128x64_nn", "nvjet_tst_128x256"));
  // What is told to be on CUDA cores is enough, and the suite's own kernels say nothing of a library.
  std::vector<result::BenchmarkResult>& all = now().processes.front().samples->benchmarks;
  all.push_back(benchmark("gemm/bf16/wgmma", "gemm16", "wgmma_kernel"));
  all.front().notes["kernel_path"] = "simt";
  EXPECT_THAT(observation().kernels, testing::ElementsAre("ampere_sgemm_128x64_nn"));
}

TEST_F(Observe, KnowsABenchmarkWhoseIdHoldsAColon) {
  result::BenchmarkResult made;
  made.id = "host/product/threads:4";
  made.notes = {{"kernel", "ampere_sgemm_128x64_nn"}, {"library", "cublaslt"}};
  made.metrics.emplace_back().metric_class = "gemm16";
  now().processes.front().samples.emplace().benchmarks = {made};
  verdict("gemm16", judge::VerdictKind::regressed, 1, 2, result::Direction::higher);
  device_.verdicts.back().metric = made.id + ":throughput";
  EXPECT_THAT(observation().kernels, testing::ElementsAre("ampere_sgemm_128x64_nn"));
  ASSERT_EQ(observation().metrics.size(), 1U);
  EXPECT_EQ(observation().metrics.front().scope.library, "cublaslt");
}

TEST_F(Observe, AQuietCheckHasNoFinding) {
  verdict("host_cpu", judge::VerdictKind::ok);
  verdict("host_memory", judge::VerdictKind::ok);
  EXPECT_THAT(causes(), testing::IsEmpty());
  EXPECT_EQ(diagnose::diagnose(observation()).state, diagnose::State::healthy);
}

TEST_F(Observe, ABusyMachineWithoutSlownessHasNoFinding) {
  verdict("host_cpu", judge::VerdictKind::ok);
  counters()["other_cpu_seconds"] = 60;
  now().fingerprint.settings["host.governor"] = "powersave";
  EXPECT_THAT(causes(), testing::IsEmpty());
}

TEST_F(Observe, NamesThrottlingByAControlGroup) {
  slow_host();
  counters()["cgroup_throttled_periods"] = 80;
  counters()["pressure_cpu_seconds"] = 4;
  now().fingerprint.settings["host.cgroup_cpu_limit"] = "0.5";
  EXPECT_EQ(best(), "cgroup_cpu_limit");
}

TEST_F(Observe, NamesOtherWorkOnTheProcessorsAndTheirMemory) {
  slow_host();
  counters()["other_cpu_seconds"] = 40;
  counters()["pressure_cpu_seconds"] = 6;
  EXPECT_EQ(best(), "cpu_contention");
  EXPECT_THAT(causes(), Not(Contains("cgroup_cpu_limit")));
}

TEST_F(Observe, NamesTimeTakenByTheHypervisor) {
  slow_host();
  counters()["steal_seconds"] = 3;
  EXPECT_EQ(best(), "cpu_contention");
}

TEST_F(Observe, DoesNotBlameALoadThatWasThereBefore) {
  slow_host();
  counters()["other_cpu_seconds"] = 30;
  before_.runs.front().processes.front().host["other_cpu_seconds"] = 30;
  EXPECT_THAT(causes(), Not(Contains("cpu_contention")));
}

TEST_F(Observe, KnowsWhetherTheProcessorsWereAsBusyBefore) {
  auto& then = before_.runs.front().processes.front().host;
  EXPECT_FALSE(was_as_contended(before_, device_.rounds)) << "quiet both times";
  counters()["pressure_cpu_seconds"] = 5.2;
  EXPECT_FALSE(was_as_contended(before_, device_.rounds)) << "only now";
  then["pressure_cpu_seconds"] = 5;
  EXPECT_TRUE(was_as_contended(before_, device_.rounds));
  counters()["steal_seconds"] = 3;
  EXPECT_FALSE(was_as_contended(before_, device_.rounds)) << "time is stolen only now";
  counters()["steal_seconds"] = 0;
  counters()["pressure_cpu_seconds"] = 8.1;
  EXPECT_FALSE(was_as_contended(before_, device_.rounds)) << "clearly more now";
  counters()["pressure_cpu_seconds"] = 0;
  EXPECT_TRUE(was_as_contended(before_, device_.rounds)) << "less now explains nothing that is slower";
}

TEST_F(Observe, NamesTheGovernor) {
  slow_host();
  now().fingerprint.settings["host.governor"] = "powersave";
  EXPECT_EQ(best(), "cpu_governor");
}

TEST_F(Observe, NamesANarrowAffinity) {
  slow_host();
  now().fingerprint.settings["host.cpus_allowed"] = "0,2";
  EXPECT_EQ(observation().inventory.at("host.cpus_allowed"), diagnose::Value(2.0));
  EXPECT_EQ(best(), "cpu_affinity_wrong");
}

TEST_F(Observe, NamesAVariableOfTheProcess) {
  verdict("launch", judge::VerdictKind::regressed, 4, 1);
  verdict("gemm16", judge::VerdictKind::ok);
  now().fingerprint.settings["env.CUDA_LAUNCH_BLOCKING"] = "1";
  EXPECT_EQ(observation().environment.at("CUDA_LAUNCH_BLOCKING"), "1");
  EXPECT_EQ(best(), "cuda_launch_blocking");
}

/// The same with a GPU: its telemetry under load, and what it reached before.
TEST_F(Observe, NamesAPowerLimitFromTelemetryAndSettings) {
  const std::string uuid = "GPU-1234";
  for (result::Run* run : {&now(), &before_.runs.front()}) {
    run->device = uuid;
    run->fingerprint.device["gpu.0.uuid"] = uuid;
    run->fingerprint.device["gpu.0.name"] = "NVIDIA H200";
    run->fingerprint.settings["gpu.0.power_limit_default_watt"] = "700";
    run->fingerprint.settings["gpu.0.power_limit_watt"] = "700";
    run->telemetry = {{"gpu:" + uuid, "sm_clock_hz", "hertz", {0, 1, 2}, {3e8, 1.9e9, 1.9e9}}};
  }
  now().fingerprint.settings["gpu.0.power_limit_watt"] = "400";
  now().telemetry = {{"gpu:" + uuid, "sm_clock_hz", "hertz", {0, 1, 2}, {3e8, 1.2e9, 1.2e9}},
                     {"gpu:" + uuid, "throttle_reasons", "1", {0, 1, 2}, {1, 4, 4}}};
  verdict("gemm16", judge::VerdictKind::regressed, 5e14, 8e14, result::Direction::higher);
  verdict("hbm", judge::VerdictKind::ok);
  const diagnose::Observation seen = observation();
  EXPECT_EQ(seen.about.gpu, "NVIDIA H200");
  EXPECT_EQ(seen.telemetry.at("sm_clock_mhz"), diagnose::Value(1200.0));
  EXPECT_EQ(seen.telemetry.at("sm_clock_expected_mhz"), diagnose::Value(1900.0));
  EXPECT_EQ(seen.telemetry.at("power_limit_w"), diagnose::Value(400.0));
  EXPECT_EQ(best(), "sw_power_cap");
}

TEST_F(Observe, NamesHotMemoryFromTelemetryUnderLoad) {
  const std::string source = "gpu:GPU-1234";
  now().device = "GPU-1234";
  now().fingerprint.device["gpu.0.uuid"] = "GPU-1234";
  now().telemetry = {{source, "temperature_celsius", "celsius", {0, 1, 2}, {40, 61, 61}},
                     {source, "memory_temperature_celsius", "celsius", {0, 1, 2}, {50, 104, 104}}};
  verdict("hbm", judge::VerdictKind::regressed, 2e12, 3e12, result::Direction::higher);
  verdict("gemm16", judge::VerdictKind::ok);
  EXPECT_EQ(observation().telemetry.at("memory_temperature_c"), diagnose::Value(104.0));
  EXPECT_EQ(best(), "hbm_thermal");
}

TEST_F(Observe, NamesL2ThatAProgramLeftSetAside) {
  now().processes.front().samples.emplace();
  result::Facts& context = now().processes.front().samples->context;
  context = {{"gpu.l2_persisting_limit", "0"},
             {"gpu.l2_read_as_found", "5.2e+12"},
             {"gpu.l2_clock_as_found", "1.98e+09"},
             {"gpu.l2_read_after_reset", "5.2e+12"},
             {"gpu.l2_clock_after_reset", "1.98e+09"}};
  EXPECT_EQ(observation().inventory.at("gpu.l2_persisting_limit"), diagnose::Value(0.0));
  EXPECT_TRUE(observation().probes.empty());
  EXPECT_THAT(causes(), Not(Contains("l2_persisting_left")));
  // Lines that stayed, seen by the process that came first.
  context["gpu.l2_read_as_found"] = "2.6e+12";
  ASSERT_EQ(observation().probes.size(), 1U);
  EXPECT_DOUBLE_EQ(*observation().probes[0].factor_without, 2);
  EXPECT_THAT(causes(), Contains("l2_persisting_left"));
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(observation()), "again"), observation());
  context["gpu.l2_persisting_limit"] = "20971520";
  EXPECT_EQ(best(), "l2_persisting_left");
}

TEST_F(Observe, NamesAMathModeThatAHandleLost) {
  const auto product = [&](const std::string& call, const char* library, double slowness) {
    result::BenchmarkResult made;
    made.id = "cublas/tf32/" + call;
    made.notes = {{"library", library}};
    now().processes.front().samples->benchmarks.push_back(made);
    const bool slower = slowness > 1;
    verdict("gemmtf32", slower ? judge::VerdictKind::regressed : judge::VerdictKind::ok, 4e14 / slowness,
            4e14, result::Direction::higher);
    device_.verdicts.back().metric = made.id + ":throughput";
  };
  now().processes.front().samples.emplace();
  product("lt/8192x8192x8192", "cublaslt", 1);
  product("sgemm/8192x8192x8192", "cublas", 8);
  verdict("gemm16", judge::VerdictKind::ok);
  result::Facts& notes = now().processes.front().samples->benchmarks.back().notes;
  notes["math_mode"] = "default";
  EXPECT_EQ(observation().settings.at("cublas.math_mode"), diagnose::Value("default"));
  EXPECT_EQ(observation().metrics.at(1).scope.library, "cublas");
  EXPECT_EQ(best(), "cublas_math_mode_lost");
  // What was preloaded may be anything; that taking it away helps does not make it a profiler.
  diagnose::Observation preloaded = observation();
  preloaded.environment["LD_PRELOAD"] = "/opt/site/libproducts.so";
  preloaded.probes.push_back({.name = "change_setting",
                              .outcome = "recovers",
                              .detail = "LD_PRELOAD=unset",
                              .factor = 1.0,
                              .factor_without = 8.0});
  const std::vector<diagnose::Finding> named = diagnose::diagnose(preloaded).findings;
  ASSERT_FALSE(named.empty());
  EXPECT_EQ(named.front().cause, "cublas_math_mode_lost");
  notes["math_mode"] = "tf32";
  EXPECT_THAT(causes(), Not(Contains("cublas_math_mode_lost")));
}

TEST_F(Observe, NamesAFrameworkThatKeepsFp32FromTensorCores) {
  const auto operation = [&](const std::string& id, const char* type, double slowness) {
    result::BenchmarkResult made;
    made.id = id;
    made.parameters = {{"type", type}};
    made.notes = {{"kernels", std::string(type) == "fp32" && slowness > 1 ? "sm80_xmma_gemm_f32f32_f32f32_f32"
                                                                          : "nvjet_hsh_128x256"}};
    now().processes.front().samples->benchmarks.push_back(made);
    const bool slower = slowness > 1;
    verdict("framework_op", slower ? judge::VerdictKind::regressed : judge::VerdictKind::ok, 4e14 / slowness,
            4e14, result::Direction::higher);
    device_.verdicts.back().metric = id + ":throughput";
  };
  const auto measured_with = [](result::Run& run, const char* allowed) {
    run.processes.front().family = "torch";
    run.processes.front().samples.emplace();
    run.processes.front().samples->context = {
        {"framework.version", "2.9.1"}, {"torch.allow_tf32", allowed}, {"torch.cudnn_allow_tf32", "true"}};
  };
  measured_with(before_.runs.front(), "true");
  measured_with(now(), "false");
  operation("torch/matmul/fp32/4096x4096x4096", "fp32", 7);
  operation("torch/matmul/bf16/4096x4096x4096", "bf16", 1);
  operation("torch/copy/fp32/1GiB", "fp32", 1);
  const diagnose::Observation seen = observation();
  EXPECT_EQ(seen.metrics.front().scope.framework, "torch");
  EXPECT_EQ(seen.metrics.front().scope.dtype, "fp32");
  EXPECT_EQ(seen.settings.at("torch.allow_tf32"), diagnose::Value("false"));
  EXPECT_EQ(seen.changed->at("torch.allow_tf32").before, diagnose::Value("true"));
  EXPECT_FALSE(seen.changed->contains("torch.cudnn_allow_tf32"));
  EXPECT_EQ(seen.kernels.size(), 2U);
  EXPECT_EQ(best(), "tf32_disabled_by_framework_default");
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(seen), "again"), seen);
}

TEST_F(Observe, NamesTheTransportThatNcclFellBackTo) {
  const auto with = [](result::Run& run, const std::string& transport) {
    result::BenchmarkResult benchmark;
    benchmark.id = "nccl/all_reduce/256MiB";
    benchmark.notes = {{"nccl.transport", transport}, {"nccl.plugin", "none"}};
    run.processes.front().samples.emplace().benchmarks = {benchmark};
  };
  with(before_.runs.front(), "p2p");
  with(now(), "shm");
  verdict("coll_large", judge::VerdictKind::regressed, 3e10, 3e11, result::Direction::higher);
  verdict("p2p", judge::VerdictKind::ok);
  const diagnose::Observation seen = observation();
  EXPECT_EQ(seen.inventory.at("nccl.transport"), diagnose::Value("shm"));
  EXPECT_EQ(seen.changed->at("nccl.transport").after, diagnose::Value("shm"));
  EXPECT_EQ(best(), "nccl_p2p_to_shm");
}

/// A GPU whose link has `width` lanes and could have `most`.
void link(result::Run& run, double width, double most) {
  run.device = "GPU-1";
  run.telemetry = {{"gpu:GPU-1", "pcie_generation", "1", {}, {5, 5}},
                   {"gpu:GPU-1", "pcie_generation_max", "1", {}, {5, 5}},
                   {"gpu:GPU-1", "pcie_width", "1", {}, {width, width}},
                   {"gpu:GPU-1", "pcie_width_max", "1", {}, {most, most}}};
}

/// A baseline from a time when the link had half its lanes.
TEST_F(Observe, TheMostThatALinkCanIsNotWhatTheBaselineHad) {
  link(now(), 8, 16);
  link(before_.runs.front(), 8, 16);
  const diagnose::Observation narrow = observation();
  EXPECT_EQ(narrow.telemetry.at("pcie_width"), diagnose::Value(8.0));
  EXPECT_EQ(narrow.telemetry.at("pcie_width_max"), diagnose::Value(16.0));
  EXPECT_EQ(narrow.telemetry.at("pcie_width_expected"), diagnose::Value(8.0));
  EXPECT_EQ(narrow.telemetry.at("pcie_generation_expected"), diagnose::Value(5.0));
  verdict("h2d", judge::VerdictKind::regressed, 2e10, 4e10, result::Direction::higher);
  EXPECT_EQ(best(), "pcie_link_degraded");
  now().telemetry.pop_back();
  EXPECT_FALSE(observation().telemetry.contains("pcie_width_max")) << "NVML does not say";
}

/// The card was moved to a slot that has no more lanes.
TEST_F(Observe, ALinkNarrowerThanTheBaselinesIsTold) {
  link(now(), 8, 8);
  link(before_.runs.front(), 16, 16);
  verdict("h2d", judge::VerdictKind::regressed, 2e10, 4e10, result::Direction::higher);
  EXPECT_EQ(best(), "pcie_link_degraded");
}

}  // namespace
}  // namespace gpugauge::conductor
