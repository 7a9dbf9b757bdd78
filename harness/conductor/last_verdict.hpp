// The last verdict of each device, kept on the node: a check writes it, other commands read it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "judge/standing.hpp"
#include "report/summary.hpp"
#include "stack/gpu_report.hpp"
#include "stack/now.hpp"

namespace gpugauge::conductor {

/// What a check was narrowed to by the user, in the user's words; empty = the whole profile.
using Narrowed = std::vector<std::string>;

/// Keeps the verdict as verdicts/<device>.json in the state folder, replacing the device's earlier one.
/// Writes nothing for a check that was interrupted without a confirmed finding. A failure from this boot
/// stays until a newer failure, or a check of the whole device by its profile or a deeper one, decides
/// otherwise. Returns that failure's profile where it stayed, because this check was narrowed, of a lesser
/// profile, or could not judge. Where another driver is loaded than then (`now`), no failure stays. Throws
/// result::FileError.
std::optional<std::string> keep_verdict(const std::filesystem::path& state,
                                        const report::DeviceReport& device, const Narrowed& narrowed,
                                        const stack::GpuReport& gpus,
                                        const stack::MachineNow& now = stack::machine_now());

/// Keeps the node's own result from a check that wanted a GPU. It covers whether a GPU is usable, what the
/// policy expects, and whether the GPUs compute the same results. A failure from this boot stays where no GPU is
/// usable, and where a check without `all` found nothing, also one that another check writes meanwhile. Throws
/// result::FileError.
void keep_node_verdict(const std::filesystem::path& state, const report::Report& report, bool all,
                       const stack::MachineNow& now = stack::machine_now());

/// All verdicts kept in the folder, each with the files below `root` that changed since; none where there is
/// no folder. Libraries are not checked where either side is a container: an image is not the machine, and
/// the kernel module's version identifies the driver's libraries. A file that cannot be read is one of them, as
/// unreadable. Throws result::FileError for a folder that cannot be read or is a link.
std::vector<judge::Kept> kept_verdicts(const std::filesystem::path& state, const std::string& root = "/");

/// The machine as the kernel shows it now, and the time.
judge::Present present_now(const std::string& root = "/");

}  // namespace gpugauge::conductor
