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
#include "result/file_beside.hpp"
#include "result/stops_held_back.hpp"
#include "result/temporary_file.hpp"

namespace gpugauge::result {
namespace {

std::string reason() {
  return std::strerror(errno);
}

/// Reads on from the end of the last read. Sets `uncached` to false if the kernel or file system cannot do
/// it.
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
  // One byte more than its size, to detect its end. Files of /proc report size 0 but hold more.
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

void write_expecting(const std::filesystem::path& file, std::string_view content,
                     const FileBeside::Expected& expected) {
  const StopsHeldBack until_it_is_there_or_gone;
  FileBeside beside(file);
  beside.write(content);
  beside.finish(expected);
}

}  // namespace

void write_file(const std::filesystem::path& file, std::string_view content) {
  write_expecting(file, content, std::nullopt);
}

void write_file(const std::filesystem::path& file, std::string_view content,
                const std::optional<FileState>& before) {
  write_expecting(file, content, FileBeside::Expected(before));
}

}  // namespace gpugauge::result
