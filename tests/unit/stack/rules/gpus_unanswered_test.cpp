// GPUs on the PCI bus for which the driver does not answer.
#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

std::vector<std::string> said_of_gpus(const Inventory& inventory) {
  return said(findings_of(check_gpus, inventory));
}

TEST(GpuRules, AGpuThatDoesNotAnswer) {
  Inventory inventory = h100_server();
  set_all(inventory,
          {{"pci.0.address", "0000:9a:00.0"},
           {"pci.0.device_id", "0x2330"},
           {"pci.0.class", "gpu"},
           {"pci.0.driver", "nvidia"},
           {"pci.1.address", "0000:05:00.0"},
           {"pci.1.class", "nvswitch"},
           {"kernel_log.nvrm.0", "NVRM: GPU 0000:9a:00.0: RmInitAdapter failed! (0x62:0x65:1792)"}});
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure gpu_count_differs"));
  EXPECT_EQ(findings[0].title, "1 of 9 GPUs on the PCI bus does not answer");
  EXPECT_THAT(findings[0].evidence, IsSupersetOf({"0000:9a:00.0 (device 0x2330): kernel driver nvidia"}));
  set(inventory, "pci.0.driver", "vfio-pci");
  EXPECT_THAT(said_of_gpus(inventory), ElementsAre("note gpu_reserved_for_vm"));
}

TEST(GpuRules, AnOldCardForTheScreenIsNoDeadGpu) {
  Inventory inventory = h100_server();
  set_all(inventory,
          {{"pci.0.address", "0000:9a:00.0"},
           {"pci.0.device_id", "0x1cb6"},
           {"pci.0.class", "gpu"},
           {"kernel_log.nvrm.0",
            "2026-11-20T10:11:12 NVRM: supported through the NVIDIA 580.xx Legacy drivers. Please"}});
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), ElementsAre("note gpu_generation_not_driven"));
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("580.xx Legacy drivers")));
  set(inventory, "kernel_log.nvrm.1", "NVRM: GPU 0000:9a:00.0: RmInitAdapter failed! (0x62:0x65:1792)");
  EXPECT_THAT(said_of_gpus(inventory), ElementsAre("failure gpu_count_differs")) << "the log calls it dead";
  for (const char* const driver : {"pci-stub", "xen-pciback", "nvgrace-gpu-vfio-pci"}) {
    set(inventory, "pci.0.driver", driver);
    EXPECT_THAT(said_of_gpus(inventory), ElementsAre("note gpu_reserved_for_vm")) << driver;
  }
}

TEST(GpuRules, AnOldCardForTheScreenExcusesNoOtherGpu) {
  Inventory inventory = h100_server();
  set_all(inventory,
          {{"pci.0.address", "0000:05:00.0"},
           {"pci.0.device_id", "0x128b"},
           {"pci.0.class", "gpu"},
           {"pci.1.address", "0000:9a:00.0"},
           {"pci.1.device_id", "0x2330"},
           {"pci.1.class", "gpu"},
           {"kernel_log.nvrm.0", "NVRM: supported through the NVIDIA 470.xx Legacy drivers. Please"}});
  EXPECT_THAT(said_of_gpus(inventory),
              UnorderedElementsAre("note gpu_generation_not_driven", "failure gpu_count_differs"))
      << "one line, two cards";
  set(inventory, "kernel_log.nvrm.1", "NVRM: BAR1 is 0M @ 0x0 (PCI:0000:05:00.0)");
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings),
              UnorderedElementsAre("note gpu_generation_not_driven", "failure gpu_count_differs"));
  for (const Finding& finding : findings) {
    if (finding.cause != "gpu_count_differs") continue;
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("0000:05:00.0"))) << "another line tells of it";
  }
}

/// One GPU answers, seven more are on the bus.
Inventory one_of_eight(const std::vector<std::pair<std::string, std::string>>& of_each) {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 1, "NVIDIA H100 80GB HBM3", "9.0", "700");
  for (int i = 1; i < 8; ++i) {
    const std::string prefix = "pci." + std::to_string(i - 1) + ".";
    set_all(inventory, {{prefix + "address", "0000:" + std::to_string(i) + "a:00.0"},
                        {prefix + "device_id", "0x2330"},
                        {prefix + "class", "gpu"},
                        {prefix + "driver", "nvidia"}});
    for (const auto& [fact, value] : of_each)
      set(inventory, prefix + fact, fact == "minor" ? std::to_string(i) : value);
  }
  return inventory;
}

TEST(GpuRules, ABatchJobThatWasGivenOneOfEight) {
  // Slurm: all nodes are in /dev, the control group of devices refuses seven.
  Inventory job = one_of_eight({{"minor", ""}, {"node", "refused"}});
  set(job, "driver.device_nodes",
      "/dev/nvidiactl /dev/nvidia-uvm /dev/nvidia0 /dev/nvidia1 /dev/nvidia2 /dev/nvidia3 /dev/nvidia4 "
      "/dev/nvidia5 /dev/nvidia6 /dev/nvidia7");
  const Findings findings = findings_of(check_gpus, job);
  EXPECT_THAT(said(findings), ElementsAre("note gpus_hidden"));
  EXPECT_EQ(findings[0].title, "This process was given 1 of the 8 GPUs on the PCI bus");
  EXPECT_THAT(findings[0].evidence,
              Contains("0000:3a:00.0 (device 0x2330): /dev/nvidia3 may not be opened here"));
  EXPECT_THAT(findings[0].next, ElementsAre(Not(HasSubstr("power"))));
  set(job, "pci.2.node", "there");
  EXPECT_THAT(said_of_gpus(job), ElementsAre("note gpus_hidden", "failure gpu_count_differs"))
      << "a GPU within reach that does not answer";
}

TEST(GpuRules, AContainerThatWasGivenOneOfEight) {
  Inventory masked = one_of_eight({});  // the runtime shows neither the nodes nor the module's folders
  set(masked, "container.kind", "kubernetes");
  EXPECT_THAT(said_of_gpus(masked), ElementsAre("note gpus_hidden"));
  set(masked, "container.kind", "none");  // a container that does not look like one
  EXPECT_THAT(said_of_gpus(masked), ElementsAre("note gpus_hidden")) << "one node, and one GPU that answers";
  Inventory listed = one_of_eight({{"minor", ""}, {"node", "missing"}});
  set(listed, "container.kind", "docker");
  EXPECT_THAT(the(findings_of(check_gpus, listed), "gpus_hidden").evidence,
              Contains("0000:3a:00.0 (device 0x2330): there is no /dev/nvidia3 here"));
  Inventory privileged = one_of_eight({{"minor", ""}, {"node", "there"}});
  set(privileged, "container.kind", "docker");
  EXPECT_THAT(said_of_gpus(privileged), ElementsAre("failure gpu_count_differs"));
  EXPECT_EQ(findings_of(check_gpus, privileged)[0].title, "7 of 8 GPUs on the PCI bus do not answer");
}

TEST(GpuRules, OnTheHostAMissingNodeIsMadeBeforeAnythingIsPoweredOff) {
  Inventory host = one_of_eight({{"minor", ""}, {"node", "refused"}});
  set(host, "pci.2.node", "missing");
  const Finding one = the(findings_of(check_gpus, host), "gpu_count_differs");
  EXPECT_EQ(one.title, "1 of 8 GPUs on the PCI bus does not answer");
  EXPECT_THAT(one.evidence, Contains("0000:3a:00.0 (device 0x2330): kernel driver nvidia, no /dev/nvidia3"));
  EXPECT_EQ(one.next.front(), "Make the missing device node: sudo nvidia-modprobe -c 3, then look again");
  EXPECT_THAT(one.next.back(), HasSubstr("power it off and on"));
  set(host, "pci.6.node", "missing");
  EXPECT_THAT(the(findings_of(check_gpus, host), "gpu_count_differs").next.front(),
              HasSubstr("nodes: sudo nvidia-modprobe -c 3 -c 7, then"));
  set(host, "container.kind", "docker");
  EXPECT_THAT(said_of_gpus(host), ElementsAre("note gpus_hidden"));
}

TEST(GpuRules, InAContainerADeadGpuIsDeadAllTheSame) {
  Inventory unbound = one_of_eight({{"minor", ""}, {"node", "missing"}});
  set(unbound, "container.kind", "docker");
  unbound.absent("pci.2.driver", "/sys/bus/pci/devices");
  set(unbound, "pci.2.driver", "");
  EXPECT_THAT(said_of_gpus(unbound), ElementsAre("note gpus_hidden", "failure gpu_count_differs"));
  for (const auto& [key, line] : std::vector<std::pair<std::string, std::string>>{
           {"kernel_log.nvrm.0", "2026-11-20T10:11:12 NVRM: GPU 0000:3a:00.0: RmInitAdapter failed! (0x62)"},
           {"kernel_log.xid.0", "2026-11-20T10:11:12 0000:3a:00.0 143 GPU initialization"}}) {
    Inventory logged = one_of_eight({{"minor", ""}, {"node", "refused"}});
    set(logged, key, line);
    const Finding dead = the(findings_of(check_gpus, logged), "gpu_count_differs");
    EXPECT_EQ(dead.title, "1 of 8 GPUs on the PCI bus does not answer") << line;
    EXPECT_THAT(dead.evidence, Contains("0000:3a:00.0 (device 0x2330): kernel driver nvidia"));
  }
  Inventory others = one_of_eight({{"minor", ""}, {"node", "refused"}});
  set_all(others, {{"kernel_log.xid.0", "2026-11-20T10:11:12 0000:3a:00.0 31 MMU Fault"},
                   {"kernel_log.nvrm.0", "2026-11-20T10:11:12 NVRM: GPU at PCI:0000:3a:00: GPU-1234"}});
  EXPECT_THAT(said_of_gpus(others), ElementsAre("note gpus_hidden", "note xid_seen"))
      << "somebody else's program";
}

TEST(GpuRules, AnExcludedGpuIsNotDead) {
  Inventory inventory = one_of_eight({{"minor", ""}, {"node", "there"}, {"excluded", "yes"}});
  EXPECT_THAT(said_of_gpus(inventory), ElementsAre("note gpus_hidden"));
}

TEST(GpuRules, AGpuThatOnlyTheKernelModuleListsIsNoSecondOneThatAnswers) {
  Inventory silent = linux_with_driver();
  for (int i = 0; i < 2; ++i) {
    const std::string n = std::to_string(i);
    const std::string address = "0000:" + n + "a:00.0";
    set(silent, "gpu." + n + ".pci", address, "/proc/driver/nvidia/gpus/" + address + "/information");
    set_all(silent, {{"pci." + n + ".address", address},
                     {"pci." + n + ".device_id", "0x2330"},
                     {"pci." + n + ".class", "gpu"},
                     {"pci." + n + ".driver", "nvidia"},
                     {"pci." + n + ".minor", n},
                     {"pci." + n + ".node", "there"}});
  }
  EXPECT_THAT(said_of_gpus(silent), IsEmpty()) << "nobody answered, or nobody was asked";
}

TEST(GpuRules, ALostGpuIsCountedOnce) {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 7, "NVIDIA H100 80GB HBM3", "9.0", "700");
  set_gpu(inventory, 7, {{"lost", "yes"}});
  set_all(inventory, {{"pci.0.address", "0000:7a:00.0"},
                      {"pci.0.device_id", "0x2330"},
                      {"pci.0.class", "gpu"},
                      {"pci.0.driver", "nvidia"},
                      {"pci.0.minor", "7"},
                      {"pci.0.node", "there"}});
  EXPECT_EQ(the(findings_of(check_gpus, inventory), "gpu_count_differs").title,
            "1 of 8 GPUs on the PCI bus does not answer");
}

}  // namespace
}  // namespace gpugauge::stack
