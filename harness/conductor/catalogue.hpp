// What can be measured here: the families beside the command and the benchmarks that each describes.
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
  std::string metric_class;            ///< one of result::classes, that of most of its metrics
  std::string isolates;                ///< what it measures, one or two sentences
  std::string bad_value;               ///< what a bad value usually means
  DeviceKind kind = DeviceKind::host;  ///< what it measures
  std::string profile = "smoke";       ///< the shallowest profile that measures it
  double window_share = 1;             ///< of the profile's time window
  double batch_seconds = 0;            ///< what one of the 20 batches or more should last; 0 = no batches
  bool forms_mean = false;             ///< of its batches
  bool sustained = false;              ///< Profile::sustained_seconds says how long, where that is above 0
  /// Estimate of what it takes beside its window: its family's, and its own for warming up.
  double beside_seconds = .12;
  std::vector<std::string> more_classes = {};  ///< classes of its other metrics
  /// Measured on older GPUs in the place of another benchmark, which they cannot measure: no round takes the
  /// time of both.
  bool stands_in = false;
};

/// A family that could not describe itself: what it would have measured nobody can say.
struct SilentFamily {
  std::string name;    ///< as its executable says
  std::string reason;  ///< why, one sentence

  bool operator==(const SilentFamily&) const = default;  ///< member by member
};

/// "family cudnn: gpugauge-bench-cudnn ended with exit code 127 when asked to describe itself; ...".
std::string sentence(const SilentFamily& family);

/// The same of several, with "; " between them.
std::string sentences(const std::vector<SilentFamily>& families);

/// All that can be measured here.
struct Catalogue {
  std::vector<run::Family> families;            ///< those that described themselves, by name
  std::vector<Benchmark> benchmarks;            ///< sorted by id
  std::vector<SilentFamily> silent;             ///< those that did not
  std::map<std::string, double> start_seconds;  ///< family -> estimate: a process beside its benchmarks
};

/// Adds what a family's description, JSON of the schema "gpugauge.definitions/1", offers: its benchmarks, its
/// start and itself. `origin` names the text in sentences. Throws result::FormatError, a result::UsageError
/// for an unknown profile, and adds nothing then.
void add_family(const run::Family& family, const std::string& description, const std::string& origin,
                Catalogue& out);

/// Asks every family beside the command. Throws result::UsageError when there is none, naming the folder.
Catalogue catalogue();

/// What a device is to measure.
struct Choice {
  std::vector<run::Family> families;  ///< whose executables are to be run, by name
  std::vector<std::string> only;      ///< benchmark ids; empty = all that the profile measures of the device
  std::size_t benchmarks = 0;         ///< how many there are
  /// Each of them with how many processes measure it and what it is estimated to take.
  std::vector<run::PlannedBenchmark> planned;
  std::map<std::string, double> start_seconds;  ///< as in Catalogue
  double round_seconds = 0;                     ///< estimate of one round
  /// Families that this choice would hold if they could say what they measure. For the host they are left
  /// out: most families need a GPU, and a library of CUDA that is missing does not keep the processor from
  /// being measured.
  std::vector<SilentFamily> unmeasured;
};

/// The families and benchmarks for one kind of device that the profile measures, narrowed by family names and
/// by words: a class (gemm16), a family (launch), or a pattern of ids with * and ?. Throws result::UsageError
/// for a family that does not exist or cannot say what it measures, and for a word that selects nothing on
/// this kind of device; where a deeper profile measures what it names, the sentence says which.
Choice choose(const Catalogue& catalogue, const run::Profile& profile, DeviceKind kind,
              const std::vector<std::string>& families, const std::vector<std::string>& words);

/// What the choice plans of these benchmarks; all of it where `only` is empty.
std::vector<run::PlannedBenchmark> planned_of(const Choice& choice, const std::vector<std::string>& only);

/// A device and what it is to measure.
struct Chosen {
  Target target;  ///< the device
  Choice choice;  ///< its families and benchmarks
};

/// The same for each of several devices, all before any of them is measured: a word that selects nothing on
/// one must not cost the measurement of another. An implied target for which nothing is left is dropped; each
/// word must select something on one of the implied ones.
std::vector<Chosen> choose_for(const Catalogue& catalogue, const run::Profile& profile,
                               const std::vector<Target>& targets, const std::vector<std::string>& families,
                               const std::vector<std::string>& words);

std::vector<Target> targets_of(const std::vector<Chosen>& chosen);  ///< The targets alone, in their order.

/// True when the word is a class of the benchmark's metrics, its family, or a pattern that its id matches.
bool selects(const std::string& word, const Benchmark& benchmark);

/// "; the profile deep measures it" where a benchmark of the catalogue is selected by the word, naming the
/// shallowest profile that has one; "" where none is.
std::string deeper_profile(const Catalogue& catalogue, const std::string& word);

/// Throws result::UsageError where the profile says how long benchmarks of sustained load shall run, and none
/// of these is one.
void require_sustained(const Catalogue& catalogue, const run::Profile& profile,
                       const std::vector<Chosen>& chosen);

/// The profile with the window of that kind of device.
run::Profile profile_of(run::Profile profile, DeviceKind kind);

/// The window of a benchmark in a profile, as its family will form it.
double window_seconds(const Benchmark& benchmark, const run::Profile& profile);

/// How many processes of its family measure it: P; what no shallower profile measures may be measured by
/// fewer, and what lasts 6 s or longer by one: it holds its own repetitions.
int processes_of(const Benchmark& benchmark, const run::Profile& profile);

/// How each is measured in the profile.
std::vector<run::PlannedBenchmark> plan_of(const std::vector<const Benchmark*>& benchmarks,
                                           const run::Profile& profile);

/// Estimate of one round, in seconds: for each process its start, and for each of its benchmarks the window
/// and what stands beside it, as the family states them. What the machine needs is known only afterwards.
double round_seconds(const std::vector<run::PlannedBenchmark>& planned,
                     const std::map<std::string, double>& start_seconds, const run::Profile& profile);

/// What a verdict on a device of that kind should take where one round is enough.
double budget_seconds(const run::Profile& profile, DeviceKind kind);

}  // namespace gpugauge::conductor
