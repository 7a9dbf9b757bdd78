// The search path that a program or library brings along.
#pragma once

#include <string>
#include <vector>

#include "stack/elf_file.hpp"
#include "stack/loader.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// Folders of a DT_RPATH or DT_RUNPATH ("$ORIGIN/../lib:/usr/local/cuda/lib64"), "$ORIGIN" being `origin`;
/// those with another token are left out.
std::vector<std::string> own_folders(const std::string& list, const std::string& origin);

/// Both of them as the loader takes them: a DT_RPATH is void beside a DT_RUNPATH.
OwnFolders own_folders(const ElfDynamic& dynamic, const std::string& origin);

/// Those of the ELF file at that path below the tree's root; none where it has none, or is no ELF file.
OwnFolders own_folders(const Tree& tree, const std::string& path);

}  // namespace gpugauge::stack
