// What an ELF file says about itself, without loading it.
#pragma once

#include <filesystem>
#include <string>

namespace gpugauge::stack {

/// The linker's build id in hexadecimal ("3f947abf607f..."), the same for byte-identical builds only; ""
/// where the file is no 64-bit ELF of this machine's byte order, carries none, cannot be read, or is damaged.
std::string build_id(const std::filesystem::path& file);

}  // namespace gpugauge::stack
