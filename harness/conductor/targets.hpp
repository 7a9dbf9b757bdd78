// Which devices a command works on.
#pragma once

#include <string>
#include <vector>

#include "result/device_kind.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::conductor {

using result::DeviceKind;  ///< A unit of measurement.

/// One device, or the links of all, that a command is about.
struct Target {
  DeviceKind kind = DeviceKind::host;  ///< decides which benchmarks concern it
  std::string selection;               ///< "host", the GPU's UUID, or "links"
  std::string label;                   ///< for people
  std::string visible = selection;     ///< what a family sees: "host", or UUIDs separated by commas
  bool implied = false;  ///< selected through "all": dropped silently when no chosen benchmark applies to it

  /// Short label for narrow places.
  std::string brief() const { return kind == DeviceKind::gpu ? selection.substr(0, 12) : selection; }
};

/// What --device asked for. Without a usable GPU, a selection of one gives no target but sets `gpu_wanted`.
/// The caller then prints GpuReport::explanation.
struct Targets {
  std::vector<Target> devices;  ///< in the order asked for, each once
  bool gpu_wanted = false;      ///< a GPU or links were asked for, whether or not any exist
};

/// `device` is a comma-separated list of these words. all: every usable GPU, and the links where there are
/// several. host. links: those between the usable GPUs. A GPU's index, UUID or unique UUID prefix. Throws
/// result::UsageError for any other word, and for a GPU that is not there, listing the GPUs.
Targets select_targets(const std::string& device, const stack::GpuReport& gpus, const std::string& host_name);

/// True when only the host is selected, so that no GPU needs to be searched.
bool host_only(const std::string& device);

}  // namespace gpugauge::conductor
