// Whose file a path in a folder like /tmp names.
#pragma once

#include <filesystem>

#include <sys/stat.h>

namespace gpugauge::result {

/// True for what another user laid in a sticky world-writable folder (/tmp), the folder's owner apart: the
/// rule by which the kernel follows no link with fs.protected_symlinks. That user could make us write where
/// they cannot, or read what we write. `info`: of what lies at `path`. False where the folder cannot be seen.
bool is_laid_by_another(const struct stat& info, const std::filesystem::path& path);

}  // namespace gpugauge::result
