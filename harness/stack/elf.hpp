// Reads an ELF file's build id without loading the file.
#pragma once

#include <filesystem>
#include <string>

namespace gpugauge::stack {

/// The linker's build id in hexadecimal ("3f947abf607f..."). Only byte-identical builds share it. "" if the
/// file is unreadable, damaged, without an id, or no 64-bit ELF of this machine's byte order.
std::string build_id(const std::filesystem::path& file);

}  // namespace gpugauge::stack
