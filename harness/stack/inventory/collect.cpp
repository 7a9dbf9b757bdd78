#include "stack/inventory/collect.hpp"

#include <fmt/format.h>

#include "result/stopwatch.hpp"
#include "result/time.hpp"
#include "stack/inventory/image.hpp"
#include "stack/inventory/toolkits_paths.hpp"

namespace gpugauge::stack {

Inventory collect(const Context& context) {
  const result::Stopwatch taken;
  Inventory inventory;
  collect_driver(context, inventory);
  collect_gpus(context, inventory);
  collect_driver_branch(inventory);
  collect_vgpu(inventory);
  collect_kernel_log(context, inventory);
  collect_packages(context, inventory);
  collect_toolkits(context, inventory);
  collect_libraries(context, inventory);
  collect_process(context, inventory);
  collect_frameworks(context, inventory);
  collect_machine(context, inventory);
  collect_container(context, inventory);
  inventory.present("collected.seconds", fmt::format("{:.3f}", taken.seconds()), "clock");
  inventory.present("collected.root", normal(context.tree.at("/").string()), "command line");
  inventory.present("collected.at", result::utc_now(), "clock");
  mark_running_only(inventory);
  return inventory;
}

}  // namespace gpugauge::stack
