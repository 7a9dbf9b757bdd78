// Executes a plan: P fresh processes per family in seeded random order, telemetry beside them, one Run at
// last.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "result/run_file.hpp"
#include "result/stops_held_back.hpp"
#include "run/surroundings.hpp"

namespace gpugauge::run {

/// How much is measured.
struct Profile {
  std::string name;           ///< one of profiles(): also how much each family measures
  int processes = 5;          ///< P
  int own_processes = 5;      ///< the same for what no shallower profile measures
  double window_seconds = 1;  ///< time window per benchmark, passed to the family; in profiles(): the host's
  double device_window_seconds = 1;  ///< the same for benchmarks of a GPU and of links
  double mean_window_seconds = 0;    ///< never less where smoke measures it and a mean is formed
  /// Time window of benchmarks of sustained load; 0 = their share of the others'.
  double sustained_seconds = 0;
  double limit_seconds = 120;     ///< time limit of one process; then it is killed with its children
  double grace_seconds = 2;       ///< between SIGTERM and SIGKILL
  double cool_down_seconds = .1;  ///< pause between two processes
  double budget_seconds =
      180;  ///< what a verdict on one GPU, or on the links, should take where one round is enough
  double host_budget_seconds = 180;  ///< the same for the host
};
/// From the shallowest, each measuring what the one before measures and more.
std::vector<Profile> profiles();
/// Position in profiles(): 0 for the shallowest. Throws like profile().
int depth_of(const std::string& name);
/// Throws result::UsageError naming the profiles that exist.
Profile profile(const std::string& name);

/// A family executable.
struct Family {
  /// What its benchmarks' ids begin with; of our own files what stands behind "gpugauge-bench-".
  std::string name;
  std::filesystem::path executable;         ///< absolute where find_families() found it
  std::vector<std::string> arguments = {};  ///< before our own flags: a script and what it is to run
};
/// The families beside this command: DIR/gpugauge-bench-*, sorted by name. DIR is GPUGAUGE_LIBEXEC if set,
/// else ../libexec/gpugauge relative to the command's real path. Files that cannot be executed are listed
/// too: running them says what is wrong. No such folder: empty.
std::vector<Family> find_families();
/// Where find_families() looks.
std::filesystem::path family_directory();
std::vector<Family> find_families(const std::filesystem::path& directory);  ///< the same in another folder

/// What the family says about itself, JSON (its flag --gpugauge_describe). Throws result::FileError with one
/// sentence when it cannot be started, fails, exceeds the limit or answers without end.
std::string describe_family(const Family& family, double timeout_seconds = 20);

/// A benchmark that a plan measures.
struct PlannedBenchmark {
  std::string id;      ///< begins with its family's name and a slash
  int processes = 1;   ///< how many of its family's processes measure it: the first ones
  double seconds = 0;  ///< estimate for one process; 0 where it stands in
  /// Its window is Profile::sustained_seconds where that is above 0: its process must be told.
  bool sustained = false;
  /// Stands in for another on older GPUs: its process says nothing of it where the GPU needs no stand-in.
  bool stands_in = false;
};

/// One round, decided in full: what is measured, how often and on what, in an order that follows from the
/// seed.
struct Plan {
  Profile profile;                ///< how much, of every family
  std::vector<Family> families;   ///< each executed profile.processes times
  std::string device;             ///< "host", or UUIDs with commas: the child's CUDA_VISIBLE_DEVICES
  std::string device_selection;   ///< what becomes result::Run::device
  std::vector<std::string> only;  ///< benchmark ids to measure; empty = all
  /// All that will be measured, where it is known: a process that has nothing to measure is then left out.
  /// Empty = every process of a family measures whatever `only` leaves.
  std::vector<PlannedBenchmark> benchmarks;
  /// Family -> estimate of what a process takes beside its benchmarks.
  std::map<std::string, double> start_seconds;
  std::uint64_t seed = 0;  ///< of the order of processes, and of each process's own seed (process_seed())
  int round = 1;           ///< 1, or the number of the repeated round inside one check
  result::Fingerprint fingerprint;   ///< without the suite part, which the runner fills from the samples
  std::vector<std::string> command;  ///< argv, for the record
  bool gpu_telemetry = false;        ///< ask NVML beside the measurement
  /// argv of the process that prints GPU telemetry; empty = this executable's `probe telemetry`.
  std::vector<std::string> telemetry_command;
  Surroundings surroundings;  ///< of every family process
};

/// What the progress line is drawn from.
struct Progress {
  /// Processes that have ended.
  int done = 0, total = 0;     ///< processes of the whole plan
  std::string family;          ///< running now
  int process = 0;             ///< its index
  double elapsed_seconds = 0;  ///< since the run's start
  double left_seconds = 0;     ///< estimate from processes done so far, at first from the plan; < 0 unknown
};

/// Runs the plan, one process at a time. What a child does never throws: each process ends with a status and
/// a reason. For its duration SIGINT, SIGTERM and SIGHUP (unless that was ignored) stop the run: the running
/// family is asked to end and then killed, a second signal kills it at once, and a run comes back that is
/// valid, marked as not complete, and names what is missing. One that comes when the last process has ended
/// finds a whole run: `stopped_by` is the signal, or 0, in either case. `progress` is called at least once a
/// second; what it throws ends the run and passes on. Orphans of the children are collected by this process:
/// other children started meanwhile would be taken for such. `held`, where given, is filled before the
/// signals are given back: what comes then takes effect when it goes, and the caller can keep the run before.
/// Throws result::FileError when there is no place for temporary files, std::system_error when the processors
/// of the plan may not be used.
result::Run execute(const Plan& plan, const std::function<void(const Progress&)>& progress,
                    int* stopped_by = nullptr, std::optional<result::StopsHeldBack>* held = nullptr);

/// The child's side of GPU telemetry, what `gpugauge probe telemetry --interval SECONDS` runs: every interval
/// one line of JSON on standard output. Returns the exit code.
int telemetry_main(double interval_seconds, const std::string& library = "libnvidia-ml.so.1");

}  // namespace gpugauge::run
