// The causes of what makes one node of a fleet unlike its peers.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "diagnose/diagnose.hpp"

namespace gpugauge::report {

/// The diagnosis of one node.
struct NodeCauses {
  /// Labels of the healthy nodes of its kind that it was held against; empty where there was none.
  std::vector<std::string> against;
  diagnose::Observation observation;  ///< its comparison with them, and its own run
  diagnose::Diagnosis diagnosis;      ///< of that observation
};

/// By a node's place in judge::PeersJudgement::nodes: those that were found or are suspect.
using CausesOfNodes = std::map<std::size_t, NodeCauses>;

}  // namespace gpugauge::report
