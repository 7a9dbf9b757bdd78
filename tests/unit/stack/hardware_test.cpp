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

std::string kind_with(const std::string& file, const std::string& text) {
  FakeTree tree;
  tree.file("/proc/1/cgroup", "0::/\n");
  tree.file(file, text);
  return container_kind(Tree(tree.root()), false);
}

std::string kind_of_mounts(const std::string& text) {
  return kind_with("/proc/self/mountinfo", text);
}

TEST(Container, WithGroupsOfTheirOwnMountsAndMarksTell) {
  const std::string root = "1040 1039 0:95 / / rw,relatime master:312 - overlay overlay rw,lowerdir=";
  EXPECT_EQ(
      kind_of_mounts(root + "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/101/fs\n"),
      "containerd");
  EXPECT_EQ(
      kind_of_mounts(root +
                     "/var/lib/containerd/fs\n"
                     "1055 1040 8:1 /var/lib/kubelet/pods/2f/etc-hosts /etc/hosts rw - ext4 /dev/sda1 rw\n"),
      "kubernetes");
  EXPECT_EQ(kind_of_mounts("1 0 8:1 /pods/2f/containers/a/b /dev/termination-log rw - ext4 /dev/sda1 rw\n"),
            "kubernetes");
  EXPECT_EQ(kind_of_mounts("1 0 8:1 /var/lib/docker/containers/0f/hosts /etc/hosts rw - ext4 /dev/sda1 rw\n"),
            "docker");
  EXPECT_EQ(kind_of_mounts("1 0 8:1 /raid/enroot-data/user-1000/pyxis_7 / rw - ext4 /dev/sda1 rw\n"),
            "enroot");
  EXPECT_EQ(kind_with("/.singularity.d/runscript", ""), "apptainer");
  EXPECT_EQ(kind_with("/run/secrets/kubernetes.io/serviceaccount/token", ""), "kubernetes");
  EXPECT_EQ(kind_with("/proc/1/environ", std::string("PATH=/bin\0container=oci\0", 24)), "oci");
}

TEST(Container, AHostThatRunsContainersAndAnOverlayRootAreNone) {
  EXPECT_EQ(
      kind_of_mounts(
          "23 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n"
          "90 23 0:50 / /var/lib/docker/overlay2/a/merged rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/X\n"
          "91 23 0:51 / /run/containerd/io.containerd.runtime.v2.task/k8s.io/a/rootfs rw - overlay overlay "
          "rw,lowerdir=/var/lib/containerd/fs\n"
          "92 23 8:2 /var/lib/kubelet/pods/2f/volumes/a /var/lib/kubelet/pods/2f/volume-subpaths/a rw - ext4 /dev/sda2 rw\n"
          "93 23 0:52 / /var/lib/kubelet/pods/2f/volumes/b rw - tmpfs tmpfs rw\n"
          "94 23 8:2 /var/lib/k0s/kubelet/pods/3a/volumes/a /var/lib/k0s/kubelet/pods/3a/volume-subpaths/a rw - "
          "ext4 /dev/sda2 rw\n"),
      "");
  EXPECT_EQ(
      kind_of_mounts(
          "23 1 0:30 / / rw,relatime - overlay overlay rw,lowerdir=/run/ostree/.private/cfsroot-lower\n"),
      "");
  EXPECT_EQ(kind_of_mounts("23 1 0:30 /@ / rw,relatime - btrfs /dev/sda2 rw,subvol=/@\n"), "");
  EXPECT_EQ(kind_with("/proc/1/environ", std::string("HOME=/\0TERM=linux\0", 18)), "");
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
