// The host's figures beside those of the GPUs that one command measured.
#pragma once

#include <cstddef>
#include <vector>

#include "report/summary.hpp"

namespace gpugauge::conductor {

/// Adds what the same command measured of the processors and their memory to the observation of each other
/// device that something is wrong with, and diagnoses that again: launches that are slow beside slow
/// processors have another cause than beside normal ones. Changes no verdict. Returns the indices of the
/// devices that were diagnosed again.
std::vector<std::size_t> share_host_figures(std::vector<report::DeviceReport>& devices);

}  // namespace gpugauge::conductor
