#include "result/temporary_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "result/file.hpp"
#include "result/laid_by_another.hpp"

namespace gpugauge::result {
namespace {

constexpr int random_letters = 6;  // as mkstemp requires
// Only we use this mark, so abandoned files can be removed.
constexpr std::string_view mark = ".gpugauge-";

}  // namespace

bool is_temporary(std::string_view file, std::string_view name) {
  if (file.size() < mark.size() + random_letters + 2 || file.front() != '.') return false;
  const std::size_t end = file.size() - random_letters - mark.size();
  if (file.substr(end, mark.size()) != mark || (!name.empty() && file.substr(1, end - 1) != name))
    return false;
  return std::all_of(file.end() - random_letters, file.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0; });
}

Descriptor make_temporary(const std::filesystem::path& folder, const std::string& name,
                          std::string& temporary) {
  while (true) {
    temporary = (folder / fmt::format(".{}{}XXXXXX", name, mark)).string();
    Descriptor fd(::mkostemp(temporary.data(), O_CLOEXEC));
    if (fd.get() < 0) return fd;
    // Another process may have locked it between the two calls, to remove it as abandoned.
    const bool taken = ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct stat info {};
    if (!taken && ::fstat(fd.get(), &info) == 0 && info.st_nlink > 0) return fd;
  }
}

namespace {

/// False if there is an access list and the other file cannot have it.
bool copies_access_list(const std::filesystem::path& from, int to) {
  constexpr const char* name = "system.posix_acl_access";  // acl(5): the list that setfacl sets
  std::array<char, 4096> list{};
  const ssize_t bytes = ::getxattr(from.c_str(), name, list.data(), list.size());
  if (bytes < 0) return errno != ERANGE;  // no list, or a file system without lists
  return ::fsetxattr(to, name, list.data(), static_cast<std::size_t>(bytes), 0) == 0;
}

}  // namespace

bool admit_as(const std::filesystem::path& file, int descriptor) {
  struct stat info {};
  // The owner of what another laid there is no hint for the new file's.
  if (::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && !is_laid_by_another(info, file)) {
    // On a file with an access list, the group bits of the mode are the list's mask.
    const bool same_list = copies_access_list(file, descriptor);
    const mode_t mode = info.st_mode & 0777U;
    if (::fchmod(descriptor, mode) != 0) return false;
    // Owner last: after giving a file away we may no longer change its mode. If the owner is refused, the
    // group may still be allowed.
    if (same_list && (::fchown(descriptor, info.st_uid, info.st_gid) == 0 ||
                      ::fchown(descriptor, static_cast<uid_t>(-1), info.st_gid) == 0))
      return true;
    constexpr mode_t group = 0070;
    const mode_t others_as_group = (mode & 07U) << 3U;
    return ::fchmod(descriptor, mode & (~group | others_as_group)) == 0;
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return ::fchmod(descriptor, 0666 & ~mask) == 0;
}

void remove_abandoned(const std::filesystem::path& folder, std::string_view name) noexcept {
  try {
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
      if (is_temporary(entry->path().filename().string(), name)) found.push_back(entry->path());
    for (const std::filesystem::path& file : found) {
      const Descriptor fd(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
      struct stat info {};
      if (fd.get() >= 0 && ::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode) &&
          (info.st_uid == ::geteuid() || ::geteuid() == 0) && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
        ::unlink(file.c_str());
    }
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): cleaning up is not worth an error
  }
}

}  // namespace gpugauge::result
