// Packages as the managers know them, and every command by its exact text: an operator types it.
#include "stack/plan/pins.hpp"

#include <gmock/gmock.h>

#include "stack/inventory/packages.hpp"
#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void package(Inventory& inventory, const std::string& key, const std::string& version, bool held = false) {
  set(inventory, "package." + key + ".version", version, "/var/lib/dpkg/status");
  set(inventory, "package." + key + ".held", held ? "yes" : "no", "/var/lib/dpkg/status");
}

Inventory debian_node() {
  Inventory inventory;
  set_all(inventory, {{"packages.database", "dpkg"},
                      {"host.distribution_id", "ubuntu 24.04"},
                      {"driver.version", "570.86.15"},
                      {"driver.kernel_module_version", "570.86.15"}});
  package(inventory, "nvidia-driver-570-open", "570.86.15-0ubuntu1", true);
  package(inventory, "linux-modules-nvidia-570-open-6_8_0-60-generic", "6.8.0-60.63");
  package(inventory, "libnccl2", "2.25.1-1+cuda12.8");
  package(inventory, "libcudnn9-cuda-12", "9.7.1.26-1", true);
  return inventory;
}

const char* const without_folder =
    "Only where that folder is missing or incomplete: install them from the repository by their versions.";

/// What, then its commands, one string each.
std::vector<std::string> lines(const std::vector<Advice>& advice) {
  std::vector<std::string> out;
  for (const Advice& one : advice) {
    out.push_back(one.what);
    out.insert(out.end(), one.commands.begin(), one.commands.end());
  }
  return out;
}

TEST(Pins, PackagesAsTheirManagerNamesThem) {
  EXPECT_THAT(system_packages(debian_node()),
              ElementsAre(StackPackage{"libcudnn9-cuda-12", "9.7.1.26-1", "cudnn", true},
                          StackPackage{"libnccl2", "2.25.1-1+cuda12.8", "nccl", false},
                          StackPackage{"linux-modules-nvidia-570-open-6.8.0-60-generic", "6.8.0-60.63",
                                       "driver", false},
                          StackPackage{"nvidia-driver-570-open", "570.86.15-0ubuntu1", "driver", true}));
  EXPECT_EQ(system_manager(debian_node()), PackageManager::apt);
  EXPECT_EQ(system_manager(Inventory{}), PackageManager::none);
}

TEST(Pins, WhatNoManagerWouldWriteNeverReachesACommand) {
  Inventory inventory = debian_node();
  package(inventory, "libnccl-x; reboot", "1.0");
  package(inventory, "libnccl-dev", "1.0$(reboot)");
  package(inventory, "-o", "1.0");
  EXPECT_EQ(system_packages(inventory), system_packages(debian_node()));
}

TEST(Pins, BeforeADriverUpgrade) {
  EXPECT_THAT(lines(advice_before(debian_node(), parse_plan("driver=580"))),
              ElementsAre("Keep the packages that will be replaced.", "mkdir -p ~/old-gpu-stack-570.86.15",
                          "(cd ~/old-gpu-stack-570.86.15 && apt-get download "
                          "linux-modules-nvidia-570-open-6.8.0-60-generic=6.8.0-60.63 "
                          "nvidia-driver-570-open=570.86.15-0ubuntu1)",
                          "Hold the packages that the plan does not touch.", "sudo apt-mark hold libnccl2",
                          "Let go of the packages that are held and will be replaced.",
                          "sudo apt-mark unhold nvidia-driver-570-open"));
}

TEST(Pins, UnattendedUpgradesAndADriverWithoutPackage) {
  Inventory inventory = debian_node();
  set_all(inventory, {{"packages.unattended_upgrades", "on"},
                      {"packages.unattended_covers_driver", "yes"},
                      {"driver.source", "installer"}});
  const auto advice = advice_before(inventory, parse_plan("nccl=2.27"));
  EXPECT_EQ(advice.front().what, "Keep the installer of the driver that is there, 570.86.15.");
  EXPECT_THAT(advice.front().commands, ElementsAre("ls NVIDIA-Linux-*-570.86.15.run"));
  EXPECT_EQ(advice.back().why, "They are on, and may replace the driver between the two measurements.");
}

TEST(Pins, UnattendedUpgradesStayAwayOverTheRestartAndComeBack) {
  const std::string units = "apt-daily.timer apt-daily-upgrade.timer unattended-upgrades.service";
  Inventory before = debian_node();
  set(before, "packages.unattended_upgrades", "on");
  EXPECT_THAT(advice_before(before, parse_plan("driver=580")).back().commands,
              ElementsAre("sudo systemctl mask --now " + units));
  const auto again = ElementsAre("sudo systemctl unmask " + units, "sudo systemctl start " + units);
  EXPECT_THAT(advice_after_pass(before, debian_node()).back().commands, again);
  const auto back = way_back(before, before, parse_plan("driver=580"));
  EXPECT_THAT(back.back().commands, again) << "last, when the packages are back";
  EXPECT_THAT(lines(way_back(before, before, {})), IsEmpty()) << "nothing to go back to";
  EXPECT_THAT(lines(way_back(debian_node(), debian_node(), parse_plan("driver=580"))),
              testing::Not(testing::Contains(testing::HasSubstr("unmask"))));
}

TEST(Pins, TimersOfDnfAutomaticAreItsOwn) {
  Inventory before;
  before.present("packages.unattended_upgrades", "on", "/etc/systemd/system/timers.target.wants/",
                 "timer and apply_updates of dnf-automatic");
  const std::string units = "dnf-automatic.timer dnf-automatic-install.timer dnf5-automatic.timer";
  EXPECT_THAT(advice_before(before, parse_plan("driver=580")).back().commands,
              ElementsAre("sudo systemctl mask --now " + units));
  EXPECT_THAT(advice_after_pass(before, before).back().commands,
              ElementsAre("sudo systemctl unmask " + units))
      << "which of them was enabled is not known: none is started";
}

TEST(Pins, TheWayBackNamesTheRecordedVersions) {
  Inventory now = debian_node();
  Inventory upgraded;
  for (const Item& item : now.items())
    if (item.key.find("nvidia-driver-570") == std::string::npos) upgraded.add(item);
  set(upgraded, "driver.version", "580.65.06");
  package(upgraded, "nvidia-driver-580-open", "580.65.06-0ubuntu1");
  package(upgraded, "libnccl2", "2.27.3-1+cuda13.0");
  EXPECT_THAT(
      lines(way_back(debian_node(), upgraded, parse_plan("driver=580"))),
      ElementsAre("Go back with the driver from 580.65.06 to 570.86.15. Put the packages back to the "
                  "recorded versions.",
                  "sudo apt-get install --allow-downgrades --allow-change-held-packages "
                  "~/old-gpu-stack-570.86.15/*.deb libnccl2=2.25.1-1+cuda12.8 nvidia-driver-580-open-",
                  without_folder,
                  "sudo apt-get install --allow-downgrades --allow-change-held-packages "
                  "libnccl2=2.25.1-1+cuda12.8 nvidia-driver-570-open=570.86.15-0ubuntu1 "
                  "nvidia-driver-580-open-",
                  "Restart the machine."));
  EXPECT_THAT(lines(way_back(debian_node(), debian_node(), {})), IsEmpty());
}

TEST(Pins, TheWayBackIsKnownBeforeTheChange) {
  EXPECT_THAT(lines(way_back(debian_node(), debian_node(), parse_plan("driver=580.65"))),
              ElementsAre("Go back with the driver from 580.65 to 570.86.15. Put the packages back to the "
                          "recorded versions.",
                          "sudo apt-get install --allow-downgrades --allow-change-held-packages "
                          "~/old-gpu-stack-570.86.15/*.deb",
                          without_folder,
                          "sudo apt-get install --allow-downgrades --allow-change-held-packages "
                          "linux-modules-nvidia-570-open-6.8.0-60-generic=6.8.0-60.63 "
                          "nvidia-driver-570-open=570.86.15-0ubuntu1",
                          "Restart the machine."));
}

TEST(Pins, TheFabricManagerGoesBackInTheDriversTransactionAndOneRestartFollows) {
  Inventory before = debian_node();
  set_all(before, {{"topology.nvswitch", "yes"}, {"framework.torch.version", "2.8.0"}});
  package(before, "nvidia-fabricmanager-570", "570.86.15-1");
  Inventory now;
  for (const Item& item : before.items())
    if (item.key.find("nvidia-fabricmanager") == std::string::npos &&
        item.key.find("nvidia-driver-570") == std::string::npos)
      now.add(item);
  set_all(now, {{"driver.version", "580.65.06"}, {"framework.torch.version", "2.9.0"}});
  package(now, "nvidia-fabricmanager-580", "580.65.06-1");
  EXPECT_THAT(lines(way_back(before, now, parse_plan("driver=580,torch=2.9"))),
              ElementsAre(testing::StartsWith("Go back with PyTorch from 2.9.0 to 2.8.0."),
                          "python3 -m pip install --no-deps torch==2.8.0",
                          testing::StartsWith("Go back with the driver from 580.65.06 to 570.86.15."),
                          "sudo systemctl stop nvidia-fabricmanager",
                          "sudo apt-get install --allow-downgrades --allow-change-held-packages "
                          "~/old-gpu-stack-570.86.15/*.deb nvidia-fabricmanager-580-",
                          without_folder, "sudo systemctl stop nvidia-fabricmanager",
                          "sudo apt-get install --allow-downgrades --allow-change-held-packages "
                          "nvidia-driver-570-open=570.86.15-0ubuntu1 nvidia-fabricmanager-570=570.86.15-1 "
                          "nvidia-fabricmanager-580-",
                          "Restart the machine."));
}

TEST(Pins, AnInstallersDriverIsReinstalledByIt) {
  Inventory before;
  set_all(before, {{"driver.version", "570.86.15"}, {"driver.source", "installer"}});
  EXPECT_THAT(lines(way_back(before, before, parse_plan("driver=580"))),
              ElementsAre("Go back with the driver from 580 to 570.86.15.",
                          "Install the driver of before, 570.86.15, by its installer.",
                          "sudo sh NVIDIA-Linux-*-570.86.15.run", "Restart the machine."));
  EXPECT_THAT(lines(way_back(before, before, parse_plan("nccl=2.27"))), IsEmpty());
}

TEST(Pins, APlannedFrameworkTakesItsWheelsBack) {
  Inventory before;
  set_all(before, {{"framework.torch.version", "2.8.0"}, {"wheel.nvidia-nccl-cu12.version", "2.27.3"}});
  EXPECT_THAT(lines(way_back(before, before, parse_plan("torch=2.9"))),
              ElementsAre("Put the wheels of the Python environment back.",
                          "python3 -m pip install --no-deps nvidia-nccl-cu12==2.27.3 torch==2.8.0"));
}

TEST(Pins, RpmsPackagesAndItsManagers) {
  Inventory inventory;
  inventory.unreadable("packages.database", "/var/lib/rpm/rpmdb.sqlite", "rpm");
  set(inventory, "host.distribution_id", "rhel 9.4");
  add_rpm_packages(
      "bash 5.1.8-9.el9\nlibnccl 2.27.3-1+cuda12.9\nnvidia-driver 3:570.86.15-1.el9\n"
      "kmod-nvidia_open 3:570.86.15-1.el9\nlibnccl-$(x) 1-1\nno-version\n",
      inventory);
  EXPECT_EQ(inventory.value("packages.database"), "rpm");
  EXPECT_THAT(system_packages(inventory),
              ElementsAre(StackPackage{"kmod-nvidia_open", "3:570.86.15-1.el9", "driver", false},
                          StackPackage{"libnccl", "2.27.3-1+cuda12.9", "nccl", false},
                          StackPackage{"nvidia-driver", "3:570.86.15-1.el9", "driver", false}));
  EXPECT_THAT(
      lines(advice_before(inventory, parse_plan("driver=580"))),
      ElementsAre("Keep the packages that will be replaced.",
                  "dnf download --destdir ~/old-gpu-stack kmod-nvidia_open-3:570.86.15-1.el9 "
                  "nvidia-driver-3:570.86.15-1.el9",
                  "Hold the packages that the plan does not touch.", "sudo dnf versionlock add libnccl"));
  set(inventory, "host.distribution_id", "sles 15.6");
  EXPECT_EQ(system_manager(inventory), PackageManager::zypper);
  EXPECT_EQ(advice_before(inventory, parse_plan("driver=580")).back().commands.front(),
            "sudo zypper addlock libnccl");
}

TEST(Pins, RpmsNamesHoldDotsAndUnderscores) {
  const std::string kmod = "kmod-nvidia-6.11.4-301.fc41.x86_64";
  Inventory inventory;
  set_all(inventory, {{"packages.database", "rpm"}, {"host.distribution_id", "fedora 41"}});
  add_package(inventory, kmod, "3:570.86.15-1.fc41", "rpmdb.sqlite", "rpm header");
  add_package(inventory, "kmod-nvidia_open", "3:570.86.15-1.fc41", "rpmdb.sqlite", "rpm header");
  ASSERT_EQ(system_packages(inventory).size(), 2U);
  EXPECT_EQ(system_packages(inventory)[0].name, kmod);
  EXPECT_EQ(system_packages(inventory)[1].name, "kmod-nvidia_open");
}

TEST(Pins, WheelsGoBackToTheirEnvironment) {
  Inventory before;
  set_all(before, {{"python.path", "/opt/venv/bin/python3"},
                   {"framework.torch.version", "2.8.0+cu128"},
                   {"framework.torch.package_version", "2.8.0"},
                   {"framework.onnxruntime.version", "1.22.0"},
                   {"framework.onnxruntime.package", "onnxruntime-gpu"},
                   {"wheel.nvidia-cudnn-cu12.version", "9.10.2.21"}});
  Inventory now = before;
  set_all(now, {{"framework.torch.version", "2.9.0+cu128"}, {"framework.torch.package_version", "2.9.0"}});
  EXPECT_EQ(pip_constraints(before), "nvidia-cudnn-cu12==9.10.2.21\nonnxruntime-gpu==1.22.0\ntorch==2.8.0\n")
      << "the package index has no 2.8.0+cu128";
  EXPECT_THAT(lines(way_back(before, now, {})),
              ElementsAre("Go back with PyTorch from 2.9.0+cu128 to 2.8.0. Put the wheels of the Python "
                          "environment back.",
                          "/opt/venv/bin/python3 -m pip install --no-deps torch==2.8.0"));
}

TEST(Pins, AWheelWhoseMetadataHasALocalPartKeepsIt) {
  Inventory before;
  set_all(before, {{"framework.torch.version", "2.8.0+cu126"}});
  Inventory now = before;
  set(now, "framework.torch.version", "2.8.0+cu128");
  EXPECT_EQ(pip_constraints(before), "torch==2.8.0+cu126\n");
  EXPECT_THAT(lines(way_back(before, now, {})),
              ElementsAre("Put the wheels of the Python environment back.",
                          "python3 -m pip install --no-deps torch==2.8.0+cu126"));
}

TEST(Pins, AfterAPassWhatIsThereIsHeld) {
  Inventory now = debian_node();
  set(now, "packages.unattended_upgrades", "off");
  EXPECT_THAT(lines(advice_after_pass(debian_node(), now)),
              ElementsAre("Hold the stack that was judged.",
                          "sudo apt-mark hold libnccl2 linux-modules-nvidia-570-open-6.8.0-60-generic"));
}

}  // namespace
}  // namespace gpugauge::stack
