#include "stack/inventory/from_run.hpp"

#include <gtest/gtest.h>

#include "stack/plan/lock.hpp"

namespace gpugauge::stack {
namespace {

result::Run run_of_a_node() {
  result::Run run;
  run.started = "2026-11-20T22:00:00Z";
  run.fingerprint.device = {{"gpu.count", "1"},
                            {"gpu.0.name", "NVIDIA H200"},
                            {"gpu.0.uuid", "GPU-1"},
                            {"gpu.0.compute_capability", "9.0"},
                            {"host.cpu_model", "AMD EPYC 9654"},
                            {"host.sockets", "2"}};
  run.fingerprint.stack = {{"driver.version", "580.65.06"},
                           {"driver.open_module", "yes"},
                           {"driver.cuda_max", "unknown"},
                           {"cuda.toolkit", "13.0"},
                           {"cublas.version", "13.1.0.3"},
                           {"cublas.path", "/usr/lib/libcublas.so.13"},
                           {"cudnn.version", "9 (build 0123456789ab)"},
                           {"nccl.version", "absent"},
                           {"kernel.version", "6.8.0"}};
  run.fingerprint.settings = {{"gpu.0.compute_mode", "3"},
                              {"gpu.0.ecc", "on (off after reset)"},
                              {"host.container", "none"},
                              {"host.governor", "absent"},
                              {"env.NCCL_DEBUG", "INFO"}};
  run.fingerprint.topology = {{"gpu.0.pci", "0000:01:00.0"}, {"host.numa_nodes", "unreadable"}};
  return run;
}

TEST(InventoryOfRun, HasTheFactsUnderTheInventorysKeys) {
  const Inventory found = inventory_of_run(run_of_a_node(), "run.json");
  EXPECT_TRUE(is_of_run(found));
  EXPECT_EQ(found.value("driver.version"), "580.65.06");
  EXPECT_EQ(found.value("driver.kernel_module_kind"), "open");
  EXPECT_EQ(found.find("driver.cuda_max"), nullptr) << "unknown tells nothing";
  EXPECT_EQ(found.value("library.cublas.0.version"), "13.1.0.3");
  EXPECT_EQ(found.value("library.cublas.picked"), "/usr/lib/libcublas.so.13");
  EXPECT_EQ(found.find("library.cudnn.0.version"), nullptr) << "a build's id is no version";
  EXPECT_EQ(found.find("library.nccl.0.version")->presence, Presence::absent);
  EXPECT_EQ(found.value("gpu.0.compute_mode"), "exclusive_process");
  EXPECT_EQ(found.value("gpu.0.ecc"), "on");
  EXPECT_EQ(found.value("gpu.0.ecc_pending"), "off");
  EXPECT_EQ(found.value("container.kind"), "none");
  EXPECT_EQ(found.find("host.governor")->presence, Presence::absent);
  EXPECT_TRUE(found.unreadable("host.numa_nodes"));
  EXPECT_EQ(found.value("env.NCCL_DEBUG"), "INFO");
  EXPECT_EQ(found.find("cuda.toolkit"), nullptr) << "the build's own, not the machine's";
  EXPECT_EQ(found.find("driver.version")->source, "run.json");
}

TEST(InventoryOfRun, IsAsItsOwnLockSays) {
  const Inventory found = inventory_of_run(run_of_a_node(), "run.json");
  const Lock lock = make_lock(found, "2026-11-21T00:00:00Z");
  const LockReport report = verify(lock, found);
  EXPECT_TRUE(report.as_locked());
  EXPECT_GE(report.compared, 8U);
}

TEST(InventoryOfRun, WhatItDoesNotTellIsNeitherDriftNorPass) {
  const Inventory found = inventory_of_run(run_of_a_node(), "run.json");
  Lock lock;
  lock.fields = {{"library.cufft.0.version", "11.3", Match::exact, ""},
                 {"framework.torch.version", "2.8.0", Match::exact, ""},
                 {"gpu.count", "1", Match::exact, ""}};
  const LockReport report = verify(lock, found);
  EXPECT_TRUE(report.drifts.empty());
  ASSERT_EQ(report.unknown.size(), 2U);
  EXPECT_EQ(report.unknown[0].kind, DriftKind::not_looked_for);
  result::Run host = run_of_a_node();
  host.fingerprint.device = {{"host.cpu_model", "AMD EPYC 9654"}};
  host.fingerprint.settings.clear();
  host.fingerprint.topology.clear();
  EXPECT_EQ(verify(lock, inventory_of_run(host, "run.json")).unknown.size(), 3U) << "a run of the host alone";
}

TEST(InventoryOfRun, HostileFactsAreLeftAlone) {
  result::Run run;
  run.fingerprint.device = {{"", "x"},
                            {".", "x"},
                            {"gpu.", "x"},
                            {"gpu.x.name", "x"},
                            {"gpu.0", "x"},
                            {"gpu.99999999999.name", "x"},
                            {"gpu.0.compute_mode", "77"},
                            {"gpu.0.ecc", " ("}};
  const Inventory found = inventory_of_run(run, "run.json");
  EXPECT_TRUE(found.children("gpu").empty() || found.value("gpu.0.compute_mode").empty());
}

}  // namespace
}  // namespace gpugauge::stack
