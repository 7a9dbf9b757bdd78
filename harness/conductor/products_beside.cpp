#include "conductor/products_beside.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "conductor/catalogue.hpp"
#include "conductor/framework_products.hpp"
#include "run/processes.hpp"
#include "run/stop_signals.hpp"

namespace gpugauge::conductor {
namespace {

constexpr std::string_view own_family = "cublas";
constexpr const char* deepest_profile = "exhaustive";  // measures every shape of the family

/// The family alone, as it describes itself. Throws std::runtime_error that says why it is not there.
Catalogue own_catalogue() {
  Catalogue out;
  for (const run::Family& family : run::find_families())
    if (family.name == own_family) {
      const std::string origin = family.executable.string() + " --gpugauge_describe";
      add_family(family, run::describe_family(family), origin, out);
      return out;
    }
  throw std::runtime_error(
      fmt::format("the family {} is not installed in {}; it is built where the CUDA toolkit has that library",
                  own_family, run::family_directory().string()));
}

/// The plan of one process that measures those of `ids` that the family has.
run::Plan plan_for(const FrameworkOptions& options, const stack::GpuReport& gpus, const Catalogue& catalogue,
                   const std::vector<std::string>& ids) {
  run::Plan plan = plan_beside_frameworks(options, gpus);
  plan.profile.name = deepest_profile;
  plan.families = catalogue.families;
  plan.start_seconds = catalogue.start_seconds;
  std::vector<const Benchmark*> wanted;
  for (const Benchmark& benchmark : catalogue.benchmarks)
    if (std::find(ids.begin(), ids.end(), benchmark.id) != ids.end()) wanted.push_back(&benchmark);
  plan.benchmarks = plan_of(wanted, plan.profile);
  for (const run::PlannedBenchmark& benchmark : plan.benchmarks) plan.only.push_back(benchmark.id);
  return plan;
}

OwnFigures with_reason(const std::vector<std::string>& ids, const std::string& reason) {
  OwnFigures out;
  for (const std::string& id : ids) out[id].reason = reason;
  return out;
}

OwnFigures measure(const FrameworkOptions& options, const stack::GpuReport& gpus,
                   const std::vector<std::string>& ids, std::optional<result::StopsHeldBack>& held) {
  const run::Plan plan = plan_for(options, gpus, own_catalogue(), ids);
  if (const int stop = run::take_held_stop(); stop != 0)
    return with_reason(ids, fmt::format("{} asked to stop before", run::signal_name(stop)));
  held.reset();
  if (plan.benchmarks.empty())
    return with_reason(ids, fmt::format("the family {} here has no such benchmark", own_family));
  return own_figures(run::execute(plan, plan_progress(options)), ids);
}

}  // namespace

void measure_products_beside(const FrameworkOptions& options, const stack::GpuReport& gpus,
                             std::optional<result::StopsHeldBack>& held, result::Run& frameworks) {
  const std::vector<std::string> ids = own_products_of(frameworks);
  if (ids.empty()) return;
  OwnFigures own;
  if (!frameworks.complete) {
    own = with_reason(ids, frameworks.partial_reason);
  } else {
    try {
      own = measure(options, gpus, ids, held);
    } catch (const std::exception& error) {
      own = with_reason(ids, error.what());
    }
  }
  add_shares(own, frameworks);
}

}  // namespace gpugauge::conductor
