// Whether a baseline is what its device is compared with from now on.
#pragma once

#include <filesystem>
#include <string>

namespace gpugauge::cli {

/// Lines for people on the active baseline in that folder: which ones it takes the place of, or which one
/// stays in force before it, and what to type to have it otherwise. "" where there is no other of its kind.
std::string in_force(const std::filesystem::path& folder);

}  // namespace gpugauge::cli
