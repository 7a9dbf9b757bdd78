// Reads dpkg's database and classifies the driver's packages.
#include <algorithm>
#include <array>
#include <cerrno>
#include <unordered_set>

#include <fmt/format.h>

#include "stack/elf_bytes.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/packages.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t status_limit = std::size_t{64} << 20;

constexpr std::array rpm_databases{"/var/lib/rpm/rpmdb.sqlite", "/usr/lib/sysimage/rpm/rpmdb.sqlite",
                                   "/var/lib/rpm/Packages.db",  "/usr/lib/sysimage/rpm/Packages.db",
                                   "/var/lib/rpm/Packages",     "/usr/share/rpm/rpmdb.sqlite"};

/// Parses "hold ok installed": the wanted state, the error flag, the current state.
bool is_installed(std::string_view status) {
  const std::string_view state = status.substr(std::min(status.rfind(' ') + 1, status.size()));
  return state == "installed" || state == "half-configured" || state == "unpacked" ||
         state.starts_with("triggers-");
}

}  // namespace

std::vector<Package> parse_dpkg_status(std::string_view text) {
  std::vector<Package> packages;
  std::unordered_set<std::string> names;
  Package package;
  bool installed = false;
  const auto close = [&] {
    if (installed && !package.name.empty() && !package.version.empty() && names.insert(package.name).second)
      packages.push_back(std::move(package));
    package = {};
    installed = false;
  };
  for_each_line(text, [&](std::string_view line) {
    if (line.empty()) return close();
    if (const auto name = after(line, "Package: ")) package.name = *name;
    if (const auto version = after(line, "Version: ")) package.version = *version;
    if (const auto maintainer = after(line, "Maintainer: ")) package.maintainer = *maintainer;
    if (const auto status = after(line, "Status: ")) {
      installed = is_installed(*status);
      package.held = status->starts_with("hold ");
    }
  });
  close();
  return packages;
}

const Package* PackageDatabase::find(std::string_view name) const {
  const auto found = std::find_if(packages.begin(), packages.end(),
                                  [&](const Package& package) { return package.name == name; });
  return found == packages.end() ? nullptr : &*found;
}

PackageDatabase read_packages(const Tree& tree) {
  PackageDatabase database;
  database.source = "/var/lib/dpkg/status";
  const Reading status = tree.read(database.source, status_limit);
  database.presence = status.presence;
  if (status.present()) {
    database.packages = parse_dpkg_status(status.text);
    return database;
  }
  if (status.presence == Presence::unreadable) {
    database.needs = "root";
    return database;
  }
  // Images without a package manager keep one file per package.
  const std::string folder = "/var/lib/dpkg/status.d";
  for (const std::string& name : tree.list(folder)) {
    if (name.ends_with(".md5sums")) continue;
    const Reading one = tree.read(fmt::format("{}/{}", folder, name));
    if (!one.present()) continue;
    database.presence = Presence::present;
    database.source = folder;
    for (Package& package : parse_dpkg_status("Status: install ok installed\n" + one.text))
      database.packages.push_back(std::move(package));
  }
  if (database.presence == Presence::present) return database;
  for (const char* const rpm : rpm_databases) {
    if (!tree.exists(rpm)) continue;
    database.kind = "rpm";
    database.source = rpm;
    if (auto found = read_rpm_packages(tree.at(rpm).string())) {
      database.presence = Presence::present;
      database.packages = std::move(*found);
      return database;
    }
    database.presence = Presence::unreadable;
    database.needs = FileBytes(tree.at(rpm)).error() == EINVAL
                         ? "a regular file in its place"
                         : "the command `rpm -qa | grep -iE 'nvidia|cuda'`: only rpm reads it";
    return database;
  }
  return database;
}

std::string upstream_version(std::string_view version) {
  const auto epoch = version.find(':');
  if (epoch != std::string_view::npos) version.remove_prefix(epoch + 1);
  return std::string(version.substr(0, version.rfind('-')));
}

bool is_driver_package(std::string_view name) {
  constexpr std::array prefixes{"nvidia-driver",
                                "nvidia-open",
                                "nvidia-kernel",
                                "nvidia-dkms",
                                "nvidia-headless",
                                "nvidia-utils",
                                "nvidia-compute",
                                "nvidia-kmod",
                                "nvidia-gl-G",
                                "nvidia-video-G",
                                "nvidia-common-G",
                                "nvidia-fabric",
                                "nvidia-legacy",
                                "nvidia-tesla",
                                "nvidia-persistence",
                                "nvidia-modprobe",
                                "nvidia-firmware",
                                "libnvidia-compute",
                                "libnvidia-ml",
                                "libnvidia-cfg",
                                "libnvidia-gl",
                                "libnvidia-common",
                                "libnvidia-decode",
                                "libnvidia-encode",
                                "libnvidia-nscq",
                                "libnvidia-ptx",
                                "libnvidia-nvvm",
                                "libcuda1",
                                "cuda-drivers",
                                "linux-modules-nvidia",
                                "linux-objects-nvidia",
                                "linux-signatures-nvidia",
                                "kmod-nvidia",
                                "akmod-nvidia",
                                "xorg-x11-drv-nvidia",
                                "xserver-xorg-video-nvidia",
                                "nvidia-imex",
                                "nvlsm",
                                "datacenter-gpu-manager-fabric"};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

DriverPart driver_part(std::string_view name) {
  struct Beginning {
    std::string_view text;
    DriverPart part;
  };
  // The first matching beginning counts.
  constexpr std::array beginnings{Beginning{"nvidia-driver-pinning", DriverPart::none},
                                  Beginning{"nvidia-driver-assistant", DriverPart::none},
                                  Beginning{"nvidia-driver-local-repo", DriverPart::none},
                                  Beginning{"nvidia-driver-cuda-libs", DriverPart::libcuda},
                                  Beginning{"nvidia-driver-bin", DriverPart::beside},
                                  Beginning{"nvidia-driver-libs", DriverPart::beside},
                                  Beginning{"nvidia-driver-cuda", DriverPart::beside},
                                  Beginning{"nvidia-driver", DriverPart::whole},
                                  Beginning{"nvidia-dkms", DriverPart::module},
                                  Beginning{"nvidia-kernel-dkms", DriverPart::module},
                                  Beginning{"nvidia-kernel-source", DriverPart::module},
                                  Beginning{"nvidia-kernel-open", DriverPart::module},
                                  Beginning{"nvidia-open-kernel", DriverPart::module},
                                  Beginning{"nvidia-open-driver", DriverPart::module},
                                  Beginning{"linux-modules-nvidia", DriverPart::module},
                                  Beginning{"kmod-nvidia", DriverPart::module},
                                  Beginning{"akmod-nvidia", DriverPart::module},
                                  Beginning{"libcuda1", DriverPart::libcuda},
                                  Beginning{"libnvidia-compute", DriverPart::libcuda},
                                  Beginning{"nvidia-compute-G", DriverPart::libcuda},
                                  Beginning{"xorg-x11-drv-nvidia-cuda-libs", DriverPart::libcuda},
                                  Beginning{"nvidia-open", DriverPart::beside},
                                  Beginning{"nvidia-kernel", DriverPart::beside},
                                  Beginning{"nvidia-kmod", DriverPart::beside},
                                  Beginning{"nvidia-headless", DriverPart::beside},
                                  Beginning{"nvidia-utils", DriverPart::beside},
                                  Beginning{"nvidia-compute", DriverPart::beside},
                                  Beginning{"nvidia-gl-G", DriverPart::beside},
                                  Beginning{"nvidia-video-G", DriverPart::beside},
                                  Beginning{"nvidia-common-G", DriverPart::beside},
                                  Beginning{"libnvidia-ml1", DriverPart::beside},
                                  Beginning{"cuda-drivers", DriverPart::beside},
                                  Beginning{"nvidia-fabric", DriverPart::beside},
                                  Beginning{"xorg-x11-drv-nvidia", DriverPart::beside}};
  // SUSE's module for the kernel in its name: nvidia-driver-G06-kmp-default.
  if (name.starts_with("nvidia-") && name.find("-kmp") != std::string_view::npos) return DriverPart::module;
  const auto found = std::find_if(beginnings.begin(), beginnings.end(),
                                  [&](const Beginning& one) { return name.starts_with(one.text); });
  return found == beginnings.end() ? DriverPart::none : found->part;
}

std::string driver_packages_from(const PackageDatabase& database) {
  std::string from;
  for (const Package& package : database.packages) {
    // Tools of the repository can remain when the driver was installed another way.
    if (!is_driver_package(package.name) || package.name.starts_with("nvidia-modprobe")) continue;
    // rpm's vendor is "NVIDIA"; Debian's own packages come from "Debian NVIDIA Maintainers".
    if (package.maintainer.find("@nvidia.com") != std::string::npos ||
        package.maintainer.starts_with("NVIDIA"))
      return "nvidia repository";
    from = "distribution";
  }
  return from;
}

}  // namespace gpugauge::stack
