// The way from one GPU of a machine to the others, as telemetry saw it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Of one GPU, or what several have in common.
struct Way {
  std::optional<result::Limit> limit;  ///< in one direction; nullopt where NVML gives no speed of its NVLinks
  int nvlinks = 0;                     ///< that are up; 0: PCI Express
  bool switched = false;               ///< every NVLink that is up leads to an NVSwitch
};

/// The narrowest way of these GPUs, of the plainest kind; a GPU's NVLinks are as few and as slow as they ever
/// were in the run, its PCI Express link as quick as it ever was, since an idle one sleeps. nullopt where
/// nothing is known of one of them, or there is none.
std::optional<Way> narrowest_way(const result::Run& run, const std::set<std::string>& uuids);

/// The NVLinks of one GPU.
struct BoardLinks {
  std::string uuid;  ///< "GPU-..."
  int up = 0;        ///< the fewest that telemetry saw
  int down = 0;      ///< the most; a board need not wire all that its chip has
};

/// Of the GPUs that the run measured, those of a model of which one has NVLinks to NVSwitches: they are of
/// one board. Without those of which NVML did not say, and without other cards in the machine.
std::vector<BoardLinks> links_to_switches(const result::Run& run);

/// The least and the greatest that telemetry saw of a series of one GPU; 0 without such a series.
double lowest_seen(const result::Run& run, std::string_view uuid, std::string_view series);
double highest_seen(const result::Run& run, std::string_view uuid, std::string_view series);

}  // namespace gpugauge::judge
