// Plans, bounds on versions and names of GPUs, as they are typed and as they stand in records: a plan, GPUs
// and a driver, one a line.
#include "stack/plan/plan.hpp"

#include "fuzz/support/target.hpp"
#include "stack/plan/lock.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  const std::string_view wanted = take_line(bytes);
  const std::string_view gpus = take_line(bytes);
  const std::string_view driver = take_line(bytes);
  if (const auto bounds = stack::VersionBounds::parse(wanted))
    bounds->hold(stack::Version::parse(driver).value_or(stack::Version()));
  if (const auto model = stack::gpu_model(gpus)) require(!model->name.empty(), "a model without a name");
  stack::market_of(gpus, driver);
  stack::PlanRequest request;
  if (!accepted([&] { request = stack::parse_plan(wanted, gpus, driver); })) return;
  stack::Inventory inventory;
  inventory.present("driver.version", "535.183.01", "/proc/driver/nvidia/version");
  inventory.present("gpu.0.name", "NVIDIA H100 80GB HBM3", "nvml");
  inventory.present("gpu.0.compute_capability", "9.0", "nvml");
  const stack::PlanReport report =
      stack::plan(request, inventory, stack::tables(), {stack::Policy::production, "2026-01-01"});
  require(!report.sentence.empty(), "a plan without a sentence");
  stack::plan_steps(request, inventory);
}

const Target target("plan", read);

}  // namespace
}  // namespace gpugauge::fuzz
