// Machine code of files by NVIDIA's cuobjdump, which reads executables, objects and libraries and needs no
// GPU.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "stack/codegen/kernel_code.hpp"

namespace gpugauge::run {

/// Where cuobjdump is: $GPUGAUGE_CUOBJDUMP, CUDA_HOME, CUDA_PATH, absolute entries of PATH, /usr/local/cuda,
/// and the wheel that scripts/setup installs in .venv/cuda-tools of the source tree that the command was
/// built in, where only this user and root may write. "" when nowhere.
std::filesystem::path find_cuobjdump();

/// What the files hold.
struct Disassembly {
  /// Each body once, with the first file that holds it; sorted by name, then architecture. Two files, or two
  /// parts of one, may hold different bodies of one kernel.
  std::vector<stack::KernelCode> kernels;
  /// What could not be read, one sentence each; empty: everything was.
  std::vector<std::string> problems;
  /// Files without any machine code (those with PTX alone, too), by their names.
  std::vector<std::string> without_code;
};

/// Told before a process is waited for: how many have ended of how many, and the file that this one reads.
using Reading = std::function<void(std::size_t ended, std::size_t all, const std::filesystem::path& file)>;

/// Reads every file: its resources first, then its code for each architecture in a process of its own, two at
/// a time. `reading` is told of each; those of the code, which take the time, are counted anew.
Disassembly disassemble(const std::filesystem::path& cuobjdump,
                        const std::vector<std::filesystem::path>& files, const Reading& reading = {});

}  // namespace gpugauge::run
