// What can be measured here: the families beside the command and the benchmarks that each describes.
#pragma once

#include <string>
#include <vector>

#include "conductor/targets.hpp"
#include "run/runner.hpp"

namespace gpugauge::conductor {

struct Benchmark {
  std::string id;
  std::string family;
  std::string metric_class;
  std::string isolates;   ///< what it measures, one or two sentences
  std::string bad_value;  ///< what a bad value usually means
  bool needs_gpu = false;
  std::string profile = "smoke";  ///< the shallowest profile that measures it
  double window_share = 1;        ///< of the profile's time window
};

struct Catalogue {
  std::vector<run::Family> families;
  std::vector<Benchmark> benchmarks;  ///< sorted by id
  std::vector<std::string> problems;  ///< families that could not describe themselves, and why
  std::vector<std::string> broken;    ///< their names
};

/// Asks every family beside the command. Throws result::UsageError when there is none, naming the folder.
Catalogue catalogue();

/// What a device is to measure.
struct Choice {
  std::vector<run::Family> families;
  std::vector<std::string> only;  ///< benchmark ids; empty = all that the profile measures of the families
  std::size_t benchmarks = 0;     ///< how many there are
  double round_seconds = 0;       ///< estimate of one round
  /// Families that this choice would hold if they could say what they measure, and why they cannot. For the
  /// host they are left out: most families need a GPU, and a library of CUDA that is missing does not keep
  /// the processor from being measured.
  std::vector<std::string> unmeasured;
};

/// The families and benchmarks for a GPU or the host that the profile measures, narrowed by family names and
/// by words: a class (gemm16), a family (launch), or a pattern of ids with * and ?. Throws result::UsageError
/// for a family that does not exist or cannot say what it measures, and for a word that selects nothing on
/// this kind of device; where a deeper profile measures what it names, the sentence says which.
Choice choose(const Catalogue& catalogue, const run::Profile& profile, bool gpu,
              const std::vector<std::string>& families, const std::vector<std::string>& words);

/// The same for each of several devices, all before any of them is measured: a word that selects nothing on
/// one must not cost the measurement of another.
std::vector<Choice> choose_for(const Catalogue& catalogue, const run::Profile& profile,
                               const std::vector<Target>& targets, const std::vector<std::string>& families,
                               const std::vector<std::string>& words);

/// True when the word is the benchmark's class or family, or a pattern that its id matches.
bool selects(const std::string& word, const Benchmark& benchmark);

/// "; the profile deep measures it" where a benchmark of the catalogue is selected by the word, naming the
/// shallowest profile that has one; "" where none is.
std::string deeper_profile(const Catalogue& catalogue, const std::string& word);

/// Seconds that one round of a profile takes: for each process of a family its benchmarks' windows, and an
/// allowance for starting, warming up, calibrating and verifying. What the machine needs is known only
/// afterwards.
double round_seconds(const std::vector<const Benchmark*>& benchmarks, const run::Profile& profile);

}  // namespace gpugauge::conductor
