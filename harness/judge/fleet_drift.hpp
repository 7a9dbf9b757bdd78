// What the nodes of a fleet are, fact by fact: who differs from what most are? Driver, libraries, firmware,
// settings: also where a difference makes two kinds of nodes, or where it does not matter to the numbers.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::judge {

/// A value that is not the usual one.
struct OddValue {
  std::string value;                ///< "" is a value, too
  std::size_t runs = 0;             ///< that have it
  std::vector<std::string> labels;  ///< of these runs, the first few in their order
};

/// A fact that more than half of the runs on one model of device have in common, and some have otherwise.
struct DriftedFact {
  std::string device;         ///< "NVIDIA H200", a processor, "links between NVIDIA H200"
  std::string field;          ///< "stack.driver.version", as baseline::Mismatch writes it
  bool must_match = false;    ///< a difference makes another kind of nodes
  std::string usual;          ///< what most have
  std::size_t runs = 0;       ///< that have the usual value
  std::size_t of = 0;         ///< that have the fact at all
  std::vector<OddValue> odd;  ///< the most frequent first
};

/// Counts facts; several threads may add. What tells one device from another is left out.
class FleetDrift {
 public:
  /// `label` is what the node is called where its value is odd.
  void add(const result::Run& run, const std::string& label);
  /// What must match first, then by name. Call when no thread adds any more.
  std::vector<DriftedFact> facts() const;

 private:
  struct Count {
    std::size_t runs = 0;
    std::set<std::string> labels;  ///< the first few
  };
  struct Fact {
    bool identity = false;
    bool must_match = false;
    std::size_t runs = 0;
    std::map<std::string, Count> values;
  };
  std::mutex mutex_;
  std::map<std::string, std::map<std::string, Fact>> devices_;
};

}  // namespace gpugauge::judge
