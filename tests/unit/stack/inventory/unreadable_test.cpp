// A machine of which this user may see only a part: what could not be looked at is never said to be absent.
#include <gmock/gmock.h>

#include "stack/rules/rules.hpp"
#include "unit/stack/inventory/collected.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::HasSubstr;

void make_machine(FakeTree& tree) {
  tree.healthy(1);
  tree.file("/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06", "");
  tree.link("/usr/lib/x86_64-linux-gnu/libcuda.so.1", "libcuda.so.580.65.06");
  tree.file("/var/lib/dpkg/status", "Package: libc6\nStatus: install ok installed\nVersion: 2.39-1\n\n");
}

Inventory seen_of(const FakeTree& tree) {
  Context context;
  context.tree = Tree(tree.root());
  return collect(context);
}

TEST(Unreadable, FoldersThatMayNotBeListedAreNoAbsence) {
  FakeTree tree;
  make_machine(tree);
  for (const char* const folder : {"/sys/bus/pci/devices", "/sys/module", "/dev", "/proc/driver",
                                   "/usr/lib/x86_64-linux-gnu", "/var/lib/dpkg"})
    tree.forbid(folder);
  const AsNobody user(tree);
  if (!user.is()) GTEST_SKIP() << "root may look everywhere";
  const Inventory inventory = seen_of(tree);
  for (const char* const key :
       {"pci", "topology.nvswitch", "driver.device_nodes", "driver.kernel_module_version",
        "driver.kernel_module_kind", "driver.nouveau", "driver.uvm", "driver.libcuda_path",
        "driver.libnvml_path", "library.cudnn.picked", "driver.source", "container.toolkit_version",
        "host.libc", "packages.database"}) {
    EXPECT_TRUE(inventory.unreadable(key)) << key;
    const Item* const item = inventory.find(key);
    EXPECT_EQ(item == nullptr ? "" : item->needs, "root") << key;
  }
  const Findings findings = diagnose_stack({inventory, tables(), Policy::development, "2026-11-21"});
  for (const Finding& finding : findings) EXPECT_EQ(finding.severity, Severity::note) << finding.title;
  EXPECT_THAT(findings, Contains(testing::Field(&Finding::title, HasSubstr("cannot be told by this user"))));
}

TEST(Unreadable, WhatIsSeenElsewhereIsStillUsed) {
  FakeTree tree;
  make_machine(tree);
  tree.forbid("/dev");
  const AsNobody user(tree);
  if (!user.is()) GTEST_SKIP() << "root may look everywhere";
  const Inventory inventory = seen_of(tree);
  EXPECT_EQ(inventory.value("pci.0.address"), "0000:01:00.0");
  EXPECT_EQ(inventory.value("driver.kernel_module_version"), "580.65.06");
  EXPECT_TRUE(inventory.unreadable("driver.device_nodes"));
  EXPECT_EQ(inventory.find("pci"), nullptr);
}

TEST(Unreadable, ABusWithoutNvidiaIsAbsenceAndSaysWhere) {
  FakeTree tree;
  tree.kernel("6.1.0-25-amd64");
  EXPECT_EQ(seen_of(tree).find("pci")->how, "no PCI bus is visible here");
  tree.file("/sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n");
  EXPECT_TRUE(is_absent(seen_of(tree), "pci"));
  EXPECT_EQ(seen_of(tree).find("pci")->how, "no GPU and no NVSwitch of NVIDIA");
}

}  // namespace
}  // namespace gpugauge::stack
