// Finds nodes whose facts (driver, libraries, firmware, settings) differ from what most of the fleet has.
// Covers facts that make another kind of node as well as facts that do not affect the numbers.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "baseline/fields.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// A value other than the usual one.
struct OddValue {
  std::optional<std::string> value;  ///< "" is a value too; nullopt: these runs lack the fact
  std::size_t runs = 0;              ///< runs that have it
  std::vector<std::string> labels;   ///< labels of these runs, sorted, each once
};

/// A fact that differs between runs on one model of device, whether or not more than half agree on a value.
struct DriftedFact {
  std::string device;       ///< "NVIDIA H200", a processor, "links between NVIDIA H200"
  std::string field;        ///< "stack.driver.version", as baseline::Mismatch writes it
  bool must_match = false;  ///< a difference makes another kind of node
  bool majority = true;     ///< false: there is no usual value, and `odd` holds every value
  /// value that most have; nullopt: most lack the fact, or there is no majority
  std::optional<std::string> usual;
  std::size_t runs = 0;       ///< runs that have the usual value; 0 without a majority
  std::size_t of = 0;         ///< runs that were counted, including those that lack the fact
  std::vector<OddValue> odd;  ///< most frequent first
};

/// Counts facts; add() is thread-safe. Facts that identify a single device are left out. A run that lacks a
/// fact which others have is counted as lacking it, with two exceptions: sources of a family that the node
/// did not measure (reported as missing elsewhere), and facts of a GPU that the node does not have
/// ("gpu.count" shows that).
class FleetDrift {
 public:
  /// Adds a run; `label` names the node where its value is odd.
  void add(const result::Run& run, const std::string& label);
  /// Returns facts that must match first, then by name. `names` maps added labels to the names in the answer;
  /// other labels stay as they are. Call after all add() have returned.
  std::vector<DriftedFact> facts(const std::map<std::string, std::string>& names = {}) const;

 private:
  using Runs = std::vector<std::uint32_t>;  ///< indices into Device::labels, ascending
  struct Fact {
    baseline::Role role = baseline::Role::noted;
    std::map<std::string, Runs> values;
  };
  struct Device {
    std::vector<std::string> labels;    ///< one per run
    std::map<std::string, Fact> facts;  ///< by field
  };

  static Runs having(const Fact& fact);
  static Runs lacking(const Device& device, const std::string& field, const Fact& fact);

  std::mutex mutex_;
  std::map<std::string, Device> devices_;
};

}  // namespace gpugauge::judge
