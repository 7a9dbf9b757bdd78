// Locks output files with flock, so that two commands never write the same one.
#include "run/output_lock.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/file.hpp"
#include "result/launcher.hpp"
#include "result/number.hpp"
#include "result/time.hpp"

namespace gpugauge::run {
namespace {

constexpr std::string_view first_word = "process ";

/// "process 812 (gpugauge run, user 1000) on node7 since 2026-11-22T01:02:03Z".
std::string self(const std::string& command) {
  return fmt::format("{}{} ({}, user {}) on {} since {}", first_word, ::getpid(), command, ::geteuid(),
                     result::host_word(), result::utc_now());
}

/// Reads the first line of the file.
std::string line_of(int descriptor) {
  std::array<char, 256> text{};
  const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
  const std::string_view said(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  return std::string(said.substr(0, said.find('\n')));
}

/// True if the line names a process of this machine that is not visible: it has gone, or runs in another
/// container.
bool is_not_seen(const std::string& line) {
  if (line.find(fmt::format(" on {} since ", result::host_word())) == std::string::npos) return false;
  const pid_t process =
      result::leading_number<pid_t>(std::string_view(line).substr(first_word.size())).value_or(0);
  return process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
}

/// Takes the lock, or sets errno. Retries for a moment if the owner is not visible: between fork and exec, a
/// child of a killed process still holds its parent's files.
bool try_lock(int descriptor) {
  constexpr std::chrono::seconds patience(1);
  constexpr std::chrono::milliseconds pause(20);
  const auto start = std::chrono::steady_clock::now();
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    const std::string line = line_of(descriptor);
    const bool is_seen = line.starts_with(first_word) && !is_not_seen(line);
    if (reason != EWOULDBLOCK || is_seen || std::chrono::steady_clock::now() - start > patience) {
      errno = reason;
      return false;
    }
    std::this_thread::sleep_for(pause);
  }
  return true;
}

/// The owner's description of itself. Ask while the owner lives. An owner without write permission leaves an
/// earlier owner's line.
std::string owner_of(int descriptor, const std::string& file) {
  const std::string line = line_of(descriptor);
  if (!line.starts_with(first_word)) return "another process";
  return is_not_seen(line) ? fmt::format("another process; {} names {}, which is not seen here", file,
                                         result::one_line(line))
                           : result::one_line(line);
}

/// True if the file is not one of our lock files and must stay as it is. Part of a line, or NULs, counts as
/// ours: a full disk or a power cut leaves that.
bool is_foreign(int descriptor) {
  const std::string line = line_of(descriptor);
  return line.find_first_not_of('\0') != std::string::npos && !line.starts_with(first_word) &&
         !first_word.starts_with(line);
}

/// True if the open file still has that name. Another process may have removed it at its end.
bool still_named(int descriptor, const std::string& file) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::lstat(file.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

std::filesystem::path lock_of(const std::filesystem::path& output) {
  const std::filesystem::path file = result::place_to_write(output);
  return file.parent_path() / ("." + file.filename().string() + ".lock");
}

OutputLocks::Held::Held(int descriptor, std::string file) : descriptor_(descriptor), file_(std::move(file)) {}

OutputLocks::Held::~Held() {
  ::unlink(file_.file().c_str());  // remove it while locked: afterwards it may belong to somebody else
  ::close(descriptor_);
}

void require_different(const std::vector<std::filesystem::path>& outputs) {
  std::map<std::filesystem::path, std::filesystem::path> seen;
  for (const std::filesystem::path& output : outputs) {
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(output, error);
    std::filesystem::path place = std::filesystem::weakly_canonical(whole, error);
    if (error) place = whole.lexically_normal();
    const auto [first, added] = seen.emplace(place, output);
    if (!added)
      throw result::UsageError(
          first->second == output
              ? fmt::format("{} is named for two outputs; give each a file of its own", output.string())
              : fmt::format("{} and {} are the same file, named for two outputs; give each a file of its own",
                            first->second.string(), output.string()));
  }
}

OutputLocks::OutputLocks(const std::vector<std::filesystem::path>& outputs, const std::string& command,
                         const HeldWords& words) {
  require_different(outputs);
  for (const std::filesystem::path& output : outputs) take(output, command, words);
}

OutputLocks::~OutputLocks() = default;

namespace {

/// Refuses anything but a regular file in the lock's place, because it would disable the lock.
void refuse_other_than_file(const std::string& file, const std::filesystem::path& output) {
  std::error_code error;
  const auto type = std::filesystem::symlink_status(file, error).type();
  using Type = std::filesystem::file_type;
  if (type == Type::regular || type == Type::not_found || type == Type::none || type == Type::unknown) return;
  throw result::FileError(
      fmt::format("{} is {}, and no file that keeps others from {} meanwhile; nothing was done; remove "
                  "it, or give another name",
                  file,
                  type == Type::symlink     ? "a link"
                  : type == Type::directory ? "a folder"
                                            : "a pipe or device",
                  output.string()));
}

}  // namespace

namespace {

/// The open lock file; made if there was none.
struct LockFile {
  int descriptor = -1;
  bool writable = false;
};

/// Another user's file may be readable only, which is enough for a lock. In a sticky folder some kernels
/// refuse to open it with O_CREAT (fs.protected_regular). Sets errno if it cannot be opened.
LockFile open_lock(const std::string& file) {
  constexpr int always = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  constexpr mode_t mode = 0666;
  for (const int access : {O_RDWR | O_CREAT, O_RDWR, O_RDONLY}) {
    const int descriptor = ::open(file.c_str(), access | always, mode);
    if (descriptor >= 0) return {descriptor, access != O_RDONLY};
    if (errno != EACCES && errno != EPERM) break;
  }
  return {};
}

/// Refuses another user's file that can be neither locked nor read, because it would disable the lock. If
/// there is none, no file can be made, and then the output cannot be made either.
void refuse_locked_away(const std::string& file, const std::filesystem::path& output, int error) {
  struct stat info {};
  if (::lstat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  throw result::FileError(
      fmt::format("{} is a file of user {} that cannot be locked ({}), and nothing keeps others from {} "
                  "meanwhile; nothing was done; remove it, or give another name",
                  file, info.st_uid, std::strerror(error), output.string()));
}

}  // namespace

void OutputLocks::take(const std::filesystem::path& output, const std::string& command,
                       const HeldWords& words) {
  std::string file;
  try {
    file = lock_of(output).string();
  } catch (const result::FileError&) {
    return;  // no place for a file; writing the output reports that
  }
  refuse_other_than_file(file, output);
  constexpr int patience = 16;  // most owners that end between our open and lock
  for (int attempt = 0; attempt < patience; ++attempt) {
    const auto [descriptor, writable] = open_lock(file);
    if (descriptor < 0 && (errno == EACCES || errno == EPERM)) refuse_locked_away(file, output, errno);
    if (descriptor < 0) return;
    struct stat info {};
    const bool regular = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
    const bool locked = regular && try_lock(descriptor);
    const int reason = locked ? 0 : errno;
    if (regular && reason == EWOULDBLOCK) {
      const std::string owner = owner_of(descriptor, file);
      ::close(descriptor);
      throw result::FileError(fmt::format("{} {} {}; {}", output.string(), words.is, owner, words.next));
    }
    // Its owner writes the line while holding the lock.
    if (regular && is_foreign(descriptor)) {
      ::close(descriptor);
      throw result::FileError(
          fmt::format("{} holds what no gpugauge wrote, and cannot keep others from {} meanwhile; nothing "
                      "was done; remove it, or give another name",
                      file, output.string()));
    }
    // Removes an abandoned file, so that the new holder can write its own line. In a sticky folder the file
    // stays.
    if (locked && !writable && still_named(descriptor, file) && ::unlink(file.c_str()) == 0) {
      ::close(descriptor);
      continue;
    }
    if (locked && still_named(descriptor, file)) {
      held_.emplace_back(descriptor, file);
      const std::string text = self(command) + "\n";
      // On a full disk the line is missing, but the lock holds.
      if (::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, text.data(), text.size(), 0) < 0)
        static_cast<void>(::ftruncate(descriptor, 0));
      return;
    }
    // No locks on this file system: the file would be litter.
    if (regular && !locked && writable) ::unlink(file.c_str());
    ::close(descriptor);
    // NFS refuses a lock to a process that may only read.
    if (regular && !locked && reason == EBADF) refuse_locked_away(file, output, reason);
    if (!locked) return;
  }
}

}  // namespace gpugauge::run
