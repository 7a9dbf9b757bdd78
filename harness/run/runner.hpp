// Executes a plan: P fresh processes per family in seeded random order, with telemetry beside them. The
// result is one Run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "result/process_limits.hpp"
#include "result/run_file.hpp"
#include "result/stops_held_back.hpp"
#include "run/cool_down.hpp"
#include "run/surroundings.hpp"

namespace gpugauge::run {

/// How much is measured.
struct Profile {
  std::string name;           ///< one of profiles(): also how much each family measures
  int processes = 5;          ///< P
  int own_processes = 5;      ///< P for benchmarks that no shallower profile measures
  double window_seconds = 1;  ///< time window per benchmark, passed to the family; in profiles(): the host's
  double device_window_seconds = 1;  ///< the same for benchmarks of a GPU and of links
  double mean_window_seconds = 0;    ///< lower bound where smoke measures the benchmark and a mean is formed
  /// Time window of sustained-load benchmarks. 0 = the ordinary window, scaled by each benchmark's own
  /// factor.
  double sustained_seconds = 0;
  /// Time limit of one process; then it is killed with its children.
  double limit_seconds = result::process_limit_seconds;
  double grace_seconds = result::grace_seconds;  ///< between SIGTERM and SIGKILL
  double pause_seconds = .1;                     ///< between two processes
  CoolDown cool_down{};                          ///< before the first process of a round with GPU telemetry
  double budget_seconds =
      180;  ///< what a verdict on one GPU, or on the links, should take where one round is enough
  double host_budget_seconds = 180;  ///< the same for the host
};
/// Shallowest first; each profile measures everything the one before measures, and more.
std::vector<Profile> profiles();
/// Position in profiles(), 0 for the shallowest. Throws like profile().
int depth_of(const std::string& name);
/// Those behind it in profiles(); none where there is no such profile.
std::vector<std::string> profiles_deeper_than(const std::string& name);
/// Throws result::UsageError naming the profiles that exist.
Profile profile(const std::string& name);

/// A family executable.
struct Family {
  /// The prefix of its benchmarks' ids. For our own files, the part after "gpugauge-bench-".
  std::string name;
  std::filesystem::path executable;         ///< absolute where find_families() found it
  std::vector<std::string> arguments = {};  ///< before our own flags: a script and its arguments
};
/// The families beside this command: DIR/gpugauge-bench-*, sorted by name. DIR is GPUGAUGE_LIBEXEC if set,
/// else ../libexec/gpugauge relative to the command's real path. Files that cannot be executed are listed
/// too; running them reports what is wrong. Empty if the folder does not exist.
std::vector<Family> find_families();
/// The folder that find_families() searches.
std::filesystem::path family_directory();
std::vector<Family> find_families(const std::filesystem::path& directory);  ///< the same in another folder

/// The family's description of itself as JSON (its flag --gpugauge_describe). Throws result::FileError with
/// one sentence if it cannot be started, fails, exceeds the limit or prints without end.
std::string describe_family(const Family& family, double timeout_seconds = 20);

/// A benchmark that a plan measures.
struct PlannedBenchmark {
  std::string id;      ///< begins with its family's name and a slash
  int processes = 1;   ///< this many of its family's processes measure it, the first ones
  double seconds = 0;  ///< estimate for one process; 0 for a stand-in
  /// If Profile::sustained_seconds is above 0, it is this benchmark's window; the process must be told.
  bool sustained = false;
  /// Stands in for another benchmark on older GPUs. On a GPU that needs no stand-in its process does not
  /// report it.
  bool stands_in = false;
};

/// One fully decided round: what is measured, how often and on what. The order follows from the seed.
struct Plan {
  Profile profile;                ///< how much, of every family
  std::vector<Family> families;   ///< each executed profile.processes times
  std::string device;             ///< "host", or UUIDs with commas: the child's CUDA_VISIBLE_DEVICES
  std::string device_selection;   ///< what becomes result::Run::device
  std::vector<std::string> only;  ///< benchmark ids to measure; empty = all
  /// All benchmarks that will be measured, if known; processes with nothing to measure are then left out.
  /// Empty = every process of a family measures whatever `only` leaves.
  std::vector<PlannedBenchmark> benchmarks;
  /// Family -> estimated seconds a process takes in addition to its benchmarks.
  std::map<std::string, double> start_seconds;
  std::uint64_t seed = 0;  ///< for the order of processes, and for each process's own seed (process_seed())
  int round = 1;           ///< 1, or the number of the repeated round inside one check
  result::Fingerprint fingerprint;   ///< without the suite part, which the runner fills from the samples
  std::vector<std::string> command;  ///< argv, for the record
  bool gpu_telemetry = false;        ///< ask NVML beside the measurement
  /// argv of the process that prints GPU telemetry. Empty = `probe telemetry` of this executable.
  std::vector<std::string> telemetry_command;
  Surroundings surroundings;  ///< for every family process
};

/// The data behind the progress line.
struct Progress {
  /// Processes that have ended.
  int done = 0, total = 0;     ///< processes of the whole plan
  std::string family;          ///< running now
  int process = 0;             ///< its index
  bool cools = false;          ///< the round has not begun: a GPU still cools
  double elapsed_seconds = 0;  ///< since the run's start
  /// Estimated from the processes done so far, at first from the plan; < 0: unknown.
  double left_seconds = 0;
};

/// Runs the plan, one process at a time. A child's behaviour never throws: each process ends with a status
/// and a reason. While it runs, SIGINT, SIGTERM and SIGHUP (unless ignored) stop the run. The running family
/// is asked to end, then killed; a second signal kills it at once. The returned run is valid, marked as not
/// complete, and names what is missing. A signal that arrives after the last process has ended leaves the run
/// complete. `stopped_by` receives the signal in either case, or 0. `progress` is called at least once per
/// second; what it throws ends the run and passes on. This process collects its children's orphans: do not
/// start other children meanwhile, they would be taken for orphans. `held`, if given, is set before the
/// signal dispositions are restored. Signals that arrive later take effect when it is destroyed, so the
/// caller can save the run first. Throws result::FileError if there is no place for temporary files, and
/// std::system_error if the plan's processors may not be used.
result::Run execute(const Plan& plan, const std::function<void(const Progress&)>& progress,
                    int* stopped_by = nullptr, std::optional<result::StopsHeldBack>* held = nullptr);

/// The child's side of GPU telemetry, which `gpugauge probe telemetry --interval SECONDS` runs. Prints one
/// line of JSON per interval on standard output. Returns the exit code.
int telemetry_main(double interval_seconds, const std::string& library = "libnvidia-ml.so.1");

}  // namespace gpugauge::run
