// The table of faults that `gpugauge selftest --inject` sets: what is done, how it is set, and which causes
// name it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conductor/targets.hpp"

namespace gpugauge::conductor {

/// Who finds it: a check against the healthy rounds, the doctor against its healthy findings, or a comparison
/// of what PyTorch does with what it did before.
enum class FoundBy { check, doctor, frameworks };

/// Which processors the measuring command is left.
enum class ConfinedTo {
  nothing,        ///< as this process
  one_processor,  ///< the last that this process may use
  another_node,   ///< those of a NUMA node that is not the GPU's
};

/// What works beside the measurement, as long as that lasts.
enum class Neighbour {
  none,
  on_its_processor,   ///< one thread that computes, on the processor that ConfinedTo left
  on_all_processors,  ///< a thread that computes on every processor that this process may use
  in_memory,          ///< threads that stream memory, on half of the processors
  family,             ///< a family's own executable with one benchmark
};

/// What has to be found on this machine, or made for it, beside variables.
enum class Made {
  nothing,
  other_version,       ///< a second version of a library of CUDA, one that lies here or a renamed copy
  cpu_only_framework,  ///< an environment whose PyTorch says of itself that it was built without CUDA
  framework_switch,    ///< PyTorch's switch for TF32: off, where it is on for the healthy side
};

/// One fault: an entry of the table.
struct Fault {
  std::string_view id;                   ///< of --only, of the table and of the JSON
  std::string_view what;                 ///< what is done, one clause
  std::vector<std::string_view> causes;  ///< of the catalogue; any of them first counts as named
  DeviceKind device = DeviceKind::host;  ///< whose figures show it
  FoundBy found_by = FoundBy::check;     ///< who is asked
  std::vector<std::string_view> measures =
      {};  ///< what the check measures, by class or pattern of ids; empty = all
  /// Variables of the measuring command.
  std::vector<std::pair<std::string_view, std::string_view>> environment = {};
  double quota = 0;  ///< share of the processors that the case uses, which a control group leaves; 0 = none
  ConfinedTo confined = ConfinedTo::nothing;  ///< the processors that it is left
  Neighbour neighbour = Neighbour::none;      ///< what works beside it
  std::string_view neighbour_family = {};     ///< which one, where the neighbour is a family
  std::string_view neighbour_filter = {};     ///< and of its benchmarks, as Google Benchmark filters
  int shm_mib = 0;                            ///< size of the /dev/shm that it sees; 0 = as it is
  /// File of libexec/gpugauge/faults, without its ending, that comes into the measured processes; "" = none.
  std::string_view library = {};
  bool as_profiler = false;   ///< the driver loads it, as it loads a profiler's; otherwise it is preloaded
  Made made = Made::nothing;  ///< what else has to be there
};

/// All of them, in the order of the report.
const std::vector<Fault>& fault_table();

/// nullptr where there is none of that name.
const Fault* find_fault(std::string_view id);

/// Throws result::UsageError, which lists what there is, for a name that is not in the table.
void require_faults(const std::vector<std::string>& ids);

}  // namespace gpugauge::conductor
