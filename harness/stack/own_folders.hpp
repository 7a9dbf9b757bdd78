// The search path that a program or library brings along.
#pragma once

#include <string>
#include <vector>

#include "stack/tree.hpp"

namespace gpugauge::stack {

/// Folders of a DT_RPATH or DT_RUNPATH ("$ORIGIN/../lib:/usr/local/cuda/lib64"), "$ORIGIN" being `origin`;
/// those with another token are left out.
std::vector<std::string> own_folders(const std::string& list, const std::string& origin);

/// DT_RUNPATH of the ELF file at that path below the tree's root; empty where it has none, or is no ELF file.
std::vector<std::string> runpath_of(const Tree& tree, const std::string& path);

}  // namespace gpugauge::stack
