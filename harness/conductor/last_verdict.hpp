// The last verdict of each device, kept on the node: a check writes it, other commands read it.
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

/// Keeps the verdict as verdicts/<device>.json in the state folder, replacing the device's earlier one.
/// Writes nothing for a check that was interrupted without a confirmed finding. A failure from this boot
/// stays until a check of the whole device decides otherwise. Returns false where such a failure stayed,
/// because this check was narrowed or could not judge. Throws result::FileError.
bool keep_verdict(const std::filesystem::path& state, const report::DeviceReport& device,
                  const Narrowed& narrowed, const stack::GpuReport& gpus);

/// Keeps the node's own result from a check that wanted a GPU. It covers whether a GPU is usable, what the
/// policy expects, and whether the GPUs compute the same results. A check without `all` that found nothing
/// leaves a failure from this boot in place. Throws result::FileError.
void keep_node_verdict(const std::filesystem::path& state, const report::Report& report, bool all);

/// All verdicts kept in the folder, each with the files below `root` that changed since; none where there is
/// no folder. Libraries are not checked where either side is a container: an image is not the machine, and
/// the kernel module's version identifies the driver's libraries. A file that cannot be read is one of them, as
/// unreadable. Throws result::FileError for a folder that cannot be read or is a link.
std::vector<judge::Kept> kept_verdicts(const std::filesystem::path& state, const std::string& root = "/");

/// The machine as the kernel shows it now, and the time.
judge::Present present_now(const std::string& root = "/");

}  // namespace gpugauge::conductor
