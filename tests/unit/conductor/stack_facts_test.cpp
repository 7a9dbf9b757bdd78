// From the doctor's inventory to the facts of an observation, and what they may and may not make of it.
#include "conductor/stack_facts.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"

namespace gpugauge::conductor {
namespace {

using diagnose::Value;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;

class StackFacts : public testing::Test {
 protected:
  StackFacts() {
    node_.present("gpu.0.uuid", "GPU-9", "nvml");
    node_.present("gpu.1.uuid", "GPU-0", "nvml");
  }

  void tell(const std::string& key, const std::string& value) { node_.present(key, value, "test"); }
  std::map<std::string, Value> facts(const std::string& uuid = "GPU-0") const {
    diagnose::Observation out;
    add_stack_facts(node_, uuid, out);
    return out.inventory;
  }
  Value fact(const std::string& key) const {
    const auto all = facts();
    const auto found = all.find(key);
    return found == all.end() ? Value("not there") : found->second;
  }
  /// The causes of a check of GPU-0 in which one class is twice as slow.
  std::vector<std::string> causes(const std::string& slow) const {
    report::DeviceReport device;
    result::Run& run = device.rounds.emplace_back();
    run.device = "GPU-0";
    run.complete = true;
    run.fingerprint.device = {{"gpu.0.uuid", "GPU-0"}, {"gpu.0.name", "NVIDIA H100 80GB HBM3"}};
    for (const std::string metric_class : {"launch", "gemm16", "hbm", "h2d"}) {
      judge::Verdict& verdict = device.verdicts.emplace_back();
      verdict.metric = metric_class + "/x:time";
      verdict.metric_class = metric_class;
      verdict.kind = metric_class == slow ? judge::VerdictKind::regressed : judge::VerdictKind::ok;
      verdict.better = result::Direction::lower;
      verdict.value = metric_class == slow ? 2 : 1;
      verdict.baseline = 1;
    }
    baseline::Baseline before;
    before.runs = {run};
    std::vector<std::string> out;
    for (const diagnose::Finding& finding :
         diagnose::diagnose(observe(device, &before, {&node_, nullptr})).findings)
      out.push_back(finding.cause);
    return out;
  }

  stack::Inventory node_;
};

TEST_F(StackFacts, WhatTheInventoryDoesNotTellStaysAbsent) {
  EXPECT_THAT(facts(), IsEmpty());
  node_.unreadable("host.acs", "/sys", "root");
  node_.absent("driver.secure_boot", "/sys");
  node_.absent("fabric_manager.state", "/proc");
  tell("vgpu.licence", "unknown");
  tell("host.iommu", "unknown");
  tell("host.memlock_kib", "unlimited");
  EXPECT_THAT(facts(), IsEmpty());
}

TEST_F(StackFacts, EachFactHasItsKey) {
  tell("driver.gsp", "off");
  tell("driver.uvm", "loaded");
  tell("driver.peermem", "loaded nv_peer_mem");
  tell("driver.kernel_aslr", "on");
  tell("driver.secure_boot", "off");
  tell("driver.kernel_module_kind", "proprietary");
  tell("host.iommu", "translated");
  tell("host.acs", "on");
  tell("host.shm_mib", "64");
  tell("host.memlock_kib", "8192");
  tell("topology.nvswitch", "no");
  tell("vgpu.licence", "unlicensed");
  tell("gpu.1.brand", "Tesla");
  tell("gpu.1.gsp", "580.65.06");
  tell("gpu.1.remapped_correctable", "1");
  tell("gpu.1.remapped_uncorrectable", "2");
  tell("gpu.1.fabric_state", "completed");
  EXPECT_EQ(fact("driver.gsp"), Value("580.65.06"));  // this GPU's before the first one's
  EXPECT_EQ(fact("uvm.loaded"), Value(true));
  EXPECT_EQ(fact("peermem.module"), Value("nv_peer_mem"));
  EXPECT_EQ(fact("kernel.kaslr"), Value(true));
  EXPECT_EQ(fact("host.secure_boot"), Value(false));
  EXPECT_EQ(fact("driver.open_module"), Value(false));
  EXPECT_EQ(fact("host.iommu"), Value("translated"));
  EXPECT_EQ(fact("host.acs"), Value(true));
  EXPECT_EQ(fact("host.shm_mib"), Value(64.));
  EXPECT_EQ(fact("host.memlock_kib"), Value(8192.));
  EXPECT_EQ(fact("topology.nvswitch"), Value(false));
  EXPECT_EQ(fact("gpu.vgpu_license"), Value("unlicensed"));
  EXPECT_EQ(fact("gpu.brand"), Value("Tesla"));
  EXPECT_EQ(fact("gpu.remapped_rows"), Value(3.));
  EXPECT_EQ(fact("gpu.fabric_state"), Value("completed"));
  EXPECT_FALSE(facts("").contains("gpu.brand"));
  EXPECT_FALSE(facts("GPU-9").contains("gpu.brand"));
}

TEST_F(StackFacts, NoModuleForPeerMemoryIsTheFactThatThereIsNone) {
  node_.absent("driver.peermem", "/proc/modules");
  EXPECT_EQ(fact("peermem.module"), Value());
}

TEST_F(StackFacts, TheFingerprintOfTheRunCountsMore) {
  tell("driver.version", "580.65.06");
  diagnose::Observation out;
  out.inventory["driver.version"] = "575.1";
  add_stack_facts(node_, "GPU-0", out);
  EXPECT_EQ(out.inventory.at("driver.version"), Value("575.1"));
}

TEST_F(StackFacts, AFabricManagerCountsWhereThereIsAFabric) {
  tell("fabric_manager.state", "installed");
  tell("fabric_manager.version", "570.1");
  EXPECT_FALSE(facts().contains("fabric_manager.state"));
  tell("topology.nvswitch", "no");
  EXPECT_FALSE(facts().contains("fabric_manager.version"));
  tell("topology.nvswitch", "yes");
  EXPECT_EQ(fact("fabric_manager.state"), Value("not running"));
  EXPECT_EQ(fact("fabric_manager.version"), Value("570.1"));
  tell("fabric_manager.state", "running");
  EXPECT_EQ(fact("fabric_manager.state"), Value("running"));
}

TEST_F(StackFacts, NetworkCardsAreToldByTheirDriversAndLinks) {
  node_.absent("host.infiniband", "/sys/class/infiniband");
  EXPECT_EQ(fact("host.infiniband"), Value(false));
  tell("host.infiniband", "mlx5_0");
  tell("host.infiniband.mlx5_0.link_layer", "InfiniBand");
  tell("host.infiniband.mlx5_0.role", "switch management");
  EXPECT_EQ(fact("host.infiniband"), Value(false));
  tell("host.infiniband.mlx5_1.link_layer", "Ethernet");
  EXPECT_EQ(fact("host.infiniband"), Value(true));
  EXPECT_EQ(fact("host.fabric"), Value("roce"));
  tell("host.infiniband.efa_0.driver", "efa");
  EXPECT_FALSE(facts().contains("host.fabric"));  // of two kinds, and which one is used is not known
}

TEST_F(StackFacts, PortsOfTheNetworkStandBesideWhatMostOfThemHave) {
  tell("host.infiniband", "mlx5_0 mlx5_1 mlx5_2");
  for (const std::string port : {"mlx5_0", "mlx5_1", "mlx5_2"}) {
    tell("host.infiniband." + port + ".board", "MT_0000000838");
    tell("host.infiniband." + port + ".link_layer", "InfiniBand");
    tell("host.infiniband." + port + ".state", "ACTIVE");
    tell("host.infiniband." + port + ".rate", "400 Gb/sec (4X NDR)");
  }
  EXPECT_EQ(fact("network.ports_active"), Value(3.));
  EXPECT_EQ(fact("network.ports_expected"), Value(3.));
  EXPECT_EQ(fact("network.rate_gbps"), Value(400.));
  EXPECT_FALSE(facts().contains("network.pcie_width"));
  tell("host.infiniband.mlx5_1.rate", "100 Gb/sec (4X EDR)");
  EXPECT_EQ(fact("network.rate_gbps"), Value(100.));
  EXPECT_EQ(fact("network.rate_expected_gbps"), Value(400.));
  tell("host.infiniband.mlx5_2.state", "DOWN");
  EXPECT_EQ(fact("network.ports_active"), Value(2.));
  EXPECT_EQ(fact("network.ports_expected"), Value(3.));
  EXPECT_FALSE(facts().contains("network.rate_gbps")) << "one of 400 and one of 100: no majority";
  tell("host.infiniband.mlx5_0.pcie_width", "8");
  tell("host.infiniband.mlx5_0.pcie_width_max", "16");
  tell("host.infiniband.mlx5_0.pcie_generation", "5");
  tell("host.infiniband.mlx5_0.pcie_generation_max", "5");
  EXPECT_EQ(fact("network.pcie_width"), Value(8.));
  EXPECT_EQ(fact("network.pcie_width_max"), Value(16.));
  tell("host.virtualization", "kvm");
  EXPECT_FALSE(facts().contains("network.pcie_width")) << "its slots are made up";
  tell("host.infiniband.mlx5_0.state", "DOWN");
  tell("host.infiniband.mlx5_1.state", "DOWN");
  EXPECT_FALSE(facts().contains("network.ports_active"));  // none is used
}

TEST_F(StackFacts, OfTwoPortsOneOfWhichIsDownNothingIsExpected) {
  tell("host.infiniband", "mlx5_0 mlx5_1");
  for (const std::string port : {"mlx5_0", "mlx5_1"}) {
    tell("host.infiniband." + port + ".board", "MT_0000000838");
    tell("host.infiniband." + port + ".state", port == "mlx5_0" ? "ACTIVE" : "DOWN");
  }
  EXPECT_FALSE(facts().contains("network.ports_expected"));
}

TEST_F(StackFacts, FaultsThatTheModuleNamesInTheKernelLogAreLinesOfTheLog) {
  tell("kernel_log.nvrm.0", "2026-11-20T10:11:12 NVRM: nvAssertFailed: Assertion failed: clk @ clk.c:12");
  tell("kernel_log.nvrm.1", "boot+5s NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.65.06");
  tell("kernel_log.nvrm.2", "boot+9s NVRM: GPU0 GSP RPC buffer contains function 76");
  tell("kernel_log.xid.0", "2026-11-20T10:11:12 0000:01:00.0 119 Timeout waiting for RPC from GSP");
  diagnose::Observation out;
  add_stack_facts(node_, "GPU-0", out);
  EXPECT_THAT(out.log,
              testing::ElementsAre(testing::HasSubstr("kernel log: 2026-11-20T10:11:12 NVRM: nvAssert"),
                                   testing::HasSubstr("GSP RPC buffer")));
}

TEST_F(StackFacts, StatesThatManyHealthyMachinesHaveAreBlamedForNoSlowWork) {
  tell("driver.secure_boot", "on");
  tell("driver.kernel_aslr", "on");
  tell("driver.uvm", "loaded");
  tell("driver.gsp", "580.65.06");
  tell("driver.confidential_computing", "off");
  tell("host.shm_mib", "64");
  tell("host.memlock_kib", "64");
  tell("fabric_manager.state", "installed");
  tell("fabric_manager.version", "580.65.06");
  tell("driver.version", "580.65.06");
  tell("topology.nvswitch", "yes");
  tell("gpu.1.remapped_correctable", "3");
  node_.absent("driver.peermem", "/proc/modules");
  node_.absent("host.infiniband", "/sys/class/infiniband");
  const std::vector<std::string> wrong{"secure_boot_rejects_module",
                                       "fabric_manager_down",
                                       "hbm_row_remap",
                                       "kernel_kaslr_hmm",
                                       "gsp_firmware",
                                       "shm_too_small",
                                       "uvm_module_bad",
                                       "gdr_disabled",
                                       "fabric_manager_version_mismatch"};
  for (const char* const slow : {"launch", "gemm16", "none"})
    for (const std::string& cause : causes(slow)) EXPECT_THAT(wrong, Not(Contains(cause))) << slow;
}

TEST_F(StackFacts, TranslatedAddressesAreNamedWhereCopiesAreSlow) {
  tell("host.iommu", "translated");
  EXPECT_THAT(causes("h2d"), Contains("iommu_translation"));
  EXPECT_THAT(causes("launch"), Not(Contains("iommu_translation")));
}

/// The same node before the driver was changed.
class ChangedStackFacts : public StackFacts {
 protected:
  ChangedStackFacts() {
    before_.present("gpu.0.uuid", "GPU-0", "nvml");  // it had another number
    before_.present("driver.version", "535.183.06", "test");
    tell("driver.version", "550.54.14");
  }

  std::map<std::string, diagnose::Change> changed() const {
    return changed_stack_facts(node_, before_, "GPU-0");
  }

  stack::Inventory before_;
};

TEST_F(ChangedStackFacts, AreThoseThatBothSidesTellAndThatDiffer) {
  const auto was = [&](const char* key, const char* value) { before_.present(key, value, "test"); };
  was("host.acs", "off");
  was("host.iommu", "translated");
  was("host.shm_mib", "64");
  was("driver.peermem", "loaded");
  was("driver.libcuda_path", "/usr/lib/libcuda.so.535.183.06");
  was("driver.uvm", "loaded");
  was("gpu.0.brand", "Tesla");
  tell("host.acs", "on");
  tell("host.iommu", "translated");
  tell("host.shm_mib", "32");
  node_.absent("driver.peermem", "/proc/modules");
  tell("driver.libcuda_path", "/usr/lib/libcuda.so.550.54.14");
  tell("host.memlock_kib", "8192");
  tell("gpu.1.brand", "Tesla");
  const std::map<std::string, diagnose::Change> expected{
      {"driver.version", {Value("535.183.06"), Value("550.54.14")}},
      {"host.acs", {Value(false), Value(true)}},
      {"host.shm_mib", {Value(64.), Value(32.)}},
      {"peermem.module", {Value("nvidia_peermem"), Value()}}};
  EXPECT_EQ(changed(), expected);
}

/// A reload of the driver switched ACS on again, and collectives are slower: the case D10 with the inventories
/// that its report lacks.
TEST_F(ChangedStackFacts, NameTheSettingsThatAReloadTookBack) {
  report::DeviceReport device;
  result::Run& run = device.rounds.emplace_back();
  run.device = "GPU-0";
  run.fingerprint.device = {{"gpu.0.uuid", "GPU-0"}, {"gpu.0.name", "NVIDIA H100 80GB HBM3"}};
  baseline::Baseline before;
  before.runs = {run};
  run.fingerprint.stack["driver.version"] = "550.54.14";
  before.runs.front().fingerprint.stack["driver.version"] = "535.183.06";
  judge::Verdict& slower = device.verdicts.emplace_back();
  slower.metric = "nccl/all_reduce:time";
  slower.metric_class = "coll_large";
  slower.kind = judge::VerdictKind::regressed;
  slower.better = result::Direction::lower;
  slower.value = 1.1;
  slower.baseline = 1;
  before_.present("host.acs", "off", "test");
  tell("host.acs", "on");
  const auto found = [&](const SeenNode& node) {
    const auto findings = diagnose::diagnose(observe(device, &before, node)).findings;
    return findings.empty() ? diagnose::Finding() : findings.front();
  };
  EXPECT_EQ(found({&node_, &before_}).cause, "settings_lost_on_reboot");
  EXPECT_GE(found({&node_, &before_}).score, diagnose::confident);
  EXPECT_NE(found({&node_, nullptr}).cause, "settings_lost_on_reboot") << "one side alone tells no change";
  // A driver's switches do nothing to the processors.
  run.device = before.runs.front().device = "host";
  EXPECT_FALSE(observe(device, &before, {&node_, &before_}).changed->contains("host.acs"));
}

TEST_F(StackFacts, OfANodeWithoutAUsableGpuAreAnObservation) {
  stack::GpuReport gpus;
  gpus.state = stack::GpuState::error;
  result::Fingerprint fingerprint;
  fingerprint.settings["env.CUDA_VISIBLE_DEVICES"] = "0";
  tell("driver.kernel_module_version", "580.65.06");
  tell("driver.libcuda_version", "580.95.05");
  tell("cuda.init.code", "803");
  tell("cuda.init.name", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
  tell("nvml.init.code", "18");
  const diagnose::Observation seen = observe_unusable(gpus, fingerprint, node_, "2026-11-21T10:00:00Z");
  EXPECT_EQ(seen.about.source, "gpugauge check without a usable GPU, 2026-11-21T10:00:00Z");
  ASSERT_EQ(seen.errors.size(), 2U);
  EXPECT_EQ(seen.errors[0].api, "driver");
  EXPECT_EQ(seen.errors[0].code, diagnose::Value(803.));
  EXPECT_EQ(seen.errors[1].api, "nvml");
  ASSERT_EQ(seen.metrics.size(), 1U);
  EXPECT_TRUE(seen.metrics[0].fails);
  ASSERT_EQ(seen.probes.size(), 1U);
  EXPECT_EQ(seen.probes[0].outcome, "fails");
  EXPECT_EQ(seen.environment.at("CUDA_VISIBLE_DEVICES"), "0");
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(seen), "again"), seen);
  const auto findings = diagnose::diagnose(seen).findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].cause, "umd_kmd_mismatch");
}

TEST_F(StackFacts, ANodeWithoutHardwareHasNothingThatFails) {
  const diagnose::Observation seen = observe_unusable({}, {}, {}, "2026-11-21T10:00:00Z");
  EXPECT_TRUE(seen.metrics.empty());
  EXPECT_EQ(diagnose::diagnose(seen).state, diagnose::State::nothing_compared);
}

TEST_F(StackFacts, ADriverThatIsTooOldIsHeldAgainstTheRuntimeOfThisBuild) {
  stack::GpuReport gpus;
  gpus.state = stack::GpuState::driver_too_old;
  tell("driver.kernel_module_version", "550.54.14");
  tell("driver.cuda_max", "10.2");
  tell("nvml.init.code", "0");
  const auto findings =
      diagnose::diagnose(observe_unusable(gpus, {}, node_, "2026-11-21T10:00:00Z")).findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].cause, "driver_too_old");
}

}  // namespace
}  // namespace gpugauge::conductor
