// Which devices a command is about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/gpu_report.hpp"

namespace gpugauge::conductor {

/// What is measured as one thing: the host, one GPU, or the links between the GPUs of the node, which need
/// all of them at once.
enum class DeviceKind { host, gpu, links };

/// "the host", "a GPU", "the links between GPUs": for a sentence.
std::string_view in_words(DeviceKind kind);

/// One device, or the links of all, that a command is about.
struct Target {
  DeviceKind kind = DeviceKind::host;  ///< decides which benchmarks concern it
  std::string selection;               ///< "host", the GPU's UUID, or "links"
  std::string label;                   ///< for people
  std::string visible = selection;     ///< what a family is shown: "host", or UUIDs with commas between them
  bool implied = false;                ///< by "all": has nothing to say where nothing chosen concerns it

  /// Its label where there is room for a word only.
  std::string brief() const { return kind == DeviceKind::gpu ? selection.substr(0, 12) : selection; }
};

/// What --device asked for. Without a usable GPU, a selection that names one gives no target for it and
/// `gpu_wanted` stays true: the caller says why with GpuReport::explanation.
struct Targets {
  std::vector<Target> devices;  ///< in the order asked for, each once
  bool gpu_wanted = false;      ///< a GPU or links were asked for, whether or not there are any
};

/// `device` is a list with commas of: all (every usable GPU, and where there are several their links), host,
/// links (what lies between the usable GPUs), a GPU's index, a GPU's UUID or the unique beginning of one.
/// Throws result::UsageError for a word that names none of the GPUs that are there, listing them.
Targets select_targets(const std::string& device, const stack::GpuReport& gpus, const std::string& host_name);

/// True when the selection names the host only: no GPU needs to be looked for.
bool host_only(const std::string& device);

}  // namespace gpugauge::conductor
