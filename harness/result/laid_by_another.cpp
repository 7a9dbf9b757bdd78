#include "result/laid_by_another.hpp"

#include <unistd.h>

namespace gpugauge::result {

bool is_laid_by_another(const struct stat& info, const std::filesystem::path& path) {
  struct stat folder {};
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  constexpr mode_t shared = S_ISVTX | S_IWOTH;
  return ::stat(parent.c_str(), &folder) == 0 && (folder.st_mode & shared) == shared &&
         info.st_uid != ::geteuid() && info.st_uid != folder.st_uid;
}

}  // namespace gpugauge::result
