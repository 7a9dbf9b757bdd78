// Temporary folders of this process: for logs that a library writes, and caches of fresh processes.
#pragma once

#include <filesystem>
#include <memory>

#include "result/temporary_directory.hpp"

namespace gpugauge::bench {

/// Folders are made in `parent` from now on. This is the harness's own folder, which the command removes even
/// if this process is killed. Without it, folders are made under TMPDIR, and the next process there removes
/// what a killed one left.
void set_scratch_parent(const std::filesystem::path& parent);

/// Makes a folder that only this user can access. Throws result::FileError.
std::unique_ptr<result::TemporaryDirectory> make_scratch_folder();

}  // namespace gpugauge::bench
