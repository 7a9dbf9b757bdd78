// The run file, schema "gpugauge.run/1": one round (P fresh processes per family) with its telemetry. It
// never changes after it was written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "result/samples.hpp"

namespace gpugauge::result {

inline constexpr std::string_view run_schema = "gpugauge.run/1";  ///< what a run file's "schema" must be

/// Describes the node. Compared field by field; the baseline module says which fields must match.
struct Fingerprint {
  Facts device;    ///< GPU models, UUIDs, compute capability; or the host processor
  Facts stack;     ///< every version that was loaded: driver, runtime, libraries, kernel, libc
  Facts settings;  ///< power limit, persistence, governor, cgroup limit, environment variables that matter
  Facts topology;  ///< NUMA, PCIe, NVLink
  Facts suite;     ///< version, profile, source hash per family

  bool operator==(const Fingerprint&) const = default;  ///< every fact equal: names and texts
};

/// One series of telemetry, sampled beside the measurement.
struct Series {
  std::string source;           ///< "host" or "gpu:<UUID>"
  std::string name;             ///< "load1", "cpu_throttled_seconds", "sm_clock_hz"
  std::string unit;             ///< one of result::units
  std::vector<double> seconds;  ///< since the run's start
  std::vector<double> values;   ///< same length

  bool operator==(const Series&) const = default;  ///< member by member, numbers exactly
};

/// One execution of a family.
struct Process {
  std::string family;  ///< name of the executed family; ids of its benchmarks begin with it
  int index = 0;       ///< 0 .. P-1 within the family
  int order = 0;       ///< position in the run's random order
  /// The outcome of the execution as a whole; each benchmark in it has its own in samples.
  Status status = Status::ok;
  std::string reason;  ///< one sentence unless ok
  /// Absent when a signal ended the process, nothing ended it, or it never started.
  std::optional<int> exit_code;
  /// The signal that ended it, numbered as in signal(7); absent if none did.
  std::optional<int> signal;
  double start_seconds = 0;                ///< since the run's start
  double wall_seconds = 0;                 ///< from its start until it had ended
  std::optional<double> expected_seconds;  ///< estimate of wall_seconds, made before the start
  /// What the host did during this process, as differences over it: cpu_seconds, steal_seconds,
  /// cgroup_throttled_periods, cgroup_throttled_seconds, pressure_cpu_seconds, involuntary_switches,
  /// other_cpu_seconds.
  std::map<std::string, double> host;
  std::string output;  ///< tail of what it printed, at most 4 KiB of valid UTF-8
  /// The sample file it left; absent if there is no readable one of this family.
  std::optional<Samples> samples;

  bool operator==(const Process&) const = default;  ///< member by member, numbers exactly
};

/// One round. `complete` is false for an interrupted run: what it holds is valid, and it names what is
/// missing.
struct Run {
  std::string id;              ///< 26 characters, sorts by time (ULID)
  bool complete = false;       ///< no process of the plan is missing or interrupted; some may have failed
  std::string partial_reason;  ///< one sentence; "" when complete
  std::string started;         ///< UTC, RFC 3339
  double wall_seconds = 0;     ///< of the whole round, pauses between processes included
  std::uint64_t seed = 0;      ///< of the random order; with family and index, of each process
  std::string profile;  ///< smoke, quick, standard, deep, exhaustive; other words for runs of other sources
  std::string device;   ///< "host", "links" (see device_kind), or a GPU's UUID
  int round = 1;        ///< 1, or the number of the repeated round inside one check
  std::vector<std::string> command;  ///< argv of the command that measured: for the record, never run again
  std::vector<std::string> only;     ///< benchmark filter of a repeated round; empty = everything
  std::string boot_id;  ///< of the kernel that ran the measurement; "" if the kernel does not tell
  /// The node before the first process; its suite part is made from the samples.
  Fingerprint fingerprint;
  std::vector<Process> processes;  ///< in the order in which they were executed
  std::vector<Series> telemetry;   ///< of the host and of each GPU that answered, over the whole run
  std::vector<std::string>
      remarks;  ///< what the reader should know: telemetry that could not be read, and why

  bool operator==(const Run&) const = default;  ///< member by member, numbers exactly
};

/// Reads a run file. Throws FormatError naming file, place and what is wrong; unknown keys are refused.
Run read_run(const std::filesystem::path& file, Detail detail = Detail::all);
/// As read_run, from text; `origin` names it in error sentences.
Run parse_run(const std::string& text, const std::string& origin, Detail detail = Detail::all);

/// JSON text of a run file. Throws std::invalid_argument when a value is not finite or breaks a rule above.
std::string to_json(const Run& run);

}  // namespace gpugauge::result
