#include "run/output_lock.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/file.hpp"
#include "result/launcher.hpp"
#include "run/identity.hpp"

namespace gpugauge::run {
namespace {

constexpr std::string_view first_word = "process ";

/// "process 812 (gpugauge run, user 1000) on node7 since 2026-11-22T01:02:03Z".
std::string self(const std::string& command) {
  constexpr std::size_t to_the_second = 19;
  return fmt::format("{}{} ({}, user {}) on {} since {}Z", first_word, ::getpid(), command, ::geteuid(),
                     result::host_word(), utc_now().substr(0, to_the_second));
}

/// The first line of the file.
std::string line_of(int descriptor) {
  std::array<char, 256> text{};
  const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
  const std::string_view said(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  return std::string(said.substr(0, said.find('\n')));
}

/// What the owner wrote of itself; it is asked while it lives.
std::string owner_of(int descriptor) {
  const std::string line = line_of(descriptor);
  return line.starts_with(first_word) ? result::one_line(line) : "another process";
}

/// A file of that name that holds what no lock does: somebody else's, which stays as it is. A full disk or a
/// power cut leaves the beginning of a line, or NULs.
bool is_foreign(int descriptor) {
  const std::string line = line_of(descriptor);
  return line.find_first_not_of('\0') != std::string::npos && !line.starts_with(first_word) &&
         !first_word.starts_with(line);
}

/// True when the file that is open is still the one of that name: another may have removed it at its end.
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
  ::unlink(file_.file().c_str());  // while it is held: afterwards it may be somebody else's
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

/// What lies in the lock's place and can be none would switch it off.
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

void OutputLocks::take(const std::filesystem::path& output, const std::string& command,
                       const HeldWords& words) {
  std::string file;
  try {
    file = lock_of(output).string();
  } catch (const result::FileError&) {
    return;  // no place for a file: said when it is written
  }
  refuse_other_than_file(file, output);
  constexpr int patience = 16;  // owners that go between the opening and the lock
  constexpr mode_t mode = 0666;
  for (int attempt = 0; attempt < patience; ++attempt) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode);
    if (descriptor < 0) return;
    struct stat info {};
    const bool regular = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
    const bool locked = regular && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (regular && !locked && errno == EWOULDBLOCK) {
      const std::string owner = owner_of(descriptor);
      ::close(descriptor);
      throw result::FileError(fmt::format("{} {} {}; {}", output.string(), words.is, owner, words.next));
    }
    // Its owner writes the line while it holds the lock.
    if (regular && is_foreign(descriptor)) {
      ::close(descriptor);
      throw result::FileError(
          fmt::format("{} holds what no gpugauge wrote, and cannot keep others from {} meanwhile; nothing "
                      "was done; remove it, or give another name",
                      file, output.string()));
    }
    if (locked && still_named(descriptor, file)) {
      held_.emplace_back(descriptor, file);
      const std::string text = self(command) + "\n";
      // A full disk keeps the name back, not the lock.
      if (::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, text.data(), text.size(), 0) < 0)
        static_cast<void>(::ftruncate(descriptor, 0));
      return;
    }
    if (regular && !locked) ::unlink(file.c_str());  // no locks here: it would only be litter
    ::close(descriptor);
    if (!locked) return;
  }
}

}  // namespace gpugauge::run
