// The host's figures beside those of the GPUs that one command measured.
#pragma once

#include <vector>

#include "report/summary.hpp"

namespace gpugauge::conductor {

/// Adds what the same command measured of the processors and their memory to the observation of each other
/// device that something is wrong with, and diagnoses that again: launches that are slow beside slow
/// processors have another cause than beside normal ones. Changes no verdict.
void share_host_figures(std::vector<report::DeviceReport>& devices);

}  // namespace gpugauge::conductor
