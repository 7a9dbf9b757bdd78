// Letting go of what a file keeps, and the way back from the packages that were kept.
#include <gmock/gmock.h>

#include "stack/plan/pins.hpp"
#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {
namespace pins_back {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

void package(Inventory& inventory, const std::string& name, const std::string& version,
             const std::string& held_by = "") {
  set(inventory, "package." + name + ".version", version, "packages");
  set(inventory, "package." + name + ".held", held_by.empty() ? "no" : "yes",
      held_by.empty() ? "packages" : held_by);
}

Inventory node(const char* database, const char* system) {
  Inventory inventory;
  set_all(
      inventory,
      {{"packages.database", database}, {"host.distribution_id", system}, {"driver.version", "570.86.15"}});
  return inventory;
}

std::vector<std::string> commands(const std::vector<Advice>& advice) {
  std::vector<std::string> out;
  for (const Advice& one : advice) out.insert(out.end(), one.commands.begin(), one.commands.end());
  return out;
}

std::string whats(const std::vector<Advice>& advice) {
  std::string out;
  for (const Advice& one : advice) out += one.what + "\n";
  return out;
}

TEST(LettingGo, NamesTheFileWhereNoCommandDoes) {
  Inventory debian = node("dpkg", "ubuntu 24.04");
  package(debian, "nvidia-driver-570-open", "570.86.15-0ubuntu1", "/etc/apt/preferences.d/nvidia");
  package(debian, "libnvidia-compute-570", "570.86.15-0ubuntu1", "/var/lib/dpkg/status");
  const auto advice = advice_before(debian, parse_plan("driver=580"));
  EXPECT_THAT(commands(advice), Contains("sudo apt-mark unhold libnvidia-compute-570"));
  EXPECT_THAT(whats(advice), HasSubstr("Take nvidia-driver-570-open out of /etc/apt/preferences.d/nvidia"));

  Inventory redhat = node("rpm", "rhel 9.4");
  package(redhat, "nvidia-driver", "3:570.86.15-1.el9", "/etc/dnf/dnf.conf");
  package(redhat, "kmod-nvidia-open-dkms", "3:570.86.15-1.el9", "/etc/dnf/plugins/versionlock.list");
  const auto rpms = advice_before(redhat, parse_plan("driver=580"));
  EXPECT_THAT(commands(rpms), Contains("sudo dnf versionlock delete kmod-nvidia-open-dkms"));
  EXPECT_THAT(commands(rpms), Not(Contains(HasSubstr("versionlock delete nvidia-driver"))));
  EXPECT_THAT(whats(rpms), HasSubstr("Take nvidia-driver out of /etc/dnf/dnf.conf"));
}

TEST(WayBack, TakesTheFilesThatWereKept) {
  Inventory debian = node("dpkg", "ubuntu 24.04");
  package(debian, "nvidia-driver-570-open", "570.86.15-0ubuntu1");
  const PlanRequest request = parse_plan("driver=580");
  EXPECT_THAT(
      commands(advice_before(debian, request)),
      ElementsAre(
          "mkdir -p ~/old-gpu-stack-570.86.15",
          "(cd ~/old-gpu-stack-570.86.15 && apt-get download nvidia-driver-570-open=570.86.15-0ubuntu1)"));
  const std::string install = "sudo apt-get install --allow-downgrades --allow-change-held-packages ";
  EXPECT_THAT(commands(way_back(debian, debian, request)),
              ElementsAre(install + "~/old-gpu-stack-570.86.15/*.deb",
                          install + "nvidia-driver-570-open=570.86.15-0ubuntu1"));
  EXPECT_THAT(whats(way_back(debian, debian, request)),
              HasSubstr("Only where that folder is missing or incomplete"));

  Inventory suse = node("rpm", "sles 15.6");
  package(suse, "nvidia-compute-G06", "570.86.15-1");
  EXPECT_THAT(
      commands(advice_before(suse, request)),
      ElementsAre("sudo zypper --pkg-cache-dir ~/old-gpu-stack-570.86.15 install --download-only --force "
                  "nvidia-compute-G06=570.86.15-1"));
  EXPECT_THAT(commands(way_back(suse, suse, request)),
              ElementsAre("sudo zypper install --oldpackage $(find ~/old-gpu-stack-570.86.15 -name '*.rpm')",
                          "sudo zypper install --oldpackage nvidia-compute-G06=570.86.15-1"));
}

TEST(WayBack, EachUpgradeHasAFolderOfItsOwn) {
  Inventory before = node("dpkg", "ubuntu 24.04");
  package(before, "libcudnn9-cuda-12", "9.8.0.87-1");
  const PlanRequest request = parse_plan("cudnn=9.10");
  EXPECT_THAT(commands(advice_before(before, request, "20261126-091500")),
              Contains("mkdir -p ~/old-gpu-stack-570.86.15-20261126-091500"));
  set(before, "package.libcudnn9-cuda-12.version", "9.10.2.21-1");
  EXPECT_THAT(commands(way_back(before, before, parse_plan("cudnn=9.12"), "20261127-101500")),
              Contains(HasSubstr(" ~/old-gpu-stack-570.86.15-20261127-101500/*.deb")));
  EXPECT_THAT(commands(advice_before(before, request, "x; reboot")),
              Contains("mkdir -p ~/old-gpu-stack-570.86.15"));
}

TEST(WayBack, WhatWasNotKeptComesByItsVersion) {
  Inventory before = node("dpkg", "ubuntu 24.04");
  package(before, "nvidia-driver-570-open", "570.86.15-0ubuntu1");
  package(before, "libnccl2", "2.25.1-1");
  Inventory now = node("dpkg", "ubuntu 24.04");
  package(now, "nvidia-driver-580-open", "580.65.06-0ubuntu1");
  package(now, "libnccl2", "2.27.3-1");
  EXPECT_THAT(
      commands(way_back(before, now, parse_plan("driver=580"))),
      Contains(HasSubstr("~/old-gpu-stack-570.86.15/*.deb libnccl2=2.25.1-1 nvidia-driver-580-open-")));
  // Only what no plan named: nothing of it was kept.
  Inventory nccl = before;
  package(nccl, "libnccl2", "2.27.3-1");
  EXPECT_THAT(commands(way_back(before, nccl, parse_plan("driver=580"))),
              Not(Contains(HasSubstr("old-gpu"))));
}

TEST(WayBack, TheStreamOfTheModuleComesFirst) {
  Inventory before = node("rpm", "rhel 9.4");
  package(before, "nvidia-driver", "3:570.86.15-1.el9");
  const PlanRequest request = parse_plan("driver=580");
  EXPECT_THAT(commands(way_back(before, before, request)), Not(Contains(HasSubstr("module"))));
  set(before, "packages.driver_stream", "570-open");
  const std::vector<std::string> all = commands(way_back(before, before, request));
  EXPECT_THAT(
      all, ElementsAre("sudo dnf module reset nvidia-driver", "sudo dnf module enable nvidia-driver:570-open",
                       "sudo dnf install --allowerasing ~/old-gpu-stack-570.86.15/*.rpm",
                       "sudo dnf module reset nvidia-driver", "sudo dnf module enable nvidia-driver:570-open",
                       "sudo dnf install --allowerasing nvidia-driver-3:570.86.15-1.el9"));
  set(before, "packages.driver_stream", "570; reboot");
  EXPECT_THAT(commands(way_back(before, before, request)), Not(Contains(HasSubstr("reboot"))));
}

}  // namespace pins_back
}  // namespace
}  // namespace gpugauge::stack
