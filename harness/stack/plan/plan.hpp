// Predicts, before an installation, whether a combination of versions works: `doctor --plan
// cuda=12.8,torch=2.8`.
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

/// Layers that a plan may name, from the bottom up: "driver", "cuda", "gcc", ...
const std::vector<std::string>& plan_keys();

/// The combination of versions in question.
struct PlanRequest {
  std::map<std::string, Version> versions;  ///< by key of plan_keys()
  std::vector<GpuModel> gpus;               ///< empty: use this machine's
  bool driver_given = false;                ///< the driver is the machine's (--driver), not a planned one

  /// The version of that layer; nullopt if the plan does not name it.
  std::optional<Version> version(const std::string& key) const;
  bool operator==(const PlanRequest&) const = default;  ///< member by member
};

/// Parses "cuda=12.8,torch=2.8,gpu=h100", --gpu ("h100", or several joined by commas) and --driver ("535").
/// An empty text means not given. Throws result::UsageError with one sentence for an empty plan, an unknown
/// or repeated key, an invalid version, or an unknown GPU. For an unknown key it lists the known ones.
/// `option`: the option that `plan` was given with, which the sentences name.
PlanRequest parse_plan(std::string_view plan, std::string_view gpus = "", std::string_view driver = "",
                       std::string_view option = "--plan");

/// PlanStep::layer of the restart after all driver packages.
constexpr const char* restart_layer = "restart";

/// One step of an upgrade; the steps are in order.
struct PlanStep {
  std::string layer;  ///< "driver", "fabric_manager", restart_layer
  std::string from;   ///< version in the inventory; "" if it has none, or none is known
  std::string to;     ///< version in the plan; "" for a restart
  std::string what;   ///< one sentence
  std::string why;    ///< one sentence: why at this place in the order

  bool operator==(const PlanStep&) const = default;  ///< member by member
};

/// Whether a combination works, and the steps to it.
struct PlanReport {
  /// The worst of `pairs`. unknown if there are none; it also replaces works if no driver or no GPU is known.
  Fit outcome = Fit::unknown;
  std::string sentence;  ///< the outcome in one sentence, with the limiting layer
  std::vector<std::string>
      limits;  ///< layers that would have to change, most decisive first; empty if it works
  /// What was taken from the inventory or chosen, and code that runs although not made for its GPU.
  std::vector<std::string> assumptions;
  std::vector<PairFit> pairs;   ///< in reading order, from the driver upwards
  std::vector<PlanStep> steps;  ///< in order; empty if the plan leads to no known stack
  /// About the driver's branch and, for production, about unpinned versions; they change no outcome.
  std::vector<Finding> findings;

  bool operator==(const PlanReport&) const = default;  ///< member by member
};

/// The purpose of a plan, and its date: branches end.
struct PlanTerms {
  /// Production also warns of versions that name no release, and recommends only long-term and production
  /// branches.
  Policy policy = Policy::development;
  std::string today;  ///< "2026-11-21"; "" omits what depends on the calendar
};

/// Judges a combination. Takes driver, GPUs and forward compatibility from the inventory if the request does
/// not name them. Reports a layer that neither names as left out.
PlanReport plan(const PlanRequest& request, const Inventory& inventory, const Tables& tables,
                const PlanTerms& terms = {});

/// The machine's version of a layer in plan_keys(), as found; "" if it has none.
std::string layer_version(const Inventory& inventory, const std::string& layer);
/// Name for sentences: "the driver", "cuDNN", "PyTorch".
std::string layer_title(const std::string& layer);

/// Only the upgrade order: the differences between inventory and request. A request that names its GPUs is
/// about another machine, of which the inventory tells nothing.
std::vector<PlanStep> plan_steps(const PlanRequest& request, const Inventory& inventory);

}  // namespace gpugauge::stack
