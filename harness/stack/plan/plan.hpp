// Would this combination of versions work? Before anything is installed: `doctor --plan cuda=12.8,torch=2.8`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stack/compat/tables.hpp"
#include "stack/inventory/inventory.hpp"
#include "stack/plan/plan_fit.hpp"
#include "stack/plan/plan_gpu_models.hpp"
#include "stack/rules/rules.hpp"

namespace gpugauge::stack {

/// Layers that a plan may name, from below upwards: "driver", "cuda", "gcc", ...
const std::vector<std::string>& plan_keys();

/// A combination of versions that is asked about.
struct PlanRequest {
  std::map<std::string, Version> versions;  ///< by key of plan_keys()
  std::vector<GpuModel> gpus;               ///< empty: this machine's
  bool driver_given = false;  ///< the driver is what the machine has (--driver), not what is planned

  /// Of that layer; nullopt where the plan does not name it.
  std::optional<Version> version(const std::string& key) const;
  bool operator==(const PlanRequest&) const = default;  ///< member by member
};

/// "cuda=12.8,torch=2.8,gpu=h100", beside what --gpu ("h100", or several joined by commas) and --driver
/// ("535") say; empty texts were not given. Throws result::UsageError, one sentence: an empty plan, an
/// unknown key (the known ones are listed), a key that stands twice, what is no version, a GPU that the table
/// does not know.
PlanRequest parse_plan(std::string_view plan, std::string_view gpus = "", std::string_view driver = "");

/// PlanStep::layer of the restart that follows all packages of a driver.
constexpr const char* restart_layer = "restart";

/// One thing to do, in the order in which to do it.
struct PlanStep {
  std::string layer;  ///< "driver", "fabric_manager", restart_layer
  std::string from;   ///< what the inventory has; "" where it has none, or none is known
  std::string to;     ///< what the plan asks for; "" of a restart
  std::string what;   ///< one sentence
  std::string why;    ///< one sentence: why at this place in the order

  bool operator==(const PlanStep&) const = default;  ///< member by member
};

/// Whether a combination works, and how to get there.
struct PlanReport {
  /// The worst of `pairs`; unknown where there are none, and in place of works where no driver or no GPU is
  /// known.
  Fit outcome = Fit::unknown;
  std::string sentence;  ///< the outcome in one sentence, with the layer that is the limit
  std::vector<std::string>
      limits;  ///< layers that would have to change, the most decisive first; empty if it works
  /// What was taken from the inventory or chosen, and code that runs without being made for its GPU.
  std::vector<std::string> assumptions;
  std::vector<PairFit> pairs;   ///< in reading order, from the driver upwards
  std::vector<PlanStep> steps;  ///< in order; empty where the plan leads nowhere that is known
  /// About the driver's branch and, for production, what is not pinned; they change no outcome.
  std::vector<Finding> findings;

  bool operator==(const PlanReport&) const = default;  ///< member by member
};

/// What a plan is for, and the day on which it is asked: branches end.
struct PlanTerms {
  /// Production also warns of versions that name no release, and advises long-term and production branches
  /// only.
  Policy policy = Policy::development;
  std::string today;  ///< "2026-11-21"; "" leaves out what only the calendar tells
};

/// The driver, the GPUs and whether forward compatibility is open come from the inventory where the request
/// does not name them. A layer that neither names is left out, and said.
PlanReport plan(const PlanRequest& request, const Inventory& inventory, const Tables& tables,
                const PlanTerms& terms = {});

/// The version that the machine has of a layer of plan_keys(), as it was found; "" where it has none.
std::string layer_version(const Inventory& inventory, const std::string& layer);
/// "the driver", "cuDNN", "PyTorch": for sentences.
std::string layer_title(const std::string& layer);

/// The upgrade order alone: what differs between the inventory and the request. A request that names its GPUs
/// is about another machine, of which the inventory tells nothing.
std::vector<PlanStep> plan_steps(const PlanRequest& request, const Inventory& inventory);

}  // namespace gpugauge::stack
