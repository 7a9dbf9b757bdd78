#include "stack/inventory/packages.hpp"

#include <gmock/gmock.h>

#include "stack/gzip.hpp"
#include "stack/inventory/collect.hpp"
#include "unit/stack/fake_tree.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string stanza(const std::string& name, const std::string& version, const std::string& status = "install",
                   const std::string& maintainer = "Ubuntu Core Developers <x@ubuntu.com>") {
  return fmt::format(
      "Package: {}\nStatus: {} ok installed\nPriority: optional\nMaintainer: {}\nArchitecture: amd64\n"
      "Version: {}\nDescription: text\n with a second line\n .\n Package: not-one\n\n",
      name, status, maintainer, version);
}

Inventory packages_of(const FakeTree& tree) {
  Inventory inventory;
  collect_packages({Tree(tree.root()), {}, "", {}, false, 20, {}}, inventory);
  return inventory;
}

TEST(Packages, ReadsDpkgsStatus) {
  const auto packages =
      parse_dpkg_status(stanza("nvidia-driver-580", "580.65.06-0ubuntu1", "hold") +
                        "Package: removed\nStatus: deinstall ok config-files\nVersion: 1\n\n" +
                        "Package: no-version\nStatus: install ok installed\n\n" +
                        stanza("libcuda1", "1:2-3", "install", "N <n@nvidia.com>") + stanza("libcuda1", "9") +
                        "Package: cut\nStatus: install ok unpacked\nVersion: 7");
  EXPECT_THAT(packages, ElementsAre(Package{"nvidia-driver-580", "580.65.06-0ubuntu1",
                                            "Ubuntu Core Developers <x@ubuntu.com>", true},
                                    Package{"libcuda1", "1:2-3", "N <n@nvidia.com>", false},
                                    Package{"cut", "7", "", false}));
}

TEST(Packages, UpstreamVersionHasNeitherEpochNorRevision) {
  EXPECT_EQ(upstream_version("580.65.06-0ubuntu1"), "580.65.06");
  EXPECT_EQ(upstream_version("1:580.65.06-0ubuntu0.24.04.1"), "580.65.06");
  EXPECT_EQ(upstream_version("9.10.2.21-1"), "9.10.2.21");
  EXPECT_EQ(upstream_version("2.36"), "2.36");
  EXPECT_EQ(upstream_version(""), "");
}

TEST(Packages, OnlyThoseOfTheStackAreTold) {
  FakeTree tree;
  tree.file("/var/lib/dpkg/status",
            stanza("adduser", "3.1") + stanza("libcudnn9-cuda-12", "9.10.2.21-1", "hold") +
                stanza("linux-modules-nvidia-580-6.8.0-60-generic", "6.8.0-60.63") + stanza("vim", "2"));
  const Inventory inventory = packages_of(tree);
  EXPECT_EQ(inventory.value("packages.database"), "dpkg");
  EXPECT_THAT(inventory.children("package"),
              ElementsAre("libcudnn9-cuda-12", "linux-modules-nvidia-580-6_8_0-60-generic"));
  EXPECT_EQ(inventory.value("package.libcudnn9-cuda-12.version"), "9.10.2.21-1");
  EXPECT_EQ(inventory.value("package.libcudnn9-cuda-12.held"), "yes");
  EXPECT_EQ(inventory.value("package.linux-modules-nvidia-580-6_8_0-60-generic.held"), "no");
}

TEST(Packages, AnImageWithoutAPackageManagerHasOneFileAPackage) {
  FakeTree tree;
  tree.file("/var/lib/dpkg/status.d/libc6", "Package: libc6\nVersion: 2.36-9\n");
  tree.file("/var/lib/dpkg/status.d/libc6.md5sums", "Package: no\nVersion: 1\n");
  EXPECT_THAT(read_packages(Tree(tree.root())).packages, ElementsAre(Package{"libc6", "2.36-9", "", false}));
}

TEST(Packages, RpmsDatabaseIsSaidToBeUnreadable) {
  FakeTree tree;
  tree.file("/var/lib/rpm/rpmdb.sqlite", "SQLite format 3");
  const Inventory inventory = packages_of(tree);
  ASSERT_TRUE(inventory.unreadable("packages.database"));
  EXPECT_EQ(inventory.find("packages.database")->needs,
            "the command `rpm -qa | grep -iE 'nvidia|cuda'`: only rpm reads it");
  EXPECT_EQ(packages_of(FakeTree()).find("packages.database")->presence, Presence::absent);
}

TEST(Packages, APinToAVersionHolds) {
  FakeTree tree;
  tree.file("/var/lib/dpkg/status",
            stanza("nvidia-driver-580", "580.65.06-1") + stanza("cuda-toolkit-12-8", "12.8.1-1"));
  tree.file("/etc/apt/preferences.d/nvidia",
            "# remark\nPackage: nvidia-* libnvidia-*\nPin: version 580.65.06*\nPin-Priority: 1001\n\n"
            "Package: *\nPin: release l=NVIDIA CUDA\nPin-Priority: 600\n");
  tree.file("/etc/apt/preferences.d/ignored.bak", "Package: cuda-*\nPin: version 12\nPin-Priority: 1001\n");
  const Inventory inventory = packages_of(tree);
  EXPECT_EQ(inventory.value("package.nvidia-driver-580.held"), "yes");
  EXPECT_EQ(inventory.find("package.nvidia-driver-580.held")->source, "/etc/apt/preferences.d/nvidia");
  EXPECT_EQ(inventory.value("package.cuda-toolkit-12-8.held"), "no") << "a pin to a repository is no hold";
}

TEST(Packages, ReadsAptsConfiguration) {
  const auto settings = parse_apt_configuration(
      "// remark { \"\n# another\n/* and\n\"one\" */\nAPT::Periodic::Unattended-Upgrade \"1\";\n"
      "Unattended-Upgrade {\n  Allowed-Origins { \"a:b\"; \"c\"; };\n  Package-Blacklist:: \"nvidia\"; }\nX "
      "\"open",
      "f");
  std::vector<std::string> seen;
  seen.reserve(settings.size());
  for (const AptSetting& setting : settings) seen.push_back(setting.key + "=" + setting.value);
  EXPECT_THAT(seen,
              ElementsAre("apt::periodic::unattended-upgrade=1", "unattended-upgrade::allowed-origins=a:b",
                          "unattended-upgrade::allowed-origins=c",
                          "unattended-upgrade::package-blacklist=nvidia", "x=open"));
  EXPECT_THAT(parse_apt_configuration(std::string(5000, '{'), "f"), IsEmpty());
  EXPECT_THAT(parse_apt_configuration("}}}};;;", "f"), IsEmpty());
  // A name of half a megabyte, repeated by each of 200,000 values.
  std::string many = std::string(1U << 19U, 'n') + " {";
  std::string named = "a {";
  for (int i = 0; i < 200000; ++i) many += "\"\"", named += "\"\"";
  EXPECT_THAT(parse_apt_configuration(many, "f"), IsEmpty());
  EXPECT_LE(parse_apt_configuration(named, "f").size(), 20000U);
}

struct Unattended {
  std::string name;
  std::string configuration;
  std::string packages;
  std::string state;
  std::string covers;
};
std::ostream& operator<<(std::ostream& out, const Unattended& one) {
  return out << one.name;
}
class UnattendedUpgrades : public testing::TestWithParam<Unattended> {};

TEST_P(UnattendedUpgrades, AreKnownWithWhatTheyCover) {
  FakeTree tree;
  tree.file("/etc/apt/apt.conf.d/20auto-upgrades", GetParam().configuration);
  tree.file("/var/lib/dpkg/status", GetParam().packages);
  const Inventory inventory = packages_of(tree);
  EXPECT_EQ(inventory.value("packages.unattended_upgrades"), GetParam().state);
  EXPECT_EQ(inventory.value("packages.unattended_covers_driver"), GetParam().covers);
}

const std::string on = "APT::Periodic::Unattended-Upgrade \"1\";\n";
const std::string security =
    "Unattended-Upgrade::Allowed-Origins { \"${distro_id}:${distro_codename}-security\"; };\n";
const std::string unattended = stanza("unattended-upgrades", "2.9");
const std::string driver_package = stanza("nvidia-driver-580", "580.65.06-1");
const std::string driver_of_nvidia =
    stanza("nvidia-driver-580", "580.65.06-1", "install", "c <c@nvidia.com>");

INSTANTIATE_TEST_SUITE_P(
    Cases, UnattendedUpgrades,
    testing::Values(
        Unattended{"distribution_driver", on + security, unattended + driver_package, "on", "yes"},
        Unattended{"nvidias_driver", on + security, unattended + driver_of_nvidia, "on", "no"},
        Unattended{"nvidias_origin", on + "Unattended-Upgrade::Origins-Pattern { \"origin=NVIDIA\"; };\n",
                   unattended + driver_of_nvidia, "on", "yes"},
        Unattended{"blacklisted",
                   on + security + "Unattended-Upgrade::Package-Blacklist { \"^nvidia-.*\"; };\n",
                   unattended + driver_package, "on", "no"},
        Unattended{"held", on + security, unattended + stanza("nvidia-driver-580", "1-1", "hold"), "on",
                   "no"},
        Unattended{"another_held", on + security,
                   unattended + driver_package + stanza("nvidia-fabricmanager-580", "1-1", "hold"), "on",
                   "yes"},
        Unattended{"meta_package_held", on + security,
                   unattended + driver_package + stanza("cuda-drivers", "1-1", "hold"), "on", "yes"},
        Unattended{"module_held", on + security,
                   unattended + driver_package + stanza("nvidia-dkms-580", "1-1", "hold"), "on", "no"},
        Unattended{
            "debians_own_driver", on + security,
            unattended + stanza("nvidia-driver", "535.247.01-1", "install",
                                "Debian NVIDIA Maintainers <pkg-nvidia-devel@lists.alioth.debian.org>"),
            "on", "yes"},
        Unattended{"no_origins", on, unattended + driver_package, "on", "unknown"},
        Unattended{"no_driver_package", on + security, unattended, "on", "unknown"},
        Unattended{"not_installed", on + security, driver_package, "off", ""},
        Unattended{"zero", "APT::Periodic::Unattended-Upgrade \"0\";\n", unattended + driver_package, "off",
                   ""},
        Unattended{"switched_off_as_a_whole", on + "APT::Periodic::Enable \"0\";\n",
                   unattended + driver_package, "off", ""},
        Unattended{"nothing_said", "", unattended + driver_package, "off", ""}),
    [](const testing::TestParamInfo<Unattended>& of) { return of.param.name; });

TEST(History, ReadsDpkgsLog) {
  EXPECT_THAT(
      parse_dpkg_log(
          "2026-08-03 10:22:01 startup archives unpack\n"
          "2026-08-03 10:22:01 upgrade nvidia-driver-580:amd64 580.65.06-0ubuntu1 580.95.05-0ubuntu1\n"
          "2026-08-03 10:22:02 install nvidia-utils-580:amd64 <none> 580.95.05-0ubuntu1\n"
          "2026-08-03 10:22:02 upgrade vim:amd64 1 2\n"
          "2026-08-03 10:22:03 status installed nvidia-driver-580:amd64 580.95.05-0ubuntu1\n"
          "2026-08-03 10:22:04 remove libnvidia-compute-570:amd64 570.1-1 <none>\nupgrade\n\n"),
      ElementsAre(PackageChange{"2026-08-03 10:22:01", "upgrade", "nvidia-driver-580", "580.65.06",
                                "580.95.05", "", "dpkg log"},
                  PackageChange{"2026-08-03 10:22:02", "install", "nvidia-utils-580", "", "580.95.05", "",
                                "dpkg log"},
                  PackageChange{"2026-08-03 10:22:04", "remove", "libnvidia-compute-570", "570.1", "", "",
                                "dpkg log"}));
}

TEST(History, ReadsAptsHistory) {
  EXPECT_THAT(
      parse_apt_history(
          "\nStart-Date: 2026-08-03  06:12:44\nCommandline: /usr/bin/unattended-upgrade\n"
          "Install: nvidia-firmware-580:amd64 (580.95.05-0ubuntu1, automatic), vim:amd64 (1)\n"
          "Upgrade: vim:amd64 (1, 2), nvidia-driver-580:amd64 (580.65.06-0ubuntu1, 580.95.05-0ubuntu1)\n"
          "Remove: libnvidia-gl-570:amd64 (570.1-1)\nEnd-Date: 2026-08-03  06:13:10\n\n"
          "Upgrade: nvidia-driver-580:amd64 (1-1, 2-1)\n"),
      ElementsAre(PackageChange{"2026-08-03 06:12:44", "install", "nvidia-firmware-580", "", "580.95.05", "",
                                "apt history: /usr/bin/unattended-upgrade"},
                  PackageChange{"2026-08-03 06:12:44", "upgrade", "nvidia-driver-580", "580.65.06",
                                "580.95.05", "", "apt history: /usr/bin/unattended-upgrade"},
                  PackageChange{"2026-08-03 06:12:44", "remove", "libnvidia-gl-570", "570.1", "", "",
                                "apt history: /usr/bin/unattended-upgrade"}));
  EXPECT_EQ(parse_apt_history(
                "Start-Date: 2026-08-03  10:22:01\nCommandline: apt-get -o "
                "Acquire::http::Proxy=http://bob:s3cret@proxy.example:3128 -o x::Token=y install " +
                std::string(100, 'a') + " http://bob:s3cret@h\nInstall: nvidia-driver-580:amd64 (1.0)\n")
                .at(0)
                .how,
            "apt history: apt-get -o Acquire::http::Proxy=http://withheld@proxy.example:3128 -o "
            "x::Token=withheld install aaaaaaaaaaaaaaaaaaaaaaaa")
      << "withheld before it is cut";
  EXPECT_THAT(parse_apt_history("Start-Date: x\nUpgrade: nvidia-driver-580:amd64 (1"), IsEmpty());
}

TEST(History, ReadsDnfsLog) {
  EXPECT_THAT(
      parse_dnf_log(
          "2026-08-03T10:22:01+0000 SUBDEBUG Upgrade: nvidia-driver-3:580.95.05-1.el9.x86_64\n"
          "2026-08-03T10:22:09+0000 SUBDEBUG Upgraded: nvidia-driver-3:580.65.06-1.el9.x86_64\n"
          "2026-08-03T10:22:10+0000 SUBDEBUG Installed: kmod-nvidia-open-dkms-3:580.95.05-1.el9.noarch\n"
          "2026-08-03T10:22:11+0000 INFO --- logging initialized ---\n"),
      ElementsAre(PackageChange{"2026-08-03 10:22:01", "upgrade", "nvidia-driver", "580.65.06", "580.95.05",
                                "", "dnf log"},
                  PackageChange{"2026-08-03 10:22:10", "install", "kmod-nvidia-open-dkms", "", "580.95.05",
                                "", "dnf log"}));
}

TEST(History, TellsATransactionOnceNewestFirst) {
  FakeTree tree;
  tree.file("/var/log/dpkg.log.1",
            "2026-05-01 08:00:00 install libnvidia-compute-570:amd64 <none> 570.1-1\n");
  tree.file("/var/log/dpkg.log",
            "2026-08-03 06:12:50 upgrade libnvidia-compute-580:amd64 580.65.06-1 580.95.05-1\n"
            "2026-08-03 06:12:51 upgrade nvidia-driver-580:amd64 580.65.06-1 580.95.05-1\n");
  tree.file("/var/log/apt/history.log",
            "Start-Date: 2026-08-03  06:12:44\nCommandline: /usr/bin/unattended-upgrade\n"
            "Upgrade: libnvidia-compute-580:amd64 (580.65.06-1, 580.95.05-1), nvidia-driver-580:amd64 "
            "(580.65.06-1, 580.95.05-1)\n");
  const Inventory inventory = packages_of(tree);
  EXPECT_THAT(inventory.children("driver.history"), ElementsAre("0", "1"));
  EXPECT_EQ(inventory.value("driver.history.0"),
            "2026-08-03 06:12:44 upgrade nvidia-driver-580 580.65.06 -> 580.95.05");
  EXPECT_EQ(inventory.find("driver.history.0")->how,
            "apt history: /usr/bin/unattended-upgrade, with 1 more packages");
  EXPECT_EQ(inventory.value("driver.history.1"), "2026-05-01 08:00:00 install libnvidia-compute-570 570.1");
}

TEST(History, ReadsYumsLogInItsOwnOrder) {
  EXPECT_THAT(parse_yum_log("Aug 03 10:22:01 Installed: 3:nvidia-driver-470.256.02-1.el7.x86_64\n"
                            "Aug 03 10:22:02 Updated: kmod-nvidia-latest-dkms-470.256.02-1.el7.x86_64\n"
                            "Aug 03 10:22:03 Erased: nvidia-driver-cuda\n"
                            "Aug 03 10:22:03 Installed: vim-8.0-1.el7.x86_64\n"),
              ElementsAre(PackageChange{"Aug 03 10:22:01", "install", "nvidia-driver", "", "470.256.02", "",
                                        "yum log, which has no year"},
                          PackageChange{"Aug 03 10:22:02", "upgrade", "kmod-nvidia-latest-dkms", "",
                                        "470.256.02", "", "yum log, which has no year"},
                          PackageChange{"Aug 03 10:22:03", "remove", "nvidia-driver-cuda", "", "", "",
                                        "yum log, which has no year"}));
  FakeTree tree;
  tree.file("/var/log/yum.log",
            "Dec 30 10:22:01 Installed: 3:nvidia-driver-450.80.02-1.el7.x86_64\n"
            "Jan 02 10:22:01 Updated: 3:nvidia-driver-470.256.02-1.el7.x86_64\n");
  EXPECT_EQ(packages_of(tree).value("driver.history.0"), "Jan 02 10:22:01 upgrade nvidia-driver 470.256.02");
}

TEST(History, ReadsZyppersHistory) {
  FakeTree tree;
  tree.file(
      "/var/log/zypp/history",
      "# 2026-08-03 10:20:00 package installed ok\n"
      "2026-08-03 "
      "10:22:01|install|nvidia-open-driver-G06-signed-kmp-default|580.95.05_k6.4-1.1|x86_64|root@n|r|c|\n"
      "2026-08-04 10:22:01|remove |nvidia-compute-G06|570.1-1|x86_64|root@n|\n"
      "2026-08-04 10:22:01|install|vim|9-1|x86_64|root@n|r|c|\n2026-08-04|install|nvidia-compute-G06\n");
  const Inventory inventory = packages_of(tree);
  EXPECT_EQ(inventory.value("driver.history.0"), "2026-08-04 10:22:01 remove nvidia-compute-G06 570.1");
  EXPECT_EQ(inventory.value("driver.history.1"),
            "2026-08-03 10:22:01 install nvidia-open-driver-G06-signed-kmp-default 580.95.05_k6.4");
}

/// "2026-05-01 08:00:00 upgrade nvidia-driver-580:amd64 580.65.06-1 580.95.05-1" as gzip packs it.
std::string packed_log() {
  const char* const hex =
      "1f8b08000000000002ff33323032d33530d535305430b0b03230002285d282f4a2c4945485bcb2cc94cc44dd94a2ccb2"
      "d4225d530b03abc4dc14331305204bcfcc54cfc04cd710ccb604b24d750db900cf42f0d44c000000";
  std::string bytes;
  for (const char* at = hex; *at != '\0'; at += 2)
    bytes += static_cast<char>(std::stoi(std::string(at, 2), nullptr, 16));
  return bytes;
}

TEST(History, ReadsWhatLogrotatePacked) {
  FakeTree tree;
  tree.file("/var/log/dpkg.log", "2026-08-03 06:12:50 upgrade vim:amd64 1 2\n");
  tree.file("/var/log/dpkg.log.2.gz", packed_log());
  const Inventory inventory = packages_of(tree);
  if (!can_unpack()) {
    EXPECT_EQ(inventory.find("driver.history")->needs, "the command `zcat /var/log/dpkg.log.2.gz`");
    return;
  }
  EXPECT_EQ(inventory.value("driver.history.0"),
            "2026-05-01 08:00:00 upgrade nvidia-driver-580 580.65.06 -> 580.95.05");
  EXPECT_EQ(inventory.find("driver.history.0")->source, "/var/log/dpkg.log.2.gz");
}

TEST(History, DamagedAndHostilePacksCostNothing) {
  EXPECT_EQ(unpacked("", 100), std::nullopt);
  EXPECT_EQ(unpacked("no gzip at all", 100), std::nullopt);
  if (!can_unpack()) GTEST_SKIP() << "this build lacks zlib";
  const std::string whole = packed_log();
  EXPECT_EQ(unpacked(whole, 4), "5-1\n") << "the end of it";
  for (std::size_t cut = 2; cut < whole.size(); ++cut)
    EXPECT_TRUE(unpacked(whole.substr(0, cut), 100).has_value());
  std::string damaged = whole;
  for (std::size_t i = 10; i < damaged.size(); ++i) damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
  EXPECT_LE(unpacked(damaged, 100)->size(), 100U);
}

TEST(History, NamesTheLogThatWasNotReadAndHowToReadIt) {
  FakeTree tree;
  tree.file("/var/log/zypp/history-20260803.xz",
            "\xfd"
            "7zXZ");
  ASSERT_TRUE(packages_of(tree).unreadable("driver.history"));
  EXPECT_EQ(packages_of(tree).find("driver.history")->needs,
            "the command `xzcat /var/log/zypp/history-20260803.xz`");
  FakeTree fedora;
  fedora.file("/usr/lib/sysimage/libdnf5/transaction_history.sqlite", "SQLite format 3");
  EXPECT_THAT(packages_of(fedora).find("driver.history")->needs, testing::HasSubstr("dnf history list"));
}

TEST(History, TakesTheNewestRotatedLogsFirstAndNoOtherFile) {
  FakeTree tree;
  for (int i = 0; i < 40; ++i)
    tree.file(fmt::format("/var/log/dpkg.log.{}", i + 1),
              fmt::format("2026-05-01 08:00:{:02} upgrade nvidia-driver-580:amd64 580.{}-1 581.{}-1\n",
                          59 - i, i, i));
  tree.file("/var/log/dpkg.log.old", "2027-05-01 08:00:00 install nvidia-driver-999:amd64 <none> 9-1\n");
  const Inventory inventory = packages_of(tree);
  EXPECT_EQ(inventory.value("driver.history.0"),
            "2026-05-01 08:00:59 upgrade nvidia-driver-580 580.0 -> 581.0");
  EXPECT_EQ(inventory.children("driver.history").size(), 12U);
}

TEST(History, NothingIsAnAnswerToo) {
  FakeTree tree;
  tree.file("/var/log/dpkg.log", "2026-08-03 06:12:50 upgrade vim:amd64 1 2\n");
  EXPECT_EQ(packages_of(tree).find("driver.history")->presence, Presence::absent);
  FakeTree folder;  // what is no file cannot be read
  folder.file("/var/log/dpkg.log/x", "");
  ASSERT_TRUE(packages_of(folder).unreadable("driver.history"));
  EXPECT_EQ(packages_of(folder).find("driver.history")->source, "/var/log/dpkg.log");
}

TEST(Packages, HostileFilesCostNothing) {
  FakeTree tree;
  tree.file("/var/lib/dpkg/status",
            std::string(100000, '\0') + "\n\n\xff\xfe Package: \n" + std::string(300000, 'x'));
  tree.file("/var/log/dpkg.log", std::string(200000, ' ') + std::string("\0\0\n", 3));
  tree.file("/var/log/apt/history.log", "Start-Date: \nUpgrade: nvidia-driver (" + std::string(100000, '('));
  tree.link("/etc/apt/apt.conf.d/loop", "loop");
  tree.file("/etc/apt/preferences", "Package: [\nPin: version *\nPin-Priority: 99999999999999999999\n");
  const Inventory inventory = packages_of(tree);
  EXPECT_EQ(inventory.value("packages.database"), "dpkg");
  EXPECT_THAT(inventory.children("package"), IsEmpty());
  EXPECT_EQ(inventory.value("packages.unattended_upgrades"), "off");
}

}  // namespace
}  // namespace gpugauge::stack
