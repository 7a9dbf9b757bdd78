// The catalogue: the installed benchmark families and the benchmarks that each one describes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "conductor/targets.hpp"
#include "run/runner.hpp"

namespace gpugauge::conductor {

/// One benchmark that a family offers.
struct Benchmark {
  std::string id;                      ///< family/op/variant/params
  std::string family;                  ///< name of the family that measures it
  std::string metric_class;            ///< class of most of its metrics, one of result::classes
  std::string isolates;                ///< what it measures, one or two sentences
  std::string bad_value;               ///< what a bad value usually means
  DeviceKind kind = DeviceKind::host;  ///< what kind of device it measures
  std::string profile = "smoke";       ///< the shallowest profile that measures it
  double window_share = 1;             ///< factor on the profile's time window
  double batch_seconds = 0;            ///< target duration of a batch (there are 20 or more); 0 = no batches
  bool forms_mean = false;             ///< true when it reports the mean of its batches
  bool sustained = false;              ///< runs for Profile::sustained_seconds where that is above 0
  /// Estimated seconds outside the window: the family's overhead, plus this benchmark's own warm-up and what
  /// else it says that it takes.
  double beside_seconds = .12;
  std::vector<std::string> more_classes = {};  ///< classes of its other metrics
  /// Measured on some GPUs in place of a benchmark that they cannot run. No round spends the time of both.
  bool stands_in = false;
};

/// A family that could not describe itself; nobody can say what it would have measured.
struct SilentFamily {
  std::string name;    ///< as its executable is named
  std::string reason;  ///< why, one sentence

  bool operator==(const SilentFamily&) const = default;  ///< member by member
};

/// "family cudnn: gpugauge-bench-cudnn ended with exit code 127 when asked to describe itself; ...".
std::string sentence(const SilentFamily& family);

/// sentence() of each family, joined with "; ".
std::string sentences(const std::vector<SilentFamily>& families);

/// Everything that can be measured here.
struct Catalogue {
  std::vector<run::Family> families;  ///< those that described themselves, sorted by name
  std::vector<Benchmark> benchmarks;  ///< sorted by id
  std::vector<SilentFamily> silent;   ///< those that did not describe themselves
  /// family -> estimated cost of one process beside its benchmarks
  std::map<std::string, double> start_seconds;
};

/// Adds the benchmarks and the start time from a family's description, and the family itself. The description
/// is JSON of the schema "gpugauge.definitions/1". `origin` names the text in error messages. Throws
/// result::FormatError, and result::UsageError for an unknown profile; `out` is then unchanged.
void add_family(const run::Family& family, const std::string& description, const std::string& origin,
                Catalogue& out);

/// Asks every family installed beside the command. Throws result::UsageError, naming the folder, when there
/// is none.
Catalogue catalogue();

/// What is to be measured on a device.
struct Choice {
  std::vector<run::Family> families;  ///< families whose executables are run, sorted by name
  std::vector<std::string> only;      ///< benchmark ids; empty = all that the profile measures on the device
  std::size_t benchmarks = 0;         ///< number of benchmarks
  /// Each benchmark with its number of processes and its estimated duration.
  std::vector<run::PlannedBenchmark> planned;
  std::map<std::string, double> start_seconds;  ///< as in Catalogue
  double round_seconds = 0;                     ///< estimate of one round
  /// Silent families that were asked for, by name or since everything was, or that a class which nothing else
  /// measures may mean. Always empty for the host: most families need a GPU, and a missing CUDA library must
  /// not block a measurement of the processor. Where nothing else was asked for, `families` is empty.
  std::vector<SilentFamily> unmeasured;
};

/// Selects the families and benchmarks that the profile measures on one kind of device, narrowed by family
/// names and words. A word is a class (gemm16), a family (launch), or an id pattern with * and ?. Throws
/// result::UsageError for a family that does not exist, for the host also for one that cannot describe itself,
/// and for a word that selects nothing on this kind of device. The message names a deeper profile that does measure
/// it, if there is one.
Choice choose(const Catalogue& catalogue, const run::Profile& profile, DeviceKind kind,
              const std::vector<std::string>& families, const std::vector<std::string>& words);

/// The planned entries of the benchmarks in `only`; all of them where `only` is empty.
std::vector<run::PlannedBenchmark> planned_of(const Choice& choice, const std::vector<std::string>& only);

/// A device and what it is to measure.
struct Chosen {
  Target target;  ///< the device
  Choice choice;  ///< its families and benchmarks
};

/// Calls choose() for every device before any is measured, so that a bad word for one device wastes no
/// measurement of another. Drops an implied target for which nothing is left, but the first where all that was
/// asked for is silent. Each word must select something, or mean a silent family, on at least one implied
/// target.
std::vector<Chosen> choose_for(const Catalogue& catalogue, const run::Profile& profile,
                               const std::vector<Target>& targets, const std::vector<std::string>& families,
                               const std::vector<std::string>& words);

std::vector<Target> targets_of(const std::vector<Chosen>& chosen);  ///< The targets alone, in their order.

/// True when the word is a class of the benchmark's metrics, its family, or a pattern that matches its id.
bool selects(const std::string& word, const Benchmark& benchmark);

/// "; the profile deep measures it" where the word selects a benchmark of the catalogue, naming the
/// shallowest such profile. Otherwise "".
std::string deeper_profile(const Catalogue& catalogue, const std::string& word);

/// Throws result::UsageError where the profile sets a duration for sustained load but no chosen benchmark is
/// one of sustained load.
void require_sustained(const Catalogue& catalogue, const run::Profile& profile,
                       const std::vector<Chosen>& chosen);

/// The profile with the time window for that kind of device.
run::Profile profile_of(run::Profile profile, DeviceKind kind);

/// How long the window of a benchmark lasts in a profile, in seconds: result::window_seconds(), or the fewest
/// batches where these take longer.
double window_seconds(const Benchmark& benchmark, const run::Profile& profile);

/// Number of processes that measure the benchmark: normally the profile's P. Benchmarks that no shallower
/// profile measures may use fewer. One that lasts 6 s or longer uses one, because it contains its own
/// repetitions.
int processes_of(const Benchmark& benchmark, const run::Profile& profile);

/// How each benchmark is measured in the profile.
std::vector<run::PlannedBenchmark> plan_of(const std::vector<const Benchmark*>& benchmarks,
                                           const run::Profile& profile);

/// Estimated seconds of one round on a device of that kind: the start of each process, plus the window and
/// overhead of each benchmark as its family states them, and on a GPU the time in which it must not be seen to
/// cool. It does not include what this particular machine adds.
double round_seconds(const std::vector<run::PlannedBenchmark>& planned,
                     const std::map<std::string, double>& start_seconds, const run::Profile& profile,
                     DeviceKind kind);

/// Expected duration of a verdict on a device of that kind when one round is enough.
double budget_seconds(const run::Profile& profile, DeviceKind kind);

}  // namespace gpugauge::conductor
