// Numbers that a library's code or read-only data state, read without running anything of it: a function that
// only answers with constants is a table in disguise.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "stack/elf_file.hpp"

namespace gpugauge::stack {

/// What a function stores through its first arguments, in the order of storing, or else what it returns:
/// ncclGetVersion {22703}, nvrtcVersion {13, 0}. Empty where the file does not define it, where it does
/// anything but store and return constants, and for processors other than x86_64 and aarch64.
std::vector<int> constants_of(const ElfFile& file, std::string_view function);

/// The same of machine code, given as bytes. `machine` is ELF's (EM_X86_64).
std::vector<int> constants_in(std::string_view code, unsigned machine);

/// The value of a 4-byte variable that the file defines and initialises: cudnn_graph_version.
std::optional<int> number_of(const ElfFile& file, std::string_view variable);

/// The CUDA version (13000) that a CUDA runtime inside this file answers with, be it libcudart or a program
/// that was linked with the static one. Known by its shape, so also in a stripped file; nullopt where none or
/// several such answers are seen, beyond the first 64 MiB of code, and for processors other than x86_64.
std::optional<int> runtime_version_in(const ElfFile& file);

}  // namespace gpugauge::stack
