// What package managers wrote down in plain files: nothing of theirs is run. Used by the collectors beside
// this file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/inventory/inventory.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// One installed package of the system.
struct Package {
  std::string name;        ///< without the architecture: "libnccl2"
  std::string version;     ///< as dpkg writes it: "1:580.65.06-0ubuntu1"
  std::string maintainer;  ///< "cudatools <cudatools@nvidia.com>"
  bool held = false;       ///< by dpkg's own selection

  bool operator==(const Package&) const = default;  ///< member by member
};

/// Installed packages in the text of dpkg's status file, each name once (the first architecture wins).
/// Damaged stanzas are left out.
std::vector<Package> parse_dpkg_status(std::string_view text);

/// What the system's package manager says is installed; empty and absent where no database was found.
struct PackageDatabase {
  Presence presence = Presence::absent;  ///< unreadable: refused, or rpm's where this build cannot read it
  std::string kind = "dpkg";             ///< or "rpm", of which only packages of the stack are read
  std::string source;                    ///< where it was looked for
  std::string needs;                     ///< where unreadable
  std::vector<Package> packages;         ///< of dpkg all, of rpm those of the stack; empty unless present

  /// By the exact name; nullptr where it is not among `packages`.
  const Package* find(std::string_view name) const;
};
/// Status file or folder of dpkg, else rpm's database; the first that is there.
PackageDatabase read_packages(const Tree& tree);

/// Packages of the stack in rpm's database, where it is kept in SQLite (Fedora, RHEL 9 and later) and this
/// build has SQLite; nullopt else: also for what is no regular file, holds more than tables or computes a
/// column, or takes more than two seconds of processor time. Opened read-only and taken as it is: nothing is
/// written beside it.
std::optional<std::vector<Package>> read_rpm_packages(const std::string& file);
/// One package by the header that rpm stores; nullopt where it is damaged or no header.
std::optional<Package> parse_rpm_header(std::string_view header);

/// Without epoch and packaging revision: "1:580.65.06-0ubuntu1" -> "580.65.06".
std::string upstream_version(std::string_view version);

/// A package of the driver itself: kernel module, user-mode libraries, fabric manager.
bool is_driver_package(std::string_view name);

/// What a package brings of the driver, of those that change with it and so are to be held with it.
enum class DriverPart {
  none,     ///< nothing of it
  whole,    ///< it wants module and libraries at its own version: while it stays, they do
  module,   ///< the kernel module
  libcuda,  ///< the library that must be of the module's version
  beside,   ///< of the driver's version like these, and neither of them
};
DriverPart driver_part(std::string_view name);  ///< by the names of apt's, dnf's and zypper's distributions

/// A package of the driver, of CUDA's libraries or of the container toolkit: those that package.* tells.
bool is_stack_package(std::string_view name);

/// Adds package.<key>.version, and .name where the key cannot hold the name; returns "package.<key>", under
/// which more may be told of it.
std::string add_package(Inventory& inventory, const std::string& name, const std::string& version,
                        const std::string& source, const std::string& how);
/// The name, as its manager takes it, of a child of "package" in the inventory.
std::string package_name(const Inventory& inventory, const std::string& child);

/// "nvidia repository", "distribution" by the maintainer of the driver's packages; "" where there are none.
std::string driver_packages_from(const PackageDatabase& database);

/// One driver change that a package manager logged.
struct PackageChange {
  std::string time;    ///< "2026-08-03 10:22:01", as logged
  std::string action;  ///< "install", "upgrade", "downgrade", "reinstall", "remove", "purge"
  std::string name;    ///< of the package, without its architecture
  std::string from;    ///< upstream versions, "" where there was none
  std::string to;      ///< likewise, "" where it was removed
  std::string source;  ///< the log
  /// "dpkg log", "apt history: apt-get upgrade"; also how many more packages changed with it.
  std::string how;

  bool operator==(const PackageChange&) const = default;  ///< member by member
};
/// /var/log/dpkg.log: changes of the driver's packages in the order of the text, without `source`.
std::vector<PackageChange> parse_dpkg_log(std::string_view text);
/// /var/log/apt/history.log, likewise.
std::vector<PackageChange> parse_apt_history(std::string_view text);
/// dnf.rpm.log, likewise; an upgrade is one change, whose old version stands on a later line.
std::vector<PackageChange> parse_dnf_log(std::string_view text);
/// yum's log has no year: the time is "Aug 03 10:22:01".
std::vector<PackageChange> parse_yum_log(std::string_view text);
/// zypper's history, where an upgrade is an install.
std::vector<PackageChange> parse_zypper_history(std::string_view text);

/// A log that is there and was not read, and what it takes.
struct UnreadLog {
  std::string path;   ///< on the inspected machine
  std::string needs;  ///< "group adm or root", "the command `xzcat ...`"
};
/// Of all logs below the root, rotated and packed ones too, newest first; what one transaction did to several
/// packages is one change, told of the most telling package.
std::vector<PackageChange> driver_history(const Tree& tree, std::vector<UnreadLog>& unread);

/// A pin of apt's preferences to a version, or an entry of dnf's or zypper's that keeps a package as it is.
struct Pin {
  std::string package;       ///< shell pattern
  int priority = 0;          ///< apt's Pin-Priority; 1001 for a lock, which leaves no choice
  std::string source;        ///< the file that holds it
  std::string version = {};  ///< of apt's, as it stands there: "580.95.05-0ubuntu1", "580.*"
};
/// Whether it lets in no other release of the driver than the one that is installed, in that version: with
/// "580.*", "580.95*" or a regular expression newer ones still come; "580.95.05*", "550.100-*" and, where
/// that is what is installed, "570.169*" leave the packaging open, and no more.
bool keeps_release(const Pin& pin, const std::string& installed);
/// Of apt's preferences, only those to a version.
std::vector<Pin> read_pins(const Tree& tree);
/// Of dnf: the lists of its plugin versionlock, and what its configuration excludes.
std::vector<Pin> read_dnf_locks(const Tree& tree);
/// Of /etc/zypp/locks: packages that are locked whole, whatever version and repository.
std::vector<Pin> read_zypper_locks(const Tree& tree);
/// The stream of a module that dnf has enabled ("580-dkms"), by /etc/dnf/modules.d; "" where it has none.
std::string enabled_stream(const Tree& tree, std::string_view module);

/// dnf-automatic, by the timers that start it and its configuration.
struct DnfAutomatic {
  bool on = false;     ///< it installs what it finds
  bool all = false;    ///< every update, not only those with a security advisory
  std::string source;  ///< "" where there is no trace of it
};
/// By the links in /etc/systemd/system/timers.target.wants.
DnfAutomatic read_dnf_automatic(const Tree& tree);
/// The pin that holds for a package (priority above 500, what a repository has), one that keeps it at the
/// `installed` release before one to a branch; nullptr if none.
const Pin* find_pin(const std::vector<Pin>& pins, const std::string& package,
                    const std::string& installed = "");

/// One entry of apt's configuration; the key in lower case, without "::" at its end.
struct AptSetting {
  std::string key;     ///< "unattended-upgrade::package-blacklist"
  std::string value;   ///< without its quotes
  std::string source;  ///< the file that holds it
};
/// In the order of the text. Braces deeper than 32 end the reading.
std::vector<AptSetting> parse_apt_configuration(std::string_view text, const std::string& source);
/// Of /etc/apt/apt.conf.d and apt.conf, in the order in which apt reads them.
std::vector<AptSetting> read_apt_configuration(const Tree& tree);

}  // namespace gpugauge::stack
