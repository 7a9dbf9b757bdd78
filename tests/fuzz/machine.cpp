// A whole machine as files: /proc, /sys, /dev, packages, toolkits, wheels, logs, as `doctor --root` reads a
// mounted image. support/place.hpp says how the bytes name them.
#include "fuzz/support/place.hpp"
#include "fuzz/support/target.hpp"
#include "stack/cgroup.hpp"
#include "stack/gpu_report.hpp"
#include "stack/inventory/collect.hpp"
#include "stack/inventory/node.hpp"
#include "stack/inventory/overview.hpp"
#include "stack/plan/lock.hpp"
#include "stack/rules/rules.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  static const Place place;
  place.make_tree(bytes, true);
  stack::Context context;
  context.tree = stack::Tree(place.path());
  context.environment = {{"PATH", "/usr/local/bin:/usr/bin"}, {"LD_LIBRARY_PATH", "/opt/lib"}};
  context.python = "/opt/venv";
  context.pid = 7;
  const stack::Inventory inventory = stack::collect(context);
  require(inventory.items().size() > 10, "hardly anything was looked for");
  require(accepted([&] { stack::inventory_from_json(stack::to_json(inventory)); }),
          "an inventory that was collected cannot be read back");
  for (const stack::Finding& finding :
       stack::diagnose_stack({inventory, stack::tables(), stack::Policy::production, "2026-01-01"}))
    require(!finding.cause.empty() && !finding.title.empty(), "a finding without cause or title");
  stack::overview(inventory);
  stack::make_lock(inventory, "2026-01-01T00:00:00Z");

  const std::string root = place.path();
  stack::fingerprint({}, root);
  stack::any_nvidia_hardware(root);
  const std::vector<stack::CpuGroup> groups = stack::cpu_groups(root);
  if (const auto limit = stack::cpu_limit(groups)) require(*limit > 0, "a limit that is none");
  stack::read_throttling(groups);
}

const Target target("machine", read);

}  // namespace
}  // namespace gpugauge::fuzz
