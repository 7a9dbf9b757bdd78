// The last verdict of each device, kept on the node: written by a check, read by whoever asks in between.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "judge/standing.hpp"
#include "report/summary.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::conductor {

/// What a check was narrowed to by the user, in the user's words; empty = the whole profile.
using Narrowed = std::vector<std::string>;

/// Keeps the verdict as verdicts/<device>.json in the state folder, in place of the device's earlier one. A
/// check that was interrupted without a confirmed finding is no verdict: nothing is written then, and the
/// earlier one stands. A failure of this boot stands, too, until a check of the whole device decides otherwise:
/// false where this one was narrowed or could not judge, and did not take its place. Throws result::FileError.
bool keep_verdict(const std::filesystem::path& state, const report::DeviceReport& device,
                  const Narrowed& narrowed, const stack::GpuReport& gpus);

/// Keeps what a check for which a GPU was wanted says of the node as a whole: whether one is usable, what the
/// policy expects, whether its GPUs compute the same. One that did not look at `all` of it, and found
/// nothing, leaves a failure of this boot standing. Throws result::FileError.
void keep_node_verdict(const std::filesystem::path& state, const report::Report& report, bool all);

/// All verdicts that are kept there, and what of their files has changed below `root`; none where there is no
/// folder. Where either side is a container no library is looked for: an image is not the machine, and what
/// the driver brings into it is known by the kernel module's version. Throws result::FileError or
/// result::FormatError for a file that cannot be read.
std::vector<judge::Kept> kept_verdicts(const std::filesystem::path& state, const std::string& root = "/");

/// The machine as the kernel shows it, and the time.
judge::Present present_now(const std::string& root = "/");

}  // namespace gpugauge::conductor
