// A lock on a file or folder of a baseline that nobody waits for without end.
#pragma once

#include <filesystem>

namespace gpugauge::baseline {

/// Takes the kernel's lock (flock) of what is open, `place`, alone; waits 10 s at most, many times as long as
/// a decision takes to write: whoever can read a file can hold its lock for ever. Throws result::FileError
/// where another holds it then. A file system that locks nothing (NFS without its daemon, Lustre without
/// flock) is gone on with, unlocked.
void lock_patiently(int descriptor, const std::filesystem::path& place);

}  // namespace gpugauge::baseline
