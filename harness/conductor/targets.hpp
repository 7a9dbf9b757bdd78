// Which devices a command is about.
#pragma once

#include <string>
#include <vector>

#include "stack/gpu_report.hpp"

namespace gpugauge::conductor {

struct Target {
  bool gpu = false;
  std::string selection;  ///< "host" or the GPU's UUID
  std::string label;      ///< for people
};

/// What --device asked for. Without a usable GPU, a selection that names one gives no target for it and
/// `gpu_wanted` stays true: the caller says why with GpuReport::explanation.
struct Targets {
  std::vector<Target> devices;
  bool gpu_wanted = false;
};

/// `device` is a list with commas of: all (every usable GPU), host, a GPU's index, a GPU's UUID or the unique
/// beginning of one. Throws result::UsageError for a word that names none of the GPUs that are there, listing
/// them.
Targets select_targets(const std::string& device, const stack::GpuReport& gpus, const std::string& host_name);

/// True when the selection names the host only: no GPU needs to be looked for.
bool host_only(const std::string& device);

}  // namespace gpugauge::conductor
