// The outcome of a check over all devices and the node, and whether all of them were measured.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conductor/catalogue.hpp"
#include "judge/checksum_sides.hpp"
#include "judge/judge.hpp"
#include "report/summary.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::conductor {

/// Judges what only all devices together can show: differing checksums of GPUs of one model, and a GPU lost
/// while another was measured.
std::vector<judge::Verdict> judge_node(const std::vector<judge::ChecksumSide>& devices);

/// The worst outcome of the devices, in this order: tool error, regressed, cannot judge, inconclusive, pass.
/// A failed expectation of the `node` makes it regressed.
judge::Outcome combine(const std::vector<report::DeviceReport>& devices,
                       const std::vector<judge::Verdict>& node = {});

/// What kept a check from measuring everything that was asked for.
struct Hindrance {
  bool gpu_missing = false;  ///< a GPU was asked for, and none is usable
  std::string held;          ///< which device another command holds, and who; empty = none
  bool stopped = false;      ///< the check ended before the last device
  std::size_t wanted = 0;    ///< devices that were to be measured
};

/// The outcome of the whole check. A finding against a device or the node stands even if other devices could
/// not be measured. A pass needs everything that was asked for.
judge::Outcome outcome(const report::Report& report, const Hindrance& hindrance);

/// True when `gpus` has at least one GPU and all of them were chosen: the check then concerns the whole node.
bool chose_all(const stack::GpuReport& gpus, const std::vector<Chosen>& chosen);

/// True when every GPU of `gpus` was chosen, each device was measured to the end, and `narrowed` is empty.
/// Only such a check clears an earlier failure of the node.
bool looked_at_all(const report::Report& report, const stack::GpuReport& gpus,
                   const std::vector<Chosen>& chosen, const std::vector<std::string>& narrowed);

}  // namespace gpugauge::conductor
