// Reads numbers from a library's code or read-only data without running it. A function that only returns
// constants works as a table.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "stack/elf_file.hpp"

namespace gpugauge::stack {

/// The constants that a function stores through its first arguments, in order, or else the one it returns:
/// ncclGetVersion {22703}, nvrtcVersion {13, 0}. Empty if the file does not define it or it does anything
/// else. Empty for processors other than x86_64 and aarch64.
std::vector<int> constants_of(const ElfFile& file, std::string_view function);

/// As constants_of, for machine code given as bytes. `machine` is ELF's (EM_X86_64).
std::vector<int> constants_in(std::string_view code, unsigned machine);

/// The value of a 4-byte variable that the file defines and initialises, such as cudnn_graph_version.
std::optional<int> number_of(const ElfFile& file, std::string_view variable);

/// The CUDA version (13000) that a CUDA runtime in this file reports, in libcudart or statically linked.
/// Recognised by its code's shape, so also in a stripped file. Searches the first 64 MiB of code. nullopt if
/// no or several such answers are found, and for processors other than x86_64.
std::optional<int> runtime_version_in(const ElfFile& file);

}  // namespace gpugauge::stack
