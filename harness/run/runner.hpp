// Executes a plan: P fresh processes per family in seeded random order, telemetry beside them, one Run at
// last.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::run {

/// How much is measured.
struct Profile {
  std::string name;               ///< smoke, quick, standard, deep: also how much each family measures
  int processes = 5;              ///< P
  double window_seconds = 1;      ///< time window per benchmark, passed to the family
  double limit_seconds = 120;     ///< time limit of one process; then it is killed with its children
  double grace_seconds = 2;       ///< between SIGTERM and SIGKILL
  double cool_down_seconds = .1;  ///< pause between two processes
};
/// From the shallowest, each measuring what the one before measures and more. smoke: one process, half-second
/// windows. quick: three, standard and deep: five, one-second windows.
std::vector<Profile> profiles();
/// Position in profiles(): 0 for the shallowest. Throws like profile().
int depth_of(const std::string& name);
/// Throws result::UsageError naming the profiles that exist.
Profile profile(const std::string& name);

/// A family executable.
struct Family {
  std::string name;
  std::filesystem::path executable;
  std::vector<std::string> arguments = {};  ///< before our own flags: a script and what it is to run
};
/// The families beside this command: DIR/gpugauge-bench-*, sorted by name. DIR is GPUGAUGE_LIBEXEC if set,
/// else ../libexec/gpugauge relative to the command's real path. Files that cannot be executed are listed
/// too: running them says what is wrong. No such folder: empty.
std::vector<Family> find_families();
/// Where find_families() looks.
std::filesystem::path family_directory();
std::vector<Family> find_families(const std::filesystem::path& directory);

/// What the family says about itself, JSON (its flag --gpugauge_describe). Throws result::FileError with one
/// sentence when it cannot be started, fails, exceeds the limit or answers without end.
std::string describe_family(const Family& family, double timeout_seconds = 20);

struct Plan {
  Profile profile;
  std::vector<Family> families;
  std::string device;             ///< "host", or a GPU's UUID: exported to the child as CUDA_VISIBLE_DEVICES
  std::string device_selection;   ///< as the user wrote it
  std::vector<std::string> only;  ///< benchmark ids to measure; empty = all
  std::uint64_t seed = 0;
  int round = 1;
  double expected_seconds = -1;      ///< estimate of the whole round, for the progress; < 0 unknown
  result::Fingerprint fingerprint;   ///< without the suite part, which the runner fills from the samples
  std::vector<std::string> command;  ///< argv, for the record
  bool gpu_telemetry = false;
  /// argv of the process that prints GPU telemetry; empty = this executable's `probe telemetry`.
  std::vector<std::string> telemetry_command;
};

/// What the progress line is drawn from.
struct Progress {
  int done = 0, total = 0;
  std::string family;  ///< running now
  int process = 0;     ///< its index
  double elapsed_seconds = 0;
  double left_seconds = 0;  ///< estimate from processes done so far, at first from the plan; < 0 unknown
};

/// Runs the plan, one process at a time. What a child does never throws: each process ends with a status and
/// a reason. For its duration SIGINT, SIGTERM and SIGHUP (unless that was ignored) stop the run: the running
/// family is asked to end and then killed, a second signal kills it at once, and a run comes back that is
/// valid, marked as not complete, and names what is missing. `progress` is called at least once a second;
/// what it throws ends the run and passes on. Orphans of the children are collected by this process: other
/// children started meanwhile would be taken for such. Throws result::FileError when there is no place for
/// temporary files.
result::Run execute(const Plan& plan, const std::function<void(const Progress&)>& progress);

/// The child's side of GPU telemetry, what `gpugauge probe telemetry --interval SECONDS` runs: every interval
/// one line of JSON on standard output. Returns the exit code.
int telemetry_main(double interval_seconds, const std::string& library = "libnvidia-ml.so.1");

}  // namespace gpugauge::run
