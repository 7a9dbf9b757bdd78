#include "stack/hardware.hpp"

#include <gtest/gtest.h>

#include "fake_tree.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::stack {
namespace {

Hardware found_in(const FakeTree& tree) {
  return find_hardware(Tree(tree.root()));
}

TEST(Hardware, AnEmptyMachineHasNone) {
  FakeTree tree;
  const Hardware found = found_in(tree);
  EXPECT_FALSE(found.any());
  EXPECT_FALSE(found.pci_listed);
  EXPECT_FALSE(any_nvidia_hardware(tree.root()));
}

TEST(Hardware, CountsDisplayAnd3dControllersOfNvidiaOnly) {
  FakeTree tree;
  tree.pci("0000:00:02.0", "i915", "0x030000", "0x8086");
  tree.pci("0000:01:00.0", "nvidia", "0x030000");
  tree.pci("0000:01:00.1", "snd_hda_intel", "0x040300");  // the sound function of the same card
  tree.pci("0000:02:00.0", "mlx5_core", "0x020700", "0x15b3");
  tree.pci("0000:41:00.0", "", "0x030200");
  const Hardware found = found_in(tree);
  ASSERT_EQ(found.pci.size(), 2U);
  EXPECT_EQ(found.pci[0].address, "0000:01:00.0");
  EXPECT_EQ(found.pci[0].driver, "nvidia");
  EXPECT_EQ(found.pci[0].device_id, "0x2330");
  EXPECT_EQ(found.pci[1].driver, "");
  EXPECT_FALSE(found.nvswitch);
  EXPECT_TRUE(any_nvidia_hardware(tree.root()));
}

TEST(Hardware, AVirtualFunctionIsNoGpuOfItsOwn) {
  FakeTree tree;
  tree.pci("0000:41:00.0", "nvidia");
  tree.pci("0000:41:00.4", "nvidia");
  tree.link("/sys/bus/pci/devices/0000:41:00.4/physfn", "../0000:41:00.0");
  ASSERT_EQ(found_in(tree).pci.size(), 1U);
  EXPECT_EQ(found_in(tree).pci[0].address, "0000:41:00.0");
}

TEST(Hardware, ASoundFunctionAloneIsNoGpu) {
  FakeTree tree;
  tree.pci("0000:01:00.1", "snd_hda_intel", "0x040300");
  EXPECT_FALSE(found_in(tree).any());
}

TEST(Hardware, ReadsOpenAndProprietaryModules) {
  FakeTree open;
  open.module("580.65.06", true);
  EXPECT_EQ(found_in(open).module_version, "580.65.06");
  EXPECT_EQ(found_in(open).module_kind, "open");
  FakeTree closed;
  closed.module("535.104.05", false);
  EXPECT_EQ(found_in(closed).module_version, "535.104.05");
  EXPECT_EQ(found_in(closed).module_kind, "proprietary");
}

TEST(Hardware, AModuleWithoutItsProcFileIsStillLoaded) {
  FakeTree tree;
  tree.file("/sys/module/nvidia/version", "550.54.14\n");
  const Hardware found = found_in(tree);
  EXPECT_TRUE(found.module_loaded);
  EXPECT_EQ(found.module_version, "550.54.14");
  EXPECT_EQ(found.module_kind, "");
}

TEST(Hardware, CountsOnlyNumberedNodesAsGpus) {
  FakeTree tree;
  tree.nodes(2);
  tree.file("/dev/nvidia-modeset", "");
  tree.file("/dev/nvidia-caps/nvidia-cap1", "");
  const Hardware found = found_in(tree);
  EXPECT_EQ(found.nodes, (std::vector<std::string>{"/dev/nvidia0", "/dev/nvidia1"}));
  EXPECT_TRUE(found.control_node);
  EXPECT_TRUE(found.uvm_node);
}

TEST(Hardware, SeesAnNvSwitch) {
  FakeTree bridge;
  bridge.pci("0000:c1:00.0", "nvidia", "0x068000");
  EXPECT_TRUE(found_in(bridge).nvswitch);
  EXPECT_TRUE(found_in(bridge).pci.empty());
  FakeTree node;
  node.file("/dev/nvidia-nvswitch0", "");
  EXPECT_TRUE(found_in(node).nvswitch);
}

TEST(Hardware, WslNeedsNvidiasLibraryBesideTheDevice) {
  FakeTree tree;
  tree.file("/dev/dxg", "");
  EXPECT_FALSE(found_in(tree).any());
  tree.file("/usr/lib/wsl/lib/libcuda.so.1", "");
  EXPECT_TRUE(found_in(tree).wsl);
  EXPECT_TRUE(found_in(tree).any());
}

TEST(Hardware, TheKernelsOwnModulesAreNotNvidiasDriver) {
  FakeTree tree;
  tree.kernel("6.8.0-1");
  tree.pci("0000:01:00.0", "");
  tree.kernel_modules("6.8.0-1",
                      "kernel/drivers/video/fbdev/nvidia/nvidiafb.ko.zst:\n"
                      "kernel/drivers/platform/x86/nvidia-wmi-ec-backlight.ko.zst:\n");
  const Hardware found = found_in(tree);
  EXPECT_TRUE(found.module_files_readable);
  EXPECT_FALSE(found.module_for_running_kernel);
  EXPECT_TRUE(found.kernels_with_module.empty());
}

TEST(Container, IsKnownByItsMarks) {
  FakeTree tree;
  const Tree seen(tree.root());
  EXPECT_EQ(container_kind(seen, false), "");
  EXPECT_EQ(container_kind(seen, true), "kubernetes");
  tree.file("/proc/1/cgroup", "0::/init.scope\n");
  EXPECT_EQ(container_kind(seen, false), "");
  tree.file("/proc/1/cgroup", "12:cpu:/docker/0123\n");
  EXPECT_EQ(container_kind(seen, false), "docker");
  tree.file("/proc/1/cgroup", "0::/kubepods.slice/burstable\n");
  EXPECT_EQ(container_kind(seen, false), "kubernetes");
  FakeTree podman;
  podman.file("/run/.containerenv", "");
  EXPECT_EQ(container_kind(Tree(podman.root()), false), "podman");
  FakeTree nspawn;
  nspawn.file("/run/systemd/container", "systemd-nspawn\n");
  EXPECT_EQ(container_kind(Tree(nspawn.root()), false), "systemd-nspawn");
}

TEST(Hardware, FindsTheModulesFileAmongItsSiblings) {
  EXPECT_EQ(nvidia_module_file("kernel/a.ko:\nupdates/dkms/nvidia-uvm.ko.zst: updates/dkms/nvidia.ko.zst\n"
                               "updates/dkms/nvidia.ko.zst: kernel/drivers/drm.ko\n"),
            "updates/dkms/nvidia.ko.zst");
  EXPECT_EQ(nvidia_module_file("updates/dkms/nvidia-current-uvm.ko: x\nupdates/dkms/nvidia-current.ko:\n"),
            "updates/dkms/nvidia-current.ko");
  EXPECT_EQ(nvidia_module_file("kernel/drivers/platform/x86/nvidia-wmi-ec-backlight.ko:\n"), "");
  EXPECT_EQ(nvidia_module_file("x.ko: extra/nvidia.ko"), "") << "needed by another, and not there";
  EXPECT_EQ(nvidia_module_file("extra/nvidia.ko"), "extra/nvidia.ko") << "cut short";
  EXPECT_EQ(nvidia_module_file(""), "");
}

}  // namespace
}  // namespace gpugauge::stack
