#include "result/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/error.hpp"

namespace gpugauge::result {
namespace {
namespace fs = std::filesystem;

// Only we use this prefix, so abandoned folders can be removed.
constexpr const char* prefix = ".gpugauge-";
constexpr const char* owner_file = ".owner";
constexpr const char* unnamed_owner_file = ".owner.new";

/// Removes a folder of ours: made by this user, private, no link, and with an owner file that nobody locks.
/// If its owner was killed before that file had its name, only an empty folder is removed. An owner that is
/// just making the file then makes another folder.
void remove_folder_if_abandoned(const fs::path& folder) {
  struct stat status {};
  constexpr mode_t private_folder = S_IFDIR | 0700;
  constexpr mode_t looked_at = S_IFMT | 0777;  // S_ISGID is inherited from the parent folder
  if (::lstat(folder.c_str(), &status) != 0 || (status.st_mode & looked_at) != private_folder ||
      status.st_uid != ::getuid())
    return;
  std::error_code ignored;
  for (const char* const name : {owner_file, unnamed_owner_file}) {
    const int file = ::open((folder / name).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    // Keep the lock until the folder is gone: an owner about to take it then sees that it lost.
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) fs::remove_all(folder, ignored);
    ::close(file);
    return;
  }
  ::rmdir(folder.c_str());
}

void remove_abandoned_folders(const fs::path& parent) {
  constexpr std::size_t random_letters = 6;  // as mkdtemp requires
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && name.size() == std::string_view(prefix).size() + random_letters)
      found.push_back(entry->path());
  }
  for (const fs::path& folder : found) remove_folder_if_abandoned(folder);
}

fs::path users_parent() {
  const char* const variable = std::getenv("TMPDIR");
  return variable != nullptr && *variable != '\0' ? variable : "/tmp";
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() : TemporaryDirectory(users_parent()) {}

TemporaryDirectory::TemporaryDirectory(const fs::path& parent) {
  remove_abandoned_folders(parent);
  // Another process may remove the folder as abandoned until its owner file has its name. Then try again.
  constexpr int attempts = 100;
  for (int attempt = 0; lock_ < 0; ++attempt) make(parent, attempt + 1 == attempts);
}

void TemporaryDirectory::make(const fs::path& parent, bool last) {
  std::string name = (parent / fmt::format("{}XXXXXX", prefix)).string();
  if (mkdtemp(name.data()) == nullptr)
    throw FileError(fmt::format(
        "Cannot make a folder for temporary files in {}: {}; set TMPDIR to a folder that can be written to.",
        parent.string(), std::strerror(errno)));
  path_ = fs::absolute(name);
  // Lock before the file has its name: no process must ever see it unlocked.
  const fs::path unnamed = path_ / unnamed_owner_file;
  lock_ = ::open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0 ||
      ::rename(unnamed.c_str(), (path_ / owner_file).c_str()) != 0) {
    const int error = errno;
    if (lock_ >= 0) ::close(lock_);
    lock_ = -1;
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    if (!last && (error == ENOENT || error == EWOULDBLOCK)) return;
    throw FileError(
        fmt::format("Cannot write to the temporary folder {}: {}.", path_.string(), std::strerror(error)));
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  ::close(lock_);
}

}  // namespace gpugauge::result
