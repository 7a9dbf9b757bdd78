// What a check says at its end: of all devices and the node together, and whether all of them were looked at.
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

/// What only all devices of a node together show: checksums of GPUs of one model that differ, and a GPU that
/// was lost while another was measured.
std::vector<judge::Verdict> judge_node(const std::vector<judge::ChecksumSide>& devices);

/// The outcome of several devices: the gravest counts (tool error, regressed, cannot judge, inconclusive,
/// pass), and a failed expectation of the `node` as a whole.
judge::Outcome combine(const std::vector<report::DeviceReport>& devices,
                       const std::vector<judge::Verdict>& node = {});

/// What kept a check from measuring what was asked for.
struct Hindrance {
  bool gpu_missing = false;  ///< a GPU was asked for, and none is usable
  std::string held;          ///< which device another command holds, and who; empty = none
  bool stopped = false;      ///< ended before the last device
  std::size_t wanted = 0;    ///< devices that were to be measured
};

/// What the whole check says. What was shown against a device or the node stays, whatever could not be looked
/// at; a pass needs all that was asked for.
judge::Outcome outcome(const report::Report& report, const Hindrance& hindrance);

/// True when every GPU of `gpus` was asked for, of which there is one at least: then the node is meant.
bool chose_all(const stack::GpuReport& gpus, const std::vector<Chosen>& chosen);

/// True when every GPU of `gpus` was among the `chosen` devices, each was measured to the end, and nothing
/// `narrowed` the profile: only such a check clears an earlier failure of the node.
bool looked_at_all(const report::Report& report, const stack::GpuReport& gpus,
                   const std::vector<Chosen>& chosen, const std::vector<std::string>& narrowed);

}  // namespace gpugauge::conductor
