// What speaks against a cause: a machine without the part, a message that healthy machines write too, and a
// listing in which all is well.
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"

namespace gpugauge::diagnose {
namespace {
namespace counter_evidence {

/// Score of each finding.
std::map<std::string, double> found(const std::string& text) {
  std::map<std::string, double> out;
  for (const Finding& finding : diagnose(parse_observation(text, "made")).findings)
    out[finding.cause] = finding.score;
  return out;
}

double score(const std::string& text, const std::string& cause) {
  const auto all = found(text);
  const auto one = all.find(cause);
  return one == all.end() ? 0 : one->second;
}

/// CUDA says 802 on that GPU.
std::string not_ready(const std::string& gpu, const std::string& inventory) {
  return fmt::format(
      R"({{"about": {{"gpu": "{}", "compute_capability": "9.0", "compared_with": "earlier"}},
        "metrics": [{{"class": "init", "factor": null}}],
        "errors": [{{"api": "cuda", "code": 802, "text": "system not yet initialized"}}],
        "inventory": {{{}}}}})",
      gpu, inventory);
}

const char* const no_switch = R"("topology.nvswitch": false, "gpu.fabric_state": "not_supported")";

TEST(CounterEvidence, LargeCopiesAloneAreNotWhatABusyProcessorSlows) {
  const auto observation = [](const char* launch) {
    return fmt::format(
        R"({{"about": {{"compared_with": "earlier"}},
          "metrics": [{{"class": "h2d", "factor": 3.33}}, {{"class": "launch", "factor": {}}},
                      {{"class": "gemm16", "factor": 1.0}}],
          "telemetry": {{"cpu_steal_percent": 2}}}})",
        launch);
  };
  EXPECT_LT(score(observation("1.0"), "cpu_contention"), confident);
  EXPECT_GE(score(observation("1.5"), "cpu_contention"), confident);
}

TEST(CounterEvidence, AReasonThatWasReadIsNotCalledUnread) {
  const auto why = [](const char* reasons) {
    const Diagnosis told = diagnose(parse_observation(
        fmt::format(
            R"({{"about": {{"compared_with": "earlier"}}, "metrics": [{{"class": "gemm16", "factor": 1.43}}],
          "telemetry": {{"sm_clock_mhz": 1200, "sm_clock_expected_mhz": 1980 {}}}}})",
            reasons),
        "made"));
    std::string out;
    for (const auto* list : {&told.excluded, &told.unproven})
      for (const Excluded& one : *list)
        if (one.cause == "driver_clock_control_fault") out += one.why;
    return out;
  };
  EXPECT_THAT(why(R"(, "throttle_reasons": ["hw_slowdown"])"),
              testing::HasSubstr("throttle reason hw_slowdown"));
  EXPECT_THAT(why(""), testing::HasSubstr("were not read"));
}

TEST(CounterEvidence, TheLoadersMessageProvesAMissingLibrary) {
  const char* const text =
      R"({"about": {"compared_with": "expected"}, "metrics": [{"class": "gemm16", "fails": true}],
        "errors": [{"api": "loader", "text": "error while loading shared libraries: libcublasLt.so.13: cannot open shared object file: No such file or directory"}]})";
  EXPECT_GE(score(text, "missing_cuda_libraries"), confident);
}

TEST(CounterEvidence, WithoutASwitchNoFabricManagerIsMissed) {
  for (const char* const gpu : {"NVIDIA GH200 480GB", "NVIDIA H100 PCIe", "NVIDIA H200 NVL",
                                "NVIDIA H100 NVL", "NVIDIA H100 80GB HBM3"}) {
    for (const char* const manager :
         {R"(, "fabric_manager.state": null)", R"(, "fabric_manager.state": "not installed")", ""})
      EXPECT_EQ(score(not_ready(gpu, std::string(no_switch) + manager), "fabric_manager_down"), 0)
          << gpu << manager;
  }
}

TEST(CounterEvidence, AnAbsentFabricManagerSaysNothingOfABoardWithoutSwitch) {
  for (const char* const gpu :
       {"NVIDIA GH200 480GB", "NVIDIA H200 NVL", "NVIDIA H100 PCIe", "NVIDIA H100 NVL"})
    EXPECT_LT(score(not_ready(gpu, R"("fabric_manager.state": "not installed")"), "fabric_manager_down"),
              confident)
        << gpu;
}

TEST(CounterEvidence, OnABoardWithSwitchItStillDoes) {
  EXPECT_GE(score(not_ready("NVIDIA H200", R"("fabric_manager.state": null)"), "fabric_manager_down"),
            confident);
  EXPECT_GE(score(not_ready("NVIDIA H100 80GB HBM3",
                            R"("topology.nvswitch": true, "fabric_manager.state": "inactive")"),
                  "fabric_manager_down"),
            confident);
  // Switches of NVLink 5 are no PCI function: that none is seen says nothing.
  EXPECT_GE(score(R"({"about": {"gpu": "NVIDIA B200", "compute_capability": "10.0"},
      "metrics": [{"class": "init", "factor": null}], "errors": [{"api": "cuda", "code": 802}],
      "inventory": {"topology.nvswitch": false, "gpu.fabric_state": "in_progress",
                    "fabric_manager.state": "inactive"}})",
                  "fabric_manager_down"),
            confident);
}

TEST(CounterEvidence, WithConfidentialComputingTheGpusWereNotSetReady) {
  const std::string guest = not_ready("NVIDIA H200 NVL", std::string(no_switch) +
                                                             R"(, "gpu.confidential_computing": true,
          "host.virtualization": "confidential", "fabric_manager.state": "not installed")");
  const Diagnosis diagnosis = diagnose(parse_observation(guest, "made"));
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().cause, "confidential_computing");
  EXPECT_GE(diagnosis.findings.front().score, .55);
  EXPECT_THAT(fmt::format("{}", diagnosis.findings.front().next.at(0)), testing::HasSubstr("conf-compute"));
}

/// Collectives on one node that are slower, with these lines.
std::string collective(int nodes, const std::string& lines) {
  return fmt::format(R"({{"about": {{"gpu": "NVIDIA H100 80GB HBM3", "gpus": 8, "nodes": {},
      "compared_with": "earlier"}},
      "metrics": [{{"class": "coll_large", "factor": 1.4}}, {{"class": "p2p", "factor": 1.0}}],
      "log": [{}]}})",
                     nodes, lines);
}

const char* const no_plugin = R"x("NCCL INFO NET/Plugin: No plugin found (libnccl-net.so)")x";
const char* const by_ib = R"("NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>")";
const char* const by_sockets =
    R"("NCCL INFO NET/IB : No device found.", "NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>",
       "NCCL INFO Using network Socket")";
const char* const within = R"("NCCL INFO Channel 00/24 : 0[0] -> 1[1] via P2P/CUMEM/read")";

TEST(CounterEvidence, OnOneNodeNoNetworkIsWhatMakesACollectiveSlow) {
  const auto joined = [](const char* one, const char* two, const char* three) {
    return fmt::format("{}, {}, {}", one, two, three);
  };
  for (const char* const network : {by_ib, by_sockets}) {
    const auto all = found(collective(1, joined(no_plugin, network, within)));
    EXPECT_EQ(all.count("nccl_plugin_load_failure"), 0U) << network;
    EXPECT_EQ(all.count("nccl_socket_fallback"), 0U) << network;
  }
  EXPECT_GT(score(collective(2, joined(no_plugin, by_sockets, within)), "nccl_socket_fallback"), 0);
}

TEST(CounterEvidence, WhereNcclUsesInfiniBandNoPluginIsMissed) {
  const std::string lines = fmt::format("{}, {}", no_plugin, by_ib);
  EXPECT_EQ(found(collective(4, lines)).count("nccl_plugin_load_failure"), 0U);
}

/// A failure of something else, with these lines in its log.
std::string listing(const std::string& error, const std::string& lines) {
  return fmt::format(R"({{"about": {{"gpu": "NVIDIA H100 80GB HBM3"}},
      "metrics": [{{"class": "application", "factor": null}}], "errors": [{}], "log": [{}]}})",
                     error, lines);
}

const char* const nodes_there =
    R"("$ ls -l /dev/nvidia*", "crw-rw-rw- 1 root root 195, 0 /dev/nvidia0",
       "crw-rw-rw- 1 root root 195, 255 /dev/nvidiactl", "crw-rw-rw- 1 root root 511, 0 /dev/nvidia-uvm")";

TEST(CounterEvidence, DeviceNodesThatAreListedAreThere) {
  for (const char* const error :
       {R"({"api": "cuda", "code": 700, "text": "an illegal memory access was encountered"})",
        R"({"api": "framework", "text": "RuntimeError: CUDA out of memory"})"}) {
    const auto all = found(listing(error, nodes_there));
    EXPECT_EQ(all.count("uvm_module_bad"), 0U) << error;
    EXPECT_EQ(all.count("no_visible_device"), 0U) << error;
    EXPECT_EQ(all.count("uvm_driver_bug"), 0U) << error;
  }
}

TEST(CounterEvidence, DeviceNodesThatAreMissedAreNot) {
  const char* const none = R"({"api": "cuda", "code": 100, "text": "no CUDA-capable device is detected"})";
  EXPECT_GT(score(listing(none, R"("ls: cannot access '/dev/nvidiactl': No such file or directory")"),
                  "no_visible_device"),
            score(listing(none, R"("crw-rw-rw- 1 root root 195, 255 /dev/nvidiactl")"), "no_visible_device"));
  const char* const unknown = R"({"api": "cuda", "code": 999, "text": "unknown error"})";
  EXPECT_GT(score(listing(unknown, R"("ls: cannot access '/dev/nvidia-uvm': No such file or directory")"),
                  "uvm_module_bad"),
            score(listing(unknown, R"("crw-rw-rw- 1 root root 511, 0 /dev/nvidia-uvm")"), "uvm_module_bad"));
}

}  // namespace counter_evidence
}  // namespace
}  // namespace gpugauge::diagnose
