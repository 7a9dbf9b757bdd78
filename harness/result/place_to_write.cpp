// Finds where to write a named file: follows links, and avoids making folders that ".." only passes through.
#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

#include "result/error.hpp"
#include "result/file.hpp"
#include "result/laid_by_another.hpp"

namespace gpugauge::result {
namespace {

namespace fs = std::filesystem;

bool is_link_of_another(const fs::path& link) {
  struct stat info {};
  return ::lstat(link.c_str(), &info) == 0 && S_ISLNK(info.st_mode) && is_laid_by_another(info, link);
}

constexpr int most_links = 40;  // the kernel's own limit

/// Resolves `rest` below `here` as the kernel does, replacing each link by its target. Throws FileError for
/// another user's link.
fs::path followed(fs::path here, const fs::path& rest, int& links) {
  std::error_code error;
  for (const fs::path& part : rest) {
    if (part.empty()) continue;  // after a trailing slash
    here /= part;
    if (links >= most_links || !fs::is_symlink(fs::symlink_status(here, error))) continue;
    if (is_link_of_another(here))
      throw FileError(
          fmt::format("{} is a link of another user in a folder where everybody may write, and is not "
                      "followed; give another name",
                      here.string()));
    const fs::path target = fs::read_symlink(here, error);
    if (error) continue;
    ++links;
    here = followed(here.parent_path(), target, links);
  }
  return here;
}

void refuse_links_of_others(const fs::path& path) {
  int links = 0;
  followed({}, path, links);
}

}  // namespace

fs::path behind_links(const fs::path& given) {
  refuse_links_of_others(given);
  std::error_code error;
  fs::path file = given;
  for (int i = 0; i < most_links; ++i) {
    if (!fs::is_symlink(fs::symlink_status(file, error))) return file;
    const fs::path target = fs::read_symlink(file, error);
    if (error) return file;
    file = file.parent_path() / target;
  }
  return given;
}

fs::path without_detours(const fs::path& path) {
  std::error_code error;
  const bool detour = std::find(path.begin(), path.end(), "..") != path.end();
  if (!detour || fs::exists(path.parent_path(), error)) return path;
  refuse_links_of_others(path);  // the links are no longer visible afterwards
  fs::path straight = fs::weakly_canonical(path, error);
  return error ? path : straight;
}

fs::path place_to_write(const fs::path& given) {
  fs::path file = without_detours(given);
  fs::path target = behind_links(file);
  std::error_code error;
  const auto status = fs::status(file, error);
  if (!fs::exists(status)) return target;
  if (!fs::is_regular_file(status) && !fs::is_directory(status))
    throw FileError(fmt::format("{} is not a regular file; give the name of a file", file.string()));
  if (!fs::is_symlink(fs::symlink_status(file, error))) return file;
  target = fs::canonical(file, error);
  return error ? file : target;
}

}  // namespace gpugauge::result
