// What can be measured here: the families beside the command and the benchmarks that each describes.
#pragma once

#include <string>
#include <vector>

#include "run/runner.hpp"

namespace gpugauge::conductor {

struct Benchmark {
  std::string id;
  std::string family;
  std::string metric_class;
  std::string isolates;   ///< what it measures, one or two sentences
  std::string bad_value;  ///< what a bad value usually means
  bool needs_gpu = false;
};

struct Catalogue {
  std::vector<run::Family> families;
  std::vector<Benchmark> benchmarks;  ///< sorted by id
  std::vector<std::string> problems;  ///< families that could not describe themselves, and why
};

/// Asks every family beside the command. Throws result::UsageError when there is none, naming the folder.
Catalogue catalogue();

/// What a device is to measure.
struct Choice {
  std::vector<run::Family> families;
  std::vector<std::string> only;  ///< benchmark ids; empty = all of the families
};

/// The families and benchmarks for a GPU or the host, narrowed by family names and patterns. Throws
/// result::UsageError for a family that does not exist, and for a pattern that selects nothing on this kind
/// of device.
Choice choose(const Catalogue& catalogue, bool gpu, const std::vector<std::string>& families,
              const std::vector<std::string>& patterns);

}  // namespace gpugauge::conductor
