// What is read of the host before and after each process, by the families of the host, and of control groups
// where one is made: below the root of the machine that runs, which is made here, without links.
#include <cmath>

#include "fuzz/support/place.hpp"
#include "fuzz/support/target.hpp"
#include "run/executable.hpp"
#include "run/host_counters.hpp"
#include "run/identity.hpp"
#include "run/quota.hpp"
#include "stack/host_settings.hpp"
#include "support/host.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  static const Place place;
  place.make_tree(bytes, false);
  const std::filesystem::path& root = place.path();
  const run::HostReader reader(root);
  const run::HostCounters before = reader.counters();
  for (const auto& [name, value] : run::difference(before, reader.counters()))
    require(std::isfinite(value), "a difference is not finite");
  reader.load1();
  reader.memory_available_bytes();
  reader.cpu_clock_hz();
  run::boot_id(root);
  stack::settings_of_host(root);
  const bench::Caches caches = bench::caches_of(0, root);
  require(caches.l1 > 0 && caches.last > 0, "a cache of no size");
  require(bench::last_level_bytes({0, 1}, root) > 0, "caches of no size");
  bench::available_memory_bytes(root);
  // Last, since it writes below the root: a group of its own with half a processor.
  try {
    const run::Quota quota(.5, root);
    require(quota.folder().string().starts_with(root.string() + "/"), "a group outside of the root");
  } catch (const run::QuotaRefused&) {
  }
  require(run::remove_abandoned_quotas(root) >= 0, "fewer than no groups");
}

const Target target("host_files", read);

}  // namespace
}  // namespace gpugauge::fuzz
