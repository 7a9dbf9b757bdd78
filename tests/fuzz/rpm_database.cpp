// rpm's database, a file of SQLite's: of a mounted image it is another's.
#include <iterator>

#include "fuzz/support/place.hpp"
#include "fuzz/support/target.hpp"
#include "stack/inventory/packages.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  static const Place place;
  const std::string file = place.write("rpmdb.sqlite", bytes).string();
  if (const auto packages = stack::read_rpm_packages(file)) {
    for (const stack::Package& package : *packages)
      require(!package.name.empty() && !package.version.empty(), "a package without name or version");
  }
  require(std::distance(std::filesystem::directory_iterator(place.path()), {}) == 1,
          "something was written beside the database");
}

const Target target("rpm_database", read);

}  // namespace
}  // namespace gpugauge::fuzz
