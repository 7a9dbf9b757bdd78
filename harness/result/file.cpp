#include "result/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/error.hpp"

namespace gpugauge::result {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  /// close() can report a write that failed late (NFS, quota): its answer counts.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

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

}  // namespace

std::string read_file(const std::filesystem::path& file, std::size_t limit) {
  std::string content;
  read_file(file, content, limit);
  return content;
}

void read_file(const std::filesystem::path& file, std::string& content, std::size_t limit) {
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
    const ssize_t count = ::read(fd.get(), content.data() + size, content.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw FileError(fmt::format("{} could not be read: {}", file.string(), reason()));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    if (size > limit)
      throw FileError(fmt::format("{} grew over {} bytes while it was read", file.string(), limit));
  }
  content.resize(size);
}

std::filesystem::path place_to_write(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) return file;
  if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_directory(status))
    throw FileError(fmt::format("{} is not a regular file; give the name of a file", file.string()));
  if (!std::filesystem::is_symlink(std::filesystem::symlink_status(file, error))) return file;
  const auto target = std::filesystem::canonical(file, error);
  return error ? file : target;
}

void write_file(const std::filesystem::path& given, std::string_view content) {
  const std::filesystem::path file = place_to_write(given);
  const std::filesystem::path folder =
      file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw FileError(fmt::format("the folder {} could not be made: {}", folder.string(), error.message()));
  if (std::filesystem::is_directory(file, error))
    throw FileError(fmt::format("{} is a directory; give the name of a file", file.string()));

  std::string temporary = (folder / fmt::format(".{}.XXXXXX", file.filename().string())).string();
  Descriptor fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (fd.get() < 0) throw FileError(fmt::format("{} could not be written: {}", file.string(), reason()));
  // mkstemp makes the file private; a result is for everybody that the umask admits.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(fd.get(), 0666 & ~mask) != 0) give_up(file, temporary, "setting its mode");
  while (!content.empty()) {
    const ssize_t count = ::write(fd.get(), content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) give_up(file, temporary, "writing");
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fsync(fd.get()) != 0) give_up(file, temporary, "syncing");
  if (!fd.close()) give_up(file, temporary, "closing");
  if (::rename(temporary.c_str(), file.c_str()) != 0) give_up(file, temporary, "renaming");
  // The rename itself must survive a power cut. A file system that cannot sync a directory (EINVAL) is left
  // alone.
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0 && ::fsync(directory.get()) != 0 && errno != EINVAL)
    throw FileError(
        fmt::format("{} was written, but its folder could not be synced: {}", file.string(), reason()));
}

}  // namespace gpugauge::result
