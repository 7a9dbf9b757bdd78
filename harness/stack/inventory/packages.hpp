// Reads the plain files of package managers, without running any of them. For the collectors in this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/inventory/inventory.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// One installed system package.
struct Package {
  std::string name;        ///< without architecture: "libnccl2"
  std::string version;     ///< in dpkg's form: "1:580.65.06-0ubuntu1"
  std::string maintainer;  ///< "cudatools <cudatools@nvidia.com>"
  bool held = false;       ///< held by dpkg's own selection

  bool operator==(const Package&) const = default;  ///< member by member
};

/// Installed packages in dpkg's status file, each name once (the first architecture wins). Skips damaged
/// stanzas.
std::vector<Package> parse_dpkg_status(std::string_view text);

/// Packages that the system's package manager lists as installed; empty and absent if no database was found.
struct PackageDatabase {
  /// Unreadable: refused, or an rpm database that this build cannot read.
  Presence presence = Presence::absent;
  std::string kind = "dpkg";      ///< or "rpm", for which only packages of the stack are read
  std::string source;             ///< where it was looked for
  std::string needs;              ///< the permission needed, if unreadable
  std::vector<Package> packages;  ///< all for dpkg, those of the stack for rpm; empty unless present

  /// By exact name; nullptr if it is not in `packages`.
  const Package* find(std::string_view name) const;
};
/// Reads dpkg's status file or folder, else rpm's database: the first that exists.
PackageDatabase read_packages(const Tree& tree);

/// Packages of the stack in an rpm database kept in SQLite (Fedora, RHEL 9 and later). nullopt if this build
/// has no SQLite, the file is not regular, or reading takes over two seconds of processor time. Also nullopt
/// if it holds more than tables or computes a column. Opened read-only and immutable: writes nothing beside
/// it.
std::optional<std::vector<Package>> read_rpm_packages(const std::string& file);
/// One package from a header that rpm stores; nullopt if it is damaged or no header.
std::optional<Package> parse_rpm_header(std::string_view header);

/// Removes epoch and packaging revision: "1:580.65.06-0ubuntu1" -> "580.65.06".
std::string upstream_version(std::string_view version);

/// True for a package of the driver itself: kernel module, user-mode libraries, fabric manager.
bool is_driver_package(std::string_view name);

/// The part of the driver in a package. Parts other than `none` change together and must be held together.
enum class DriverPart {
  none,     ///< no part
  whole,    ///< requires module and libraries of its own version: holding it holds them
  module,   ///< the kernel module
  libcuda,  ///< the library that must match the module's version
  beside,   ///< another part of the driver's version
};
DriverPart driver_part(std::string_view name);  ///< by package names of apt, dnf and zypper distributions

/// True for a package of the driver, CUDA's libraries or the container toolkit: those in package.*.
bool is_stack_package(std::string_view name);

/// Adds package.<key>.version, and .name if the key cannot hold the name. Returns "package.<key>", for
/// further items about it.
std::string add_package(Inventory& inventory, const std::string& name, const std::string& version,
                        const std::string& source, const std::string& how);
/// The manager's name for a child of "package" in the inventory.
std::string package_name(const Inventory& inventory, const std::string& child);

/// The origin of the driver's packages, by their maintainer: "nvidia repository" or "distribution"; ""
/// without packages.
std::string driver_packages_from(const PackageDatabase& database);

/// One driver change that a package manager logged.
struct PackageChange {
  std::string time;    ///< "2026-08-03 10:22:01", as logged
  std::string action;  ///< "install", "upgrade", "downgrade", "reinstall", "remove", "purge"
  std::string name;    ///< of the package, without architecture
  std::string from;    ///< upstream version; "" if there was none
  std::string to;      ///< upstream version; "" if it was removed
  std::string source;  ///< the log file
  /// "dpkg log", "apt history: apt-get upgrade"; also the number of other packages changed with it.
  std::string how;

  bool operator==(const PackageChange&) const = default;  ///< member by member
};
/// Parses /var/log/dpkg.log: changes of the driver's packages in text order, without `source`.
std::vector<PackageChange> parse_dpkg_log(std::string_view text);
/// Parses /var/log/apt/history.log in the same way.
std::vector<PackageChange> parse_apt_history(std::string_view text);
/// Parses dnf.rpm.log in the same way. An upgrade is one change; its old version is on a later line.
std::vector<PackageChange> parse_dnf_log(std::string_view text);
/// Parses yum's log, which has no year: the time is "Aug 03 10:22:01".
std::vector<PackageChange> parse_yum_log(std::string_view text);
/// Parses zypper's history, in which an upgrade is an install.
std::vector<PackageChange> parse_zypper_history(std::string_view text);

/// An existing log that was not read, and what reading it needs.
struct UnreadLog {
  std::string path;   ///< on the inspected machine
  std::string needs;  ///< "group adm or root", "the command `xzcat ...`"
};
/// Changes from all logs below the root, including rotated and packed ones, newest first. A transaction on
/// several packages is one change, described by its most informative package.
std::vector<PackageChange> driver_history(const Tree& tree, std::vector<UnreadLog>& unread);

/// A pin of apt's preferences to a version, or a lock of dnf or zypper.
struct Pin {
  std::string package;       ///< shell pattern
  int priority = 0;          ///< apt's Pin-Priority; 1001 for a lock, which allows no choice
  std::string source;        ///< the file that holds it
  std::string version = {};  ///< of apt, as written: "580.95.05-0ubuntu1", "580.*"
};
/// True if the pin allows no driver release other than the installed one. "580.*", "580.95*" and regular
/// expressions let newer ones in. "580.95.05*", "550.100-*" and, if it is installed, "570.169*" leave only
/// the packaging revision open.
bool keeps_release(const Pin& pin, const std::string& installed);
/// Version pins from apt's preferences; other pins are ignored.
std::vector<Pin> read_pins(const Tree& tree);
/// Locks of dnf: the lists of its versionlock plugin, and the exclusions in its configuration.
std::vector<Pin> read_dnf_locks(const Tree& tree);
/// Locks in /etc/zypp/locks that cover a whole package, any version and repository.
std::vector<Pin> read_zypper_locks(const Tree& tree);
/// The stream of a module enabled in dnf ("580-dkms"), from /etc/dnf/modules.d; "" if none.
std::string enabled_stream(const Tree& tree, std::string_view module);

/// The state of dnf-automatic, from its timers and configuration.
struct DnfAutomatic {
  bool on = false;     ///< it installs the updates it finds
  bool all = false;    ///< all updates, not only security advisories
  std::string source;  ///< "" if there is no trace of it
};
/// Reads the links in /etc/systemd/system/timers.target.wants.
DnfAutomatic read_dnf_automatic(const Tree& tree);
/// The pin in force for a package: its priority is above 500, a repository's priority. Prefers a pin to the
/// `installed` release over one to a branch. nullptr if there is none.
const Pin* find_pin(const std::vector<Pin>& pins, const std::string& package,
                    const std::string& installed = "");

/// One entry of apt's configuration; the key is in lower case, without "::" at its end.
struct AptSetting {
  std::string key;     ///< "unattended-upgrade::package-blacklist"
  std::string value;   ///< without its quotes
  std::string source;  ///< the file that holds it
};
/// Entries in text order. Stops at braces nested deeper than 32.
std::vector<AptSetting> parse_apt_configuration(std::string_view text, const std::string& source);
/// Entries of /etc/apt/apt.conf.d and apt.conf, in apt's reading order.
std::vector<AptSetting> read_apt_configuration(const Tree& tree);

}  // namespace gpugauge::stack
