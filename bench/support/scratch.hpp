// A place for files that go with the process: logs that a library writes, caches of fresh processes.
#pragma once

#include <filesystem>
#include <memory>

#include "result/temporary_directory.hpp"

namespace gpugauge::bench {

/// Folders are made in `parent` from now on: the harness's own, which goes with the command also where this
/// process is killed. Without it they are made under TMPDIR, and the next one there removes what a killed one
/// left.
void set_scratch_parent(const std::filesystem::path& parent);

/// A folder for this user only. Throws result::FileError.
std::unique_ptr<result::TemporaryDirectory> make_scratch_folder();

}  // namespace gpugauge::bench
