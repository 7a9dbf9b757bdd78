// Machines for the collectors' tests.
#pragma once

#include <string>
#include <vector>

#include "stack/inventory/collect.hpp"
#include "unit/stack/fake_tree.hpp"

namespace gpugauge::stack {

inline Context context_of(const FakeTree& tree, Environment environment = {}) {
  return {Tree(tree.root()), std::move(environment), "", {}, false, 20, {}};
}

/// A context whose driver is the fake one, which answers from a scenario.
inline Context context_with_driver(const FakeTree& tree, const std::string& scenario,
                                   double limit_seconds = 30) {
  std::ofstream(tree.at("/scenario")) << scenario;
  Context context = context_of(tree);
  context.timeout_seconds = limit_seconds;
  context.driver_command = {"/usr/bin/env",
                            "-i",
                            "GPUGAUGE_FAKE_SCENARIO=" + tree.at("/scenario").string(),
                            std::string("LD_LIBRARY_PATH=") + GPUGAUGE_FAKE_DRIVER,
                            GPUGAUGE_PROBE_CHILD,
                            "inventory"};
  return context;
}

inline std::string dpkg_stanza(const std::string& name, const std::string& version,
                               const std::string& maintainer = "cudatools <cudatools@nvidia.com>") {
  return fmt::format("Package: {}\nStatus: install ok installed\nMaintainer: {}\nVersion: {}\n\n", name,
                     maintainer, version);
}

/// Eight H100 with NVSwitches, the open module built by DKMS, everything in order.
inline void make_server(FakeTree& tree, const std::string& version = "580.65.06") {
  tree.healthy(8, version);
  for (int i = 0; i < 4; ++i) tree.pci(fmt::format("0000:c{}:00.0", i + 1), "nvidia-nvswitch", "0x068000");
  tree.kernel("6.8.0-60-generic");
  tree.file("/proc/cmdline", "BOOT_IMAGE=/vmlinuz-6.8.0-60-generic root=/dev/sda1 ro quiet\n");
  tree.file("/boot/vmlinuz-6.8.0-60-generic", "");
  tree.file("/boot/vmlinuz-6.8.0-59-generic", "");
  tree.kernel_modules("6.8.0-60-generic", "kernel/fs/ext4/ext4.ko:\nupdates/dkms/nvidia.ko:\n");
  tree.kernel_modules("6.8.0-59-generic", "updates/dkms/nvidia.ko:\n");
  tree.file("/lib/modules/6.8.0-60-generic/updates/dkms/nvidia.ko", "code~Module signature appended~\n");
  tree.file("/var/lib/dkms/nvidia/580.65.06/source", "");
  tree.file("/sys/module/nvidia_peermem/version", version + "\n");
  for (const char* const name : {"libcuda.so", "libnvidia-ml.so"}) {
    tree.file(fmt::format("/usr/lib/x86_64-linux-gnu/{}.{}", name, version), "");
    tree.link(fmt::format("/usr/lib/x86_64-linux-gnu/{}.1", name), fmt::format("{}.{}", name, version));
  }
  tree.file("/var/lib/dpkg/status", dpkg_stanza("nvidia-driver-580-open", version + "-0ubuntu1") +
                                        dpkg_stanza("nvidia-fabricmanager-580", version + "-0ubuntu1"));
  for (int i = 0; i < 8; ++i) {
    tree.file(
        fmt::format("/proc/driver/nvidia/gpus/0000:{:02x}:00.0/information", i + 1),
        fmt::format("Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 10\nGPU UUID: \t GPU-{}\n"
                    "Video BIOS: \t 96.00.99.00.01\nBus Location: \t 0000:{:02x}:00.0\nGPU Firmware: \t {}\n"
                    "GPU Excluded:\t No\n",
                    i, i + 1, version));
  }
  tree.file("/proc/811/comm", "nv-fabricmanage\n");
  tree.file("/proc/812/comm", "nvidia-persiste\n");
  tree.file("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
            std::string("\x06\0\0\0\1", 5));
  tree.file("/etc/modprobe.d/blacklist.conf", "# remark\nblacklist nouveau\n");
}

}  // namespace gpugauge::stack
