// rpm's headers, dnf's locks and dnf-automatic; the database itself is read in tests/cli/doctor_rpm.bats.
#include <gmock/gmock.h>

#include "stack/inventory/collect.hpp"
#include "stack/inventory/packages.hpp"
#include "unit/stack/fake_tree.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string number(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(value >> static_cast<unsigned>(shift) & 0xffU);
  return bytes;
}

struct Field {
  std::uint32_t tag;
  std::string text;  ///< "" for the number
  std::uint32_t value = 0;
};

/// As rpm stores it: count of fields, size of the data, an entry of 16 bytes each, the data.
std::string header(const std::vector<Field>& fields) {
  std::string index;
  std::string data;
  for (const Field& field : fields) {
    while (field.text.empty() && data.size() % 4 != 0) data += '\0';
    index += number(field.tag) + number(field.text.empty() ? 4 : 6) +
             number(static_cast<std::uint32_t>(data.size())) + number(1);
    data += field.text.empty() ? number(field.value) : field.text + std::string(1, '\0');
  }
  return number(static_cast<std::uint32_t>(fields.size())) + number(static_cast<std::uint32_t>(data.size())) +
         index + data;
}

const std::vector<Field> driver{{1000, "nvidia-driver"}, {1001, "580.95.05"},          {1002, "1.el9"},
                                {1003, "", 3},           {1011, "NVIDIA Corporation"}, {1015, "someone"}};

TEST(Rpm, AHeaderTellsNameVersionAndVendor) {
  EXPECT_EQ(parse_rpm_header(header(driver)),
            (Package{"nvidia-driver", "3:580.95.05-1.el9", "NVIDIA Corporation someone", false}));
  EXPECT_EQ(upstream_version("3:580.95.05-1.el9"), "580.95.05");
  EXPECT_EQ(parse_rpm_header(header({{1000, "glibc"}, {1001, "2.34"}}))->version, "2.34");
}

TEST(Rpm, ADamagedHeaderIsNone) {
  EXPECT_EQ(parse_rpm_header(""), std::nullopt);
  EXPECT_EQ(parse_rpm_header(number(0xffffffffU) + number(1)), std::nullopt);
  EXPECT_EQ(parse_rpm_header(header({{1001, "1"}})), std::nullopt) << "nobody knows whose version";
  const std::string whole = header(driver);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) parse_rpm_header(whole.substr(0, cut));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = '\xff';
    parse_rpm_header(damaged);
  }
}

TEST(Rpm, AHeaderWhoseEntriesAllLeadToOneLongTextStaysSmall) {
  constexpr std::uint32_t entries = 60000;
  std::string index = number(1000) + number(6) + number(0) + number(1) +  // name
                      number(1001) + number(6) + number(0) + number(1);   // version
  for (std::uint32_t i = 2; i < entries; ++i) index += number(1011) + number(6) + number(0) + number(1);
  const std::string text(1U << 20U, 'x');
  const auto package =
      parse_rpm_header(number(entries) + number(static_cast<std::uint32_t>(text.size())) + index + text);
  ASSERT_TRUE(package);
  EXPECT_LE(package->maintainer.size(), 4096U);
  EXPECT_LE(package->name.size(), 4096U);
}

std::vector<std::string> names(const std::vector<Pin>& pins) {
  std::vector<std::string> out;
  out.reserve(pins.size());
  for (const Pin& pin : pins) out.push_back(pin.package);
  return out;
}

TEST(Rpm, DnfsLocksAndExcludesHold) {
  FakeTree tree;
  tree.file(
      "/etc/dnf/plugins/versionlock.list",
      "# Added lock on Mon\nkmod-nvidia-open-dkms-3:580.95.05-1.el9.*\nnvidia-driver-3:580.95.05-1.el9.*\n"
      "!nvidia-kmod-3:570.1-1.el9.*\nlibcudnn9\n");
  tree.file("/etc/dnf/versionlock.toml", "version = \"1.0\"\n[[packages]]\nname = \"nvidia-open\"\n");
  tree.file("/etc/dnf/dnf.conf", "[main]\ngpgcheck=1\nexcludepkgs = cuda-drivers*, vim\n");
  const std::vector<Pin> pins = read_dnf_locks(Tree(tree.root()));
  EXPECT_THAT(names(pins), ElementsAre("kmod-nvidia-open-dkms", "nvidia-driver", "libcudnn9", "nvidia-open",
                                       "cuda-drivers*", "vim"));
  EXPECT_NE(find_pin(pins, "cuda-drivers-580"), nullptr);
  EXPECT_EQ(find_pin(pins, "nvidia-driver-cuda"), nullptr);
  EXPECT_THAT(read_dnf_locks(Tree(FakeTree().root())), IsEmpty());
}

TEST(Rpm, DnfAutomaticIsKnownByItsTimerAndItsConfiguration) {
  const auto state = [](const char* timer, const char* configuration) {
    FakeTree tree;
    if (*timer != '\0') tree.file(std::string("/etc/systemd/system/timers.target.wants/") + timer, "");
    tree.file("/etc/dnf/automatic.conf", configuration);
    const DnfAutomatic found = read_dnf_automatic(Tree(tree.root()));
    return found.source.empty() ? std::string("none")
                                : std::string(found.on ? "on" : "off") + (found.all ? " all" : " security");
  };
  EXPECT_EQ(state("", "[commands]\napply_updates = yes\n"), "none") << "no timer starts it";
  EXPECT_EQ(state("dnf-automatic.timer", "[commands]\nupgrade_type = default\napply_updates = yes\n"),
            "on all");
  EXPECT_EQ(state("dnf-automatic.timer", "[commands]\napply_updates = no\n"), "off all");
  EXPECT_EQ(state("dnf-automatic-install.timer", "[commands]\nupgrade_type = security\n"), "on security");
  EXPECT_EQ(state("dnf5-automatic.timer", "[commands]\napply_updates = True\n"), "on all");
}

TEST(Rpm, WithoutADatabaseThatCanBeReadWhatCoversTheDriverIsUnknown) {
  FakeTree tree;
  tree.file("/var/lib/rpm/Packages.db", "RpmP");
  tree.file("/etc/systemd/system/timers.target.wants/dnf-automatic-install.timer", "");
  Inventory inventory;
  collect_packages({Tree(tree.root()), {}, "", {}, false, 20, {}}, inventory);
  EXPECT_TRUE(inventory.unreadable("packages.database"));
  EXPECT_EQ(inventory.value("packages.unattended_upgrades"), "on");
  EXPECT_EQ(inventory.value("packages.unattended_covers_driver"), "unknown");
}

}  // namespace
}  // namespace gpugauge::stack
