// What package managers wrote down: dpkg's status, logs (as they are, and packed by logrotate), apt's
// configuration, a header of rpm, the list that rpm prints.
#include "stack/inventory/packages.hpp"

#include "fuzz/support/target.hpp"
#include "stack/gzip.hpp"
#include "stack/plan/pins.hpp"

namespace gpugauge::fuzz {
namespace {

void require_driver_changes(const std::vector<stack::PackageChange>& changes) {
  for (const stack::PackageChange& change : changes)
    require(!change.action.empty() && !change.name.empty(), "a change without action or name");
}

void read_logs(std::string_view text) {
  require_driver_changes(stack::parse_dpkg_log(text));
  require_driver_changes(stack::parse_apt_history(text));
  require_driver_changes(stack::parse_dnf_log(text));
  require_driver_changes(stack::parse_yum_log(text));
  require_driver_changes(stack::parse_zypper_history(text));
}

void read(std::string_view bytes) {
  for (const stack::Package& package : stack::parse_dpkg_status(bytes)) {
    require(!package.name.empty() && !package.version.empty(), "a package without name or version");
    stack::upstream_version(package.version);
    stack::is_driver_package(package.name);
    stack::package_layer(package.name);
  }
  stack::parse_apt_configuration(bytes, "apt.conf");
  read_logs(bytes);
  constexpr std::size_t most = 65536;
  if (const auto text = stack::unpacked(bytes, most)) {
    require(text->size() <= most, "more was unpacked than asked for");
    read_logs(*text);
  }
  if (const auto package = stack::parse_rpm_header(bytes))
    require(!package->name.empty() && package->maintainer.size() < 4096, "a package that is none");
  stack::Inventory listed;
  stack::add_rpm_packages(bytes, listed);
  for (const stack::StackPackage& package : stack::system_packages(listed))
    require(package.name.find_first_of(" '\"$`;|&<>\n") == std::string::npos,
            "a package's name that a command would not take as one word");
  stack::way_back(listed, listed, {});
}

const Target target("packages", read);

}  // namespace
}  // namespace gpugauge::fuzz
