// What keeps the driver where it is: holds, pins and locks, by every package manager; and what does not.
#include <gmock/gmock.h>

#include "stack/inventory/collect.hpp"
#include "stack/inventory/packages.hpp"
#include "unit/stack/fake_tree.hpp"

namespace gpugauge::stack {
namespace {
namespace packages_held {

std::string stanza(const std::string& name, const std::string& status = "install",
                   const std::string& version = "580.95.05-0ubuntu1") {
  return fmt::format(
      "Package: {}\nStatus: {} ok installed\nMaintainer: cudatools <cudatools@nvidia.com>\n"
      "Architecture: amd64\nVersion: {}\n\n",
      name, status, version);
}

const std::string on =
    "APT::Periodic::Unattended-Upgrade \"1\";\nUnattended-Upgrade::Origins-Pattern { \"origin=NVIDIA\"; };\n";

Inventory with(const std::string& status, const std::string& pins) {
  FakeTree tree;
  tree.file("/var/lib/dpkg/status", stanza("unattended-upgrades") + status);
  tree.file("/etc/apt/apt.conf.d/50unattended-upgrades", on);
  if (!pins.empty()) tree.file("/etc/apt/preferences.d/nvidia", pins);
  Inventory inventory;
  collect_packages({Tree(tree.root()), {}, "", {}, false, 20, {}}, inventory);
  return inventory;
}

std::string pin(const std::string& version) {
  return "Package: *nvidia*\nPin: version " + version + "\nPin-Priority: 1000\n";
}

TEST(Held, APinToABranchKeepsNoRelease) {
  for (const char* const version : {"580.*", "580*", "580.95.*", "580.95*", "/580/", "*", "1:580.*"}) {
    const Inventory inventory = with(stanza("nvidia-driver-580"), pin(version));
    EXPECT_EQ(inventory.value("package.nvidia-driver-580.held"), "no") << version;
    EXPECT_EQ(inventory.value("packages.unattended_covers_driver"), "yes") << version;
    const Item* const item = inventory.find("package.nvidia-driver-580.held");
    EXPECT_EQ(item->source, "/etc/apt/preferences.d/nvidia") << version;
    EXPECT_THAT(item->how, testing::HasSubstr("branch")) << version;
  }
}

TEST(Held, APinToAReleaseKeepsIt) {
  for (const char* const version :
       {"580.95.05-0ubuntu1", "580.95.05*", "580.95.05-*", "550.100-*", "1:580.95.05-*"}) {
    const Inventory inventory = with(stanza("nvidia-driver-580"), pin(version));
    EXPECT_EQ(inventory.value("package.nvidia-driver-580.held"), "yes") << version;
    EXPECT_EQ(inventory.value("packages.unattended_covers_driver"), "no") << version;
  }
}

TEST(Held, AReleaseMayHaveTwoParts) {
  const auto held = [](const std::string& version, const std::string& installed) {
    const Inventory inventory = with(stanza("nvidia-driver-570", "install", installed), pin(version));
    return inventory.value("package.nvidia-driver-570.held");
  };
  EXPECT_EQ(held("570.169*", "570.169-0ubuntu1"), "yes");
  EXPECT_EQ(held("1:535.98*", "1:535.98-1"), "yes");
  EXPECT_EQ(held("570.169.*", "570.169-0ubuntu1"), "no");
  EXPECT_EQ(held("570.16*", "570.169-0ubuntu1"), "no");
  EXPECT_EQ(held("570*", "570.169-0ubuntu1"), "no");
  EXPECT_EQ(held("575.64*", "575.64-0ubuntu1"), "no") << "575.64.03 came after it";
}

TEST(Held, TheDriverStaysWhereModuleAndLibcudaDo) {
  const auto covers = [](const std::string& status) {
    return with(status, "").value("packages.unattended_covers_driver");
  };
  EXPECT_EQ(covers(stanza("nvidia-driver-580", "hold") + stanza("libnvidia-compute-580")), "no")
      << "it wants both at its own version";
  EXPECT_EQ(covers(stanza("nvidia-dkms-580", "hold") + stanza("libnvidia-compute-580")), "yes")
      << "libcuda moves under the module";
  EXPECT_EQ(covers(stanza("nvidia-dkms-580", "hold") + stanza("libnvidia-compute-580", "hold")), "no");
}

TEST(Held, EveryDistributionsDriverHasItsPackages) {
  for (const char* const name :
       {"nvidia-driver-580-open", "linux-modules-nvidia-580-6.8.0-60-generic", "libnvidia-compute-580",
        "nvidia-fabricmanager-580", "kmod-nvidia-open-dkms", "nvidia-kmod-common", "akmod-nvidia",
        "xorg-x11-drv-nvidia", "xorg-x11-drv-nvidia-cuda-libs", "nvidia-open-driver-G06-signed-kmp-default",
        "nvidia-driver-G06-kmp-default", "nvidia-compute-G06", "nvidia-compute-utils-G06", "libcuda1"})
    EXPECT_NE(driver_part(name), DriverPart::none) << name;
  for (const char* const name :
       {"nvidia-container-toolkit", "libnccl2", "nvidia-modprobe", "cuda-toolkit-13-0"})
    EXPECT_EQ(driver_part(name), DriverPart::none) << name;
  EXPECT_EQ(driver_part("nvidia-driver-G06-kmp-default"), DriverPart::module);
  EXPECT_EQ(driver_part("nvidia-driver-cuda-libs"), DriverPart::libcuda);
}

TEST(Held, ZyppersLocksAreRead) {
  FakeTree tree;
  tree.file("/etc/zypp/locks",
            "\ntype: package\nmatch_type: glob\ncase_sensitive: on\nsolvable_name: nvidia-compute-G06\n"
            "\ntype: package\nmatch_type: glob\ncase_sensitive: on\n"
            "solvable_name: nvidia-open-driver-G06-signed-kmp-*\n"
            "\ntype: patch\nmatch_type: glob\nsolvable_name: nvidia-gl-G06\n"
            "\ntype: package\nmatch_type: glob\nsolvable_name: nvidia-video-G06\nversion: > 580.95.05\n"
            "\ntype: package\nmatch_type: exact\nsolvable_name: nvidia-utils-G06\n"
            "\ntype: package\nmatch_type: exact\nrepo: other\nsolvable_name: libnccl\n");
  const std::vector<Pin> pins = read_zypper_locks(Tree(tree.root()));
  EXPECT_NE(find_pin(pins, "nvidia-compute-G06"), nullptr);
  EXPECT_NE(find_pin(pins, "nvidia-open-driver-G06-signed-kmp-default"), nullptr);
  EXPECT_NE(find_pin(pins, "nvidia-utils-G06"), nullptr);
  EXPECT_EQ(find_pin(pins, "nvidia-gl-G06"), nullptr) << "a lock of patches";
  EXPECT_EQ(find_pin(pins, "nvidia-video-G06"), nullptr) << "it keeps out some versions only";
  EXPECT_EQ(find_pin(pins, "libnccl"), nullptr) << "it keeps out one repository only";
  EXPECT_EQ(find_pin(pins, "nvidia-compute-utils-G06"), nullptr);
  EXPECT_EQ(pins.front().source, "/etc/zypp/locks");
}

}  // namespace packages_held
}  // namespace
}  // namespace gpugauge::stack
