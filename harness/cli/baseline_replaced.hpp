// What new rounds say of the baseline whose place they would take: no loss becomes the norm in silence.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::cli {

/// A line for people on how these rounds of one device differ from the baseline that `check` would compare
/// them with now and that they, pinned as active in `folder`, would take the place of. "" where there is no
/// such baseline of this machine, or it would stay in force. Throws result::UsageError where they are slower
/// beyond tolerance, no fact that must match differs, and `reason` is empty; `kept` says where the rounds lie.
std::string against_replaced(const std::filesystem::path& folder, const std::vector<result::Run>& runs,
                             const std::string& reason, const std::string& kept);

}  // namespace gpugauge::cli
