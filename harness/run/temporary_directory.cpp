#include "run/temporary_directory.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/error.hpp"

namespace gpugauge::run {
namespace {
namespace fs = std::filesystem;

constexpr const char* prefix = "gpugauge-";
constexpr const char* owner_file = ".owner";

/// A folder of ours: made by this user, not a link, with an owner file that nobody holds locked.
bool abandoned(const fs::path& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::getuid())
    return false;
  const int file = ::open((folder / owner_file).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  const bool free = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return free;
}

void remove_abandoned(const fs::path& parent) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && abandoned(entry->path())) found.push_back(entry->path());
  }
  for (const fs::path& folder : found) fs::remove_all(folder, error);
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  const char* variable = std::getenv("TMPDIR");
  const fs::path parent = variable != nullptr && *variable != '\0' ? variable : "/tmp";
  remove_abandoned(parent);
  std::string name = (parent / fmt::format("{}XXXXXX", prefix)).string();
  if (mkdtemp(name.data()) == nullptr)
    throw result::FileError(fmt::format(
        "Cannot make a folder for temporary files in {}: {}; set TMPDIR to a folder that can be written to.",
        parent.string(), std::strerror(errno)));
  path_ = fs::absolute(name);
  // The lock is taken before the file has its name: another process must never see it unlocked.
  const fs::path unnamed = path_ / ".owner.new";
  lock_ = ::open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0 ||
      ::rename(unnamed.c_str(), (path_ / owner_file).c_str()) != 0) {
    const std::string why = std::strerror(errno);
    if (lock_ >= 0) ::close(lock_);
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    throw result::FileError(fmt::format("Cannot write to the temporary folder {}: {}.", path_.string(), why));
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  ::close(lock_);
}

}  // namespace gpugauge::run
