// What the nodes of a fleet are, fact by fact: who differs from what most are? Driver, libraries, firmware,
// settings: also where a difference makes two kinds of nodes, or where it does not matter to the numbers.
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

/// A value that is not the usual one.
struct OddValue {
  std::optional<std::string> value;  ///< "" is a value, too; nullopt: these runs lack the fact
  std::size_t runs = 0;              ///< that have it
  std::vector<std::string> labels;   ///< of all of these runs, each once, sorted
};

/// A fact in which runs on one model of device differ: more than half have it in common and some otherwise,
/// or no value has so many.
struct DriftedFact {
  std::string device;                ///< "NVIDIA H200", a processor, "links between NVIDIA H200"
  std::string field;                 ///< "stack.driver.version", as baseline::Mismatch writes it
  bool must_match = false;           ///< a difference makes another kind of nodes
  bool majority = true;              ///< false: there is no usual value, and `odd` holds every value
  std::optional<std::string> usual;  ///< what most have; nullopt: most lack the fact, or there is no majority
  std::size_t runs = 0;              ///< that have the usual value; 0 without a majority
  std::size_t of = 0;                ///< that were counted: also those that lack the fact
  std::vector<OddValue> odd;         ///< the most frequent first
};

/// Counts facts; several threads may add. What tells one device from another is left out. A run that lacks a
/// fact which others have is counted as such, with two exceptions: sources of a family (a family that a node
/// did not measure is missing there, and said as that), and the facts of a GPU that the node does not have
/// ("gpu.count" says that).
class FleetDrift {
 public:
  /// `label` is what the node is called where its value is odd.
  void add(const result::Run& run, const std::string& label);
  /// What must match first, then by name. `names`: what a label that was added is called in the answer; one
  /// that is not among them stays as it is. Call when no thread adds any more.
  std::vector<DriftedFact> facts(const std::map<std::string, std::string>& names = {}) const;

 private:
  using Runs = std::vector<std::uint32_t>;  ///< places in Device::labels, ascending
  struct Fact {
    baseline::Role role = baseline::Role::noted;
    std::map<std::string, Runs> values;
  };
  struct Device {
    std::vector<std::string> labels;    ///< one a run
    std::map<std::string, Fact> facts;  ///< by field
  };

  static Runs having(const Fact& fact);
  static Runs lacking(const Device& device, const std::string& field, const Fact& fact);

  std::mutex mutex_;
  std::map<std::string, Device> devices_;
};

}  // namespace gpugauge::judge
