// Locks a file or folder of a baseline, with a limited wait.
#pragma once

#include <filesystem>

namespace gpugauge::baseline {

/// Takes an exclusive flock on `descriptor`, opened on `place`. Waits at most 10 s, many times what writing a
/// decision takes, since any reader of a file could hold its lock forever. Throws result::FileError if
/// another process still holds it. A file system without locks (NFS without its daemon, Lustre without flock)
/// is used unlocked.
void lock_patiently(int descriptor, const std::filesystem::path& place);

}  // namespace gpugauge::baseline
