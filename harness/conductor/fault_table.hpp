// The faults that `gpugauge selftest --inject` sets: how each is set, and which causes should be named.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conductor/targets.hpp"

namespace gpugauge::conductor {

/// How a fault is found: a check against the healthy rounds, the doctor against its healthy findings, or
/// PyTorch compared with its own healthy rounds.
enum class FoundBy { check, doctor, frameworks };

/// Which processors the measuring command may use.
enum class ConfinedTo {
  nothing,        ///< the same as this process
  one_processor,  ///< the last one that this process may use
  another_node,   ///< those of a NUMA node other than the GPU's
};

/// What runs beside the measurement for its whole duration.
enum class Neighbour {
  none,
  on_its_processor,   ///< one computing thread, on the processor that ConfinedTo left
  on_all_processors,  ///< one computing thread per processor that this process may use
  in_memory,          ///< memory-streaming threads on half of the processors
  family,             ///< a family's executable with one benchmark
};

/// Files that must be found or made on this machine, beside environment variables.
enum class Made {
  nothing,
  other_version,       ///< a second version of a CUDA library: one installed here, or a renamed copy
  cpu_only_framework,  ///< an environment whose PyTorch reports that it was built without CUDA
  framework_switch,    ///< PyTorch's TF32 switch: off here, on for the healthy side
};

/// One fault: an entry of the table.
struct Fault {
  std::string_view id;                   ///< name in --only, in the table and in the JSON
  std::string_view what;                 ///< what is done, one clause
  std::vector<std::string_view> causes;  ///< ids of the catalogue; any of them named first counts as found
  DeviceKind device = DeviceKind::host;  ///< kind of device whose figures show it
  FoundBy found_by = FoundBy::check;     ///< who is asked
  std::vector<std::string_view> measures =
      {};  ///< what the check measures: classes or id patterns; empty = all
  /// Variables of the measuring command.
  std::vector<std::pair<std::string_view, std::string_view>> environment = {};
  double quota = 0;  ///< share of the used processors that a control group leaves; 0 = no limit
  ConfinedTo confined = ConfinedTo::nothing;  ///< which processors the command may use
  Neighbour neighbour = Neighbour::none;      ///< what runs beside it
  std::string_view neighbour_family = {};     ///< family to run, where the neighbour is a family
  std::string_view neighbour_filter = {};     ///< Google Benchmark filter for that family
  int shm_mib = 0;                            ///< size of the /dev/shm that the command sees; 0 = unchanged
  /// Library of libexec/gpugauge/faults, without its suffix, loaded into the measured processes; "" = none.
  std::string_view library = {};
  bool as_profiler = false;   ///< the driver loads the library like a profiler's; otherwise it is preloaded
  Made made = Made::nothing;  ///< other files that it needs
};

/// All faults, in the order of the report.
const std::vector<Fault>& fault_table();

/// The fault with that id; nullptr where there is none.
const Fault* find_fault(std::string_view id);

/// Throws result::UsageError, listing the known ids, for an id that is not in the table.
void require_faults(const std::vector<std::string>& ids);

}  // namespace gpugauge::conductor
