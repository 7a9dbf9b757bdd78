// The ways of copies: between two GPUs, and between a GPU and the processors.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Says of each copy between two GPUs which way it takes (Scope::path): "nvlink" where all of their links lead to
/// NVSwitches, "chipset", "same_switch", "cross_socket", "host_bridge". Of a GPU alone, topology.path says "chipset"
/// where it hangs on one. Nothing is said of a virtual machine, whose bridges are made up; of NVLinks that join other
/// GPUs, perhaps; and where the fingerprint does not tell, as those of earlier versions.
void add_pair_ways(const std::vector<result::Run>& rounds, diagnose::Observation& out);

}  // namespace gpugauge::conductor
