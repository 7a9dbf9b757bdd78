// Whether a folder has room for a file that is still to be measured.
#pragma once

#include <cstdint>
#include <filesystem>

#include <sys/statvfs.h>

namespace gpugauge::result {

/// errno (ENOSPC, EDQUOT) where a file of so many bytes has no room in the folder; 0 where it has, or nobody can tell.
/// Asks the file system for the room, which counts quotas and what is set aside for root, and else for its figures.
/// Leaves nothing behind.
int lack_of_room(const std::filesystem::path& folder, std::uint64_t bytes);

/// Whether these figures leave less room than that. A file system without figures (no blocks at all) is not full,
/// and `root` may use what is set aside for root.
bool is_too_full(const struct statvfs& figures, std::uint64_t bytes, bool root);

}  // namespace gpugauge::result
