// The links from one GPU of a machine to the others, as telemetry saw them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::judge {

/// The links of one GPU, or what several GPUs have in common.
struct Way {
  /// in one direction; nullopt where NVML reports no speed of its NVLinks
  std::optional<result::Limit> limit;
  int nvlinks = 0;        ///< NVLinks that are up; 0: PCI Express
  bool switched = false;  ///< every NVLink that is up leads to an NVSwitch
};

/// Returns the slowest link kind and speed that these GPUs have in common. For NVLinks the lowest number and
/// speed seen in the run count; for PCI Express the highest speed, since an idle link sleeps. nullopt where
/// the links of one GPU are unknown, or `uuids` is empty.
std::optional<Way> narrowest_way(const result::Run& run, const std::set<std::string>& uuids);

/// The two GPUs that a copy's metric names, as its process counts them.
struct NamedPair {
  std::string from;        ///< the number of the first: the benchmark's note gpu_NUMBER holds its UUID
  std::string to;          ///< of the second
  bool both_ways = false;  ///< both send at once: the metric counts both directions
};

/// Reads "QUANTITY_FROM_to_TO", or "QUANTITY_FROM_and_TO" where both send at once; nullopt for other names.
std::optional<NamedPair> pair_named(std::string_view metric);

/// The NVLinks of one GPU.
struct BoardLinks {
  std::string uuid;  ///< "GPU-..."
  int up = 0;        ///< smallest number of links up that telemetry saw
  int down = 0;      ///< largest number of links down; a board may leave some of the chip's links unwired
  int of_model = 0;  ///< what its model has, 0 where that is not known: see nvlinks_of_model
};

/// Returns the measured GPUs whose model has NVLinks to NVSwitches on at least one of them, since those are
/// on one board. Leaves out GPUs without NVML data and other cards in the machine.
std::vector<BoardLinks> links_to_switches(const result::Run& run);

/// How many NVLinks the boards of a model by this name ("NVIDIA H200") lead to each GPU; 0 where NVIDIA publishes
/// none, or not for this name. A chip may have more, which are down for ever.
int nvlinks_of_model(std::string_view name);

/// The lowest and highest value that telemetry saw in a series of one GPU; 0 without such a series.
double lowest_seen(const result::Run& run, std::string_view uuid, std::string_view series);
double highest_seen(const result::Run& run, std::string_view uuid, std::string_view series);

}  // namespace gpugauge::judge
