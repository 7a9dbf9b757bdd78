// Reads the machine code in files with NVIDIA's cuobjdump. That tool reads executables, objects, libraries and bare
// cubins, and needs no GPU.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "stack/codegen/kernel_code.hpp"

namespace gpugauge::run {

/// Searches $GPUGAUGE_CUOBJDUMP, CUDA_HOME, CUDA_PATH, absolute entries of PATH and /usr/local/cuda. Last
/// comes the wheel that scripts/setup installs in .venv/cuda-tools of the source tree of this build, if only
/// this user and root may write there. "" when it is nowhere.
std::filesystem::path find_cuobjdump();

/// The code found in the files, and what could not be read.
struct Disassembly {
  /// Each distinct body once, with the first file that holds it; sorted by name, then architecture. Two
  /// files, or two parts of one file, may hold different bodies of one kernel.
  std::vector<stack::KernelCode> kernels;
  /// One sentence per file or part that could not be read; empty when everything was read.
  std::vector<std::string> problems;
  /// Names of files without machine code, including those with PTX only.
  std::vector<std::string> without_code;
};

/// Told before a process is waited for: how many of all have ended, and the file that this one reads.
using Reading = std::function<void(std::size_t ended, std::size_t all, const std::filesystem::path& file)>;

/// True for a bare cubin: an ELF file whose machine is CUDA's (190), by its first bytes.
bool is_cubin(const std::filesystem::path& file);

/// Reads every file: first its resources, then its code for each architecture; a bare cubin has one. Each file and
/// architecture gets a process of its own; two run at a time. `reading` is told of each process; those of the code are
/// counted anew.
Disassembly disassemble(const std::filesystem::path& cuobjdump,
                        const std::vector<std::filesystem::path>& files, const Reading& reading = {});

}  // namespace gpugauge::run
