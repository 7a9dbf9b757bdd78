// Inventories of machines, built by hand, for the rules' tests: healthy ones that a test then breaks; small
// tables; and what every finding must look like.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "stack/rules/rules.hpp"
#include "unit/stack/rules/said.hpp"

namespace gpugauge::stack {

/// Sets an item, wherever it was found before.
inline void set(Inventory& inventory, const std::string& key, const std::string& value,
                const std::string& source = "test") {
  inventory.present(key, value, source);
}
inline void set_all(Inventory& inventory, const std::vector<std::pair<std::string, std::string>>& items) {
  for (const auto& [key, value] : items) set(inventory, key, value);
}

/// Facts of one GPU under its index.
inline void set_gpu(Inventory& inventory, int index,
                    const std::vector<std::pair<std::string, std::string>>& facts) {
  for (const auto& [fact, value] : facts)
    set(inventory, "gpu." + std::to_string(index) + "." + fact, value, "nvml");
}

/// Debian or Ubuntu on bare metal with driver 580.65.06 and no GPU yet.
inline Inventory linux_with_driver() {
  Inventory inventory;
  set_all(inventory, {{"host.os", "linux"},
                      {"host.distribution", "Ubuntu 24.04.3 LTS"},
                      {"kernel.version", "6.8.0-79-generic"},
                      {"kernel.command_line", "BOOT_IMAGE=/boot/vmlinuz ro quiet iommu=pt"},
                      {"host.libc", "glibc 2.39"},
                      {"host.virtualization", "none"},
                      {"host.cpus", "224"},
                      {"host.cpus_allowed", "0-223"},
                      {"host.cgroup_cpu_limit", "none"},
                      {"host.governor", "performance"},
                      {"host.shm_mib", "1031750"},
                      {"host.memlock_kib", "unlimited"},
                      {"host.iommu", "passthrough"},
                      {"host.acs", "off"},
                      {"container.kind", "none"},
                      {"collected.root", "/"},
                      {"driver.version", "580.65.06"},
                      {"driver.kernel_module_kind", "open"},
                      {"driver.libcuda_version", "580.65.06"},
                      {"driver.libcuda_kind", "driver"},
                      {"driver.libnvml_version", "580.65.06"},
                      {"driver.cuda_max", "13.0"},
                      {"driver.dkms", "yes"},
                      {"driver.module_for_running_kernel", "yes"},
                      {"driver.module_for_newest_kernel", "yes"},
                      {"driver.newest_kernel", "6.8.0-79-generic"},
                      {"driver.uvm", "loaded"},
                      {"driver.secure_boot", "off"},
                      {"driver.persistenced", "running"},
                      {"driver.source", "nvidia repository"},
                      {"driver.confidential_computing", "off"},
                      {"driver_child.outcome", "answered"},
                      {"cuda.init.code", "0"},
                      {"cuda.init.seconds", "0.4"},
                      {"nvml.init.code", "0"},
                      {"packages.unattended_upgrades", "off"},
                      {"kernel_log.readable", "yes"}});
  set(inventory, "driver.kernel_module_version", "580.65.06", "/proc/driver/nvidia/version");
  set(inventory, "driver.libcuda_path", "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06", "loader cache");
  set(inventory, "driver.libnvml_path", "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.65.06",
      "loader cache");
  set(inventory, "package.nvidia-driver-580-open.version", "580.65.06-0ubuntu0.24.04.1",
      "/var/lib/dpkg/status");
  set(inventory, "package.nvidia-driver-580-open.held", "yes", "/var/lib/dpkg/status");
  inventory.absent("host.infiniband", "/sys/class/infiniband");
  inventory.absent("driver.nouveau", "/sys/module/nouveau");
  inventory.absent("driver.peermem", "/sys/module");
  return inventory;
}

/// `count` GPUs of one data-centre model, all set alike.
inline void add_gpus(Inventory& inventory, int count, const std::string& name, const std::string& capability,
                     const std::string& watt) {
  std::string nodes = "/dev/nvidiactl /dev/nvidia-uvm";
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    nodes += " /dev/nvidia" + n;
    set_gpu(inventory, i,
            {{"uuid", "GPU-" + n},
             {"name", name},
             {"pci", "0000:" + n + "a:00.0"},
             {"compute_capability", capability},
             {"persistence", "on"},
             {"compute_mode", "default"},
             {"ecc", "on"},
             {"ecc_pending", "on"},
             {"mig", "off"},
             {"mig_pending", "off"},
             {"power_limit_watt", watt},
             {"power_limit_default_watt", watt},
             {"sm_clock_max_mhz", "1980"},
             {"sm_clock_application_mhz", "1980"},
             {"sm_clock_application_default_mhz", "1980"},
             {"throttle_reasons", "idle"},
             {"pstate", "P0"},
             {"pcie_generation", "5"},
             {"pcie_generation_max", "5"},
             {"pcie_width", "16"},
             {"pcie_width_max", "16"},
             {"pcie_sampled", "idle"},
             {"nvlinks_active", "18"},
             {"nvlinks_total", "18"},
             {"remapped_correctable", "0"},
             {"remapped_uncorrectable", "0"},
             {"remap_pending", "no"},
             {"remap_failed", "no"},
             {"ecc_uncorrected_volatile", "0"},
             {"vbios", "96.00.89.00.01"},
             {"processes", "0"}});
  }
  set(inventory, "driver.device_nodes", nodes, "/dev");
  set(inventory, "cuda.devices", std::to_string(count));
  set(inventory, "nvml.devices", std::to_string(count));
}

inline Inventory h100_server() {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 8, "NVIDIA H100 80GB HBM3", "9.0", "700");
  for (int i = 0; i < 8; ++i) set_gpu(inventory, i, {{"fabric_state", "completed"}});
  set_all(inventory, {{"topology.nvswitch", "yes"},
                      {"fabric_manager.state", "running"},
                      {"fabric_manager.version", "580.65.06-1"},
                      {"host.infiniband", "mlx5_0 mlx5_1"},
                      {"driver.peermem", "loaded nvidia_peermem"}});
  return inventory;
}

inline Inventory h200_machine() {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 1, "NVIDIA H200", "9.0", "700");
  set_gpu(inventory, 0, {{"throttle_reasons", "sw_power_cap"}, {"sm_clock_max_mhz", "1980"}});
  return inventory;
}

/// A desktop as people have it: display, link at rest, no persistence mode, IOMMU as the kernel sets it.
inline Inventory geforce_desktop() {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 1, "NVIDIA GeForce RTX 4090", "8.9", "450");
  set_gpu(inventory, 0,
          {{"persistence", "off"},
           {"pstate", "P2"},
           {"pcie_generation", "1"},
           {"pcie_generation_max", "4"},
           {"nvlinks_active", "0"},
           {"brand", "GeForce"},
           {"throttle_reasons", "none"}});
  set_all(inventory, {{"host.cpus", "32"},
                      {"host.cpus_allowed", "0-31"},
                      {"host.shm_mib", "32000"},
                      {"host.memlock_kib", "8192"}});
  inventory.absent("driver.persistenced", "/proc");
  return inventory;
}

inline Inventory a100_container() {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 1, "NVIDIA A100-SXM4-80GB", "8.0", "400");
  set_all(inventory, {{"container.kind", "docker"},
                      {"container.image_cuda", "12.6.3"},
                      {"container.driver_capabilities", "compute,utility"},
                      {"host.shm_mib", "8192"},
                      {"host.cgroup_cpu_limit", "none"}});
  return inventory;
}

inline Inventory wsl_machine() {
  Inventory inventory;
  set_all(inventory, {{"host.os", "wsl2"},
                      {"host.libc", "glibc 2.39"},
                      {"kernel.version", "6.6.87.2-microsoft-standard-WSL2"},
                      {"host.virtualization", "hyper-v"},
                      {"container.kind", "none"},
                      {"collected.root", "/"},
                      {"driver.version", "580.97"},
                      {"driver.libcuda_path", "/usr/lib/wsl/lib/libcuda.so.1"},
                      {"driver.libcuda_kind", "wsl"},
                      {"driver.libnvml_path", "/usr/lib/wsl/lib/libnvidia-ml.so.1"},
                      {"driver.cuda_max", "13.0"},
                      {"driver_child.outcome", "answered"},
                      {"cuda.init.code", "0"},
                      {"cuda.devices", "1"},
                      {"nvml.init.code", "0"},
                      {"nvml.devices", "1"}});
  inventory.absent("driver.kernel_module_version", "/proc/driver/nvidia/version");
  set_gpu(inventory, 0,
          {{"name", "NVIDIA GeForce RTX 4090"},
           {"compute_capability", "8.9"},
           {"pcie_generation", "1"},
           {"persistence", "on"},
           {"processes", "0"}});
  return inventory;
}

/// No GPU, no driver, nothing of NVIDIA's.
inline Inventory empty_machine() {
  Inventory inventory;
  set_all(inventory, {{"host.os", "linux"},
                      {"host.libc", "glibc 2.36"},
                      {"kernel.version", "6.1.0-39-amd64"},
                      {"host.virtualization", "kvm"},
                      {"container.kind", "none"},
                      {"collected.root", "/"},
                      {"driver.module_for_running_kernel", "no"}});
  inventory.absent("driver.kernel_module_version", "/proc/driver/nvidia/version");
  inventory.absent("driver.device_nodes", "/dev");
  inventory.absent("driver.libcuda_path", "loader search");
  inventory.absent("driver.libnvml_path", "loader search");
  inventory.absent("driver_child.outcome", "");
  inventory.absent("driver.nouveau", "/sys/module/nouveau");
  return inventory;
}

/// A GPU on the PCI bus of a machine whose driver does not answer.
inline Inventory silent_gpu(const std::string& bound_to) {
  Inventory inventory = linux_with_driver();
  inventory.absent("driver.kernel_module_version", "/proc/driver/nvidia/version");
  inventory.absent("driver.uvm", "/sys/module");
  inventory.absent("driver.device_nodes", "/dev");
  set(inventory, "nvml.init.code", "9");
  set(inventory, "nvml.init.name", "NVML_ERROR_DRIVER_NOT_LOADED");
  set(inventory, "cuda.init.code", "100");
  set_all(inventory,
          {{"pci.0.address", "0000:01:00.0"}, {"pci.0.device_id", "0x2330"}, {"pci.0.class", "gpu"}});
  if (bound_to.empty()) {
    inventory.absent("pci.0.driver", "/sys/bus/pci/devices");
  } else {
    set(inventory, "pci.0.driver", bound_to);
  }
  return inventory;
}

inline Version version(const std::string& text) {
  return Version::parse(text).value();
}

/// A few rows; the last of some tables was confirmed by nobody.
inline Tables small_tables() {
  const Source read{"NVIDIA's table", true};
  const Source unsure{"hearsay", false};
  Tables tables;
  const auto branch = [&](int number, const char* kind, const char* end, const char* latest, Source source) {
    DriverBranch row;
    row.branch = number;
    row.kind = kind;
    row.end_of_life = end;
    row.latest = version(latest);
    row.latest_date = "2026-08-03";
    row.source = std::move(source);
    tables.driver_branches.push_back(row);
  };
  branch(535, "long-term support", "2026-06", "535.309.01", read);
  branch(580, "long-term support", "2028-08-04", "580.65.06", read);
  branch(590, "new feature", "2026-12-22", "590.48.01", read);
  branch(595, "production", "2027-03", "595.91.07", read);
  branch(575, "new feature", "2026-06-03", "575.57.08", unsure);
  const auto architecture = [&](const char* name, const char* capability, Source source) {
    Architecture row;
    row.name = name;
    row.compute_capability = version(capability);
    row.first_cuda = version("11.0");
    row.source = std::move(source);
    tables.architectures.push_back(row);
    return &tables.architectures.back();
  };
  architecture("Volta", "7.0", read)->last_driver_branch = 580;
  architecture("Kepler", "3.7", unsure)->last_driver_branch = 470;
  architecture("Maxwell", "5.2", read)->last_driver_branch = 580;
  architecture("Ampere", "8.0", read);
  architecture("Ada", "8.9", read);
  architecture("Hopper", "9.0", read);
  architecture("Blackwell", "10.0", read)->first_driver = version("570.26");
  tables.minimum_drivers = {{12, version("525.60.13"), read}, {13, version("580.65.06"), read}};
  KnownIssue issue;
  issue.layer = "driver";
  issue.versions = {version("575.51"), version("575.57")};
  issue.issue = "Copies hang after a peer was unmapped";
  issue.fixed = version("575.64");
  issue.source = read;
  tables.known_issues.push_back(issue);
  tables.error_codes = {{"driver",
                         999,
                         "CUDA_ERROR_UNKNOWN",
                         "The driver met an error that it has no name for",
                         {"nvidia_uvm in a bad state", "an earlier GPU error"},
                         {"sudo dmesg | grep NVRM"},
                         read},
                        {"runtime",
                         35,
                         "cudaErrorInsufficientDriver",
                         "The driver supports less CUDA than the program needs",
                         {"an old driver"},
                         {"Update the driver"},
                         read},
                        {"nvml",
                         12,
                         "NVML_ERROR_LIBRARY_NOT_FOUND",
                         "NVML's library could not be found",
                         {},
                         {"Install it"},
                         read}};
  return tables;
}

/// What every finding must be, whatever the inventory held.
inline void expect_well_formed(const Findings& findings) {
  const auto plain = [](const std::string& text) {
    for (const char c : text)
      if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) return false;
    return !text.empty();
  };
  for (const Finding& finding : findings) {
    SCOPED_TRACE(finding.cause + ": " + finding.title);
    EXPECT_TRUE(plain(finding.title) && plain(finding.explanation));
    EXPECT_LE(finding.title.size(), 100u);
    EXPECT_NE(finding.title.back(), '.') << "a title is no sentence";
    EXPECT_EQ(finding.explanation.back(), '.');
    EXPECT_FALSE(finding.evidence.empty());
    EXPECT_FALSE(finding.next.empty());
    EXPECT_FALSE(finding.layers.empty());
    for (const auto* lines : {&finding.evidence, &finding.considered, &finding.next, &finding.sources})
      for (const std::string& line : *lines) EXPECT_TRUE(plain(line)) << line;
  }
}

inline const std::string test_day = "2026-11-21";

/// What one group of rules says.
inline Findings findings_of(void (*check)(const RuleInput&, Findings&), const Inventory& inventory,
                            Policy policy = Policy::development) {
  const Tables tables = small_tables();
  Findings findings;
  check(RuleInput{inventory, tables, policy, test_day}, findings);
  expect_well_formed(findings);
  return findings;
}

/// The finding of a cause; fails the test where there is none.
inline Finding the(const Findings& findings, const std::string& cause) {
  for (const Finding& finding : findings)
    if (finding.cause == cause) return finding;
  ADD_FAILURE() << "no finding " << cause;
  return {};
}

}  // namespace gpugauge::stack
