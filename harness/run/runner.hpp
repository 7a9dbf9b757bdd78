// Executes a plan: P fresh processes per family in seeded random order, telemetry beside them, one Run at the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::run {

/// How much is measured.
struct Profile {
  std::string name;            ///< smoke, quick, standard
  int processes = 5;           ///< P
  double window_seconds = 1;   ///< time window per benchmark, passed to the family
  double limit_seconds = 120;  ///< time limit of one process; then it is killed with its children
};
/// Throws result::UsageError naming the profiles that exist.
Profile profile(const std::string& name);
std::vector<Profile> profiles();

/// A family executable.
struct Family {
  std::string name;
  std::filesystem::path executable;
};
/// The families beside this command: DIR/gpugauge-bench-*, sorted by name. DIR is GPUGAUGE_LIBEXEC if set, else
/// ../libexec/gpugauge relative to the command's real path.
std::vector<Family> find_families();

struct Plan {
  Profile profile;
  std::vector<Family> families;
  std::string device;                ///< "host", or a GPU's UUID: exported to the child as CUDA_VISIBLE_DEVICES
  std::string device_selection;      ///< as the user wrote it
  std::vector<std::string> only;     ///< benchmark ids to measure; empty = all
  std::uint64_t seed = 0;
  int round = 1;
  result::Fingerprint fingerprint;   ///< without the suite part, which the runner fills from the samples
  std::vector<std::string> command;  ///< argv, for the record
  bool gpu_telemetry = false;
};

/// What the progress line is drawn from.
struct Progress {
  int done = 0, total = 0;
  std::string family;       ///< running now
  int process = 0;          ///< its index
  double elapsed_seconds = 0;
  double left_seconds = 0;  ///< estimate from processes done so far and the profile; < 0 unknown
};

/// Runs the plan. Never throws for what a child does: each process ends with a status and a reason. `stop` (set by the
/// command's signal handling, which the runner installs for its duration: SIGINT, SIGTERM, SIGHUP) ends the children
/// and returns a partial run marked so. `progress` is called at least once a second.
result::Run execute(const Plan& plan, const std::function<void(const Progress&)>& progress);

}  // namespace gpugauge::run
