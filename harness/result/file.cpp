#include "result/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/stops_held_back.hpp"
#include "result/temporary_file.hpp"

namespace gpugauge::result {
namespace {

std::string reason() {
  return std::strerror(errno);
}

/// Ends the write: removes the temporary file and says what went wrong.
[[noreturn]] void give_up(const std::filesystem::path& file, const std::string& temporary, const char* step) {
  const std::string why = reason();
  ::unlink(temporary.c_str());
  throw FileError(fmt::format("{} could not be written ({}: {}); what was there before is unchanged",
                              file.string(), step, why));
}

/// Reads on from where the last one ended. `uncached`: set to false by a kernel or file system that cannot.
ssize_t read_on(int fd, char* to, std::size_t most, bool& uncached) {
  constexpr int dont_cache = 0x80;  // RWF_DONTCACHE of Linux 6.14's uapi/linux/fs.h
  if (uncached) {
    iovec room{to, most};
    const ssize_t count = ::preadv2(fd, &room, 1, -1, dont_cache);
    if (count >= 0 || (errno != EOPNOTSUPP && errno != EINVAL && errno != ENOSYS)) return count;
    uncached = false;
  }
  return ::read(fd, to, most);
}

void read_whole(const std::filesystem::path& file, std::string& content, std::size_t limit, bool uncached) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer; it is refused below.
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) throw FileError(fmt::format("{} could not be opened: {}", file.string(), reason()));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0)
    throw FileError(fmt::format("{} could not be read: {}", file.string(), reason()));
  if (S_ISDIR(info.st_mode)) throw FileError(fmt::format("{} is a directory, not a file", file.string()));
  if (!S_ISREG(info.st_mode)) throw FileError(fmt::format("{} is not a regular file", file.string()));
  if (static_cast<std::size_t>(info.st_size) > limit)
    throw FileError(fmt::format("{} has {} bytes; at most {} are read", file.string(), info.st_size, limit));
  // A byte more than it should have, to see its end. Files of /proc say 0 and hold more.
  constexpr std::size_t least = 1 << 16;
  content.resize(std::max(static_cast<std::size_t>(info.st_size) + 1, least));
  std::size_t size = 0;
  while (true) {
    if (size == content.size()) content.resize(2 * content.size());
    const ssize_t count = read_on(fd.get(), content.data() + size, content.size() - size, uncached);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw FileError(fmt::format("{} could not be read: {}", file.string(), reason()));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    if (size > limit)
      throw FileError(fmt::format("{} grew over {} bytes while it was read", file.string(), limit));
  }
  content.resize(size);
}

}  // namespace

std::string read_file(const std::filesystem::path& file, std::size_t limit) {
  std::string content;
  read_file(file, content, limit);
  return content;
}

void read_file(const std::filesystem::path& file, std::string& content, std::size_t limit) {
  read_whole(file, content, limit, false);
}

void read_file_once(const std::filesystem::path& file, std::string& content, std::size_t limit) {
  read_whole(file, content, limit, true);
}

std::optional<FileState> state_of(const std::filesystem::path& file) {
  struct stat info {};
  if (::stat(without_detours(file).c_str(), &info) != 0) return std::nullopt;
  constexpr std::int64_t second = 1'000'000'000;
  return FileState{info.st_size, info.st_mtim.tv_sec * second + info.st_mtim.tv_nsec};
}

namespace {

/// What was expected where a file is written: anything, nothing, or a file in that state.
using Expected = std::optional<std::optional<FileState>>;

/// Gives the temporary file its name, and keeps errno where that fails. Throws FileError where something else
/// lies there than was expected.
bool give_name(const std::string& temporary, const std::filesystem::path& file, const Expected& expected) {
  if (expected && !*expected && ::link(temporary.c_str(), file.c_str()) == 0) {
    // A link is made only where there is none, also while an NFS client remembers that nothing was there.
    ::unlink(temporary.c_str());
    return true;
  }
  if (expected && state_of(file) != *expected) {
    ::unlink(temporary.c_str());
    throw FileError(fmt::format("{} was written by another process meanwhile, and is left as that wrote it",
                                file.string()));
  }
  return ::rename(temporary.c_str(), file.c_str()) == 0;
}

void write_expecting(const std::filesystem::path& given, std::string_view content, const Expected& expected) {
  const std::filesystem::path file = place_to_write(given);
  const std::filesystem::path folder =
      file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw FileError(fmt::format("the folder {} could not be made: {}", folder.string(), error.message()));
  if (std::filesystem::is_directory(file, error))
    throw FileError(fmt::format("{} is a directory; give the name of a file", file.string()));

  const StopsHeldBack until_it_is_there_or_gone;
  remove_abandoned(folder, file.filename().string());
  std::string temporary;
  Descriptor fd = make_temporary(folder, file.filename().string(), temporary);
  if (fd.get() < 0) throw FileError(fmt::format("{} could not be written: {}", file.string(), reason()));
  if (!admit_as(file, fd.get())) give_up(file, temporary, "setting its mode");
  while (!content.empty()) {
    const ssize_t count = ::write(fd.get(), content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) give_up(file, temporary, "writing");
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fsync(fd.get()) != 0) give_up(file, temporary, "syncing");
  // The lock outlives the close, until the file has its name.
  const Descriptor lock(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
  if (!fd.close()) give_up(file, temporary, "closing");
  if (!give_name(temporary, file, expected)) give_up(file, temporary, "renaming");
  // The rename itself must survive a power cut. A file system that cannot sync a directory (EINVAL) is left
  // alone.
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0 && ::fsync(directory.get()) != 0 && errno != EINVAL)
    throw FileError(
        fmt::format("{} was written, but its folder could not be synced: {}", file.string(), reason()));
}

}  // namespace

void write_file(const std::filesystem::path& file, std::string_view content) {
  write_expecting(file, content, std::nullopt);
}

void write_file(const std::filesystem::path& file, std::string_view content,
                const std::optional<FileState>& before) {
  write_expecting(file, content, Expected(before));
}

}  // namespace gpugauge::result
