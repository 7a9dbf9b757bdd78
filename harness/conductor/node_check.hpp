// A check of a node beyond that of one device (check()): why no GPU is usable, its devices in turn, and what
// they show together. `gpugauge check` goes through these in the order in which they stand here.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "conductor/catalogue.hpp"
#include "conductor/conductor.hpp"
#include "conductor/gone_cards.hpp"
#include "conductor/last_verdict.hpp"
#include "conductor/outcome.hpp"
#include "judge/policy_file.hpp"
#include "stack/rules/rules.hpp"

namespace gpugauge::conductor {

/// Throws result::FileError (baseline::refuse_links_in_state) where what a check judges by, or where it keeps a
/// verdict, is reached through a link below the state folder.
void refuse_links_in_check(const std::filesystem::path& state);

/// What the node has of that which a policy may expect: its usable GPUs, whichever of them are checked, and
/// its active RDMA ports.
judge::NodeFound found_on(const stack::GpuReport& gpus, const stack::Inventory& node);

/// Why no GPU is usable: the doctor's root cause, or, where its rules know none, the doctor's other failures
/// of the node. `node` must hold the answers of stack::collect_gpus(); `today` is RuleInput::today.
stack::Findings why_no_gpu(const stack::Inventory& node, const std::string& today);

/// What the doctor says of a node without a usable GPU.
struct NoGpu {
  stack::Findings findings;           ///< why_no_gpu()
  diagnose::Observation observation;  ///< observe_unusable()
};
/// Asks the driver what the doctor asks, which adds its answers to `node`. A driver that has just given no
/// answer at all is waited for 5 seconds.
NoGpu ask_why_no_gpu(const stack::GpuReport& gpus, stack::Inventory& node, const std::string& today);

/// Adds to a device's remarks what nobody looked at: silent families that are not in its round, and with
/// `node_left_out` what the policy expects of the node.
void say_what_was_left_out(report::DeviceReport& device, const std::vector<SilentFamily>& silent,
                           bool node_left_out);

/// keep_verdict(); where an earlier failure stays, a remark of the device says what ends it.
void keep_and_say(const std::filesystem::path& state, report::DeviceReport& device, const Narrowed& narrowed,
                  const stack::GpuReport& gpus, const stack::MachineNow& now = stack::machine_now());

/// How far a check came through its devices.
struct InTurn {
  bool stopped = false;  ///< ended before the last device was taken
  std::string error;     ///< what ended it, "LABEL: SENTENCE"; "" where that was no error
};
/// Checks one device after the other within one budget, and gives each to `take` as soon as it is judged. A
/// signal ends it, and so does an exception, of `take` too: that is thrown on where there is nothing else to
/// say, that is where no device was taken and `said` is false.
InTurn check_in_turn(CheckOptions options, const std::vector<Chosen>& chosen, const stack::GpuReport& gpus,
                     bool said, const std::function<void(report::DeviceReport)>& take);

/// Adds to report.node what only all its devices together show, and sets report.outcome. Lost cards are
/// looked for where every GPU was chosen: whoever asks for single GPUs does not ask about the node.
void judge_together(report::Report& report, const stack::GpuReport& gpus, const std::vector<Chosen>& chosen,
                    const judge::Policy& policy, const Hindrance& hindrance,
                    const std::function<Shown()>& shown = shown_by_the_kernel);

}  // namespace gpugauge::conductor
