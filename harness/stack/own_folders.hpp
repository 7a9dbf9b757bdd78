// The search path in a program or library.
#pragma once

#include <string>
#include <vector>

#include "stack/elf_file.hpp"
#include "stack/loader.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// Folders of a DT_RPATH or DT_RUNPATH ("$ORIGIN/../lib:/usr/local/cuda/lib64"). "$ORIGIN" becomes `origin`;
/// folders with another token are left out.
std::vector<std::string> own_folders(const std::string& list, const std::string& origin);

/// Both lists as the loader uses them: it ignores DT_RPATH beside DT_RUNPATH.
OwnFolders own_folders(const ElfDynamic& dynamic, const std::string& origin);

/// The lists of the ELF file at that path below the tree's root; empty if it has none or is no ELF file.
OwnFolders own_folders(const Tree& tree, const std::string& path);

}  // namespace gpugauge::stack
