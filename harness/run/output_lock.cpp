#include "run/output_lock.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
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
#include "run/output_tail.hpp"

namespace gpugauge::run {
namespace {

// A signal handler may read these at any time: no container, no lock. What finds no slot stays after a
// signal.
std::array<std::atomic<const char*>, 32> held_files{};
static_assert(std::atomic<const char*>::is_always_lock_free);

/// "process 812 (gpugauge run, user 1000) on node7 since 2026-11-22T01:02:03Z".
std::string self(const std::string& command) {
  constexpr std::size_t to_the_second = 19;
  return fmt::format("process {} ({}, user {}) on {} since {}Z", ::getpid(), command, ::geteuid(),
                     result::host_word(), utc_now().substr(0, to_the_second));
}

/// What the owner wrote of itself; it is asked while it lives.
std::string owner_of(int descriptor) {
  std::array<char, 256> text{};
  const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
  const std::string_view said(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  const std::string_view line = said.substr(0, said.find('\n'));
  return line.starts_with("process ") ? to_valid_utf8(std::string(line)) : "another process";
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

OutputLocks::Held::Held(int descriptor, std::string file) : descriptor_(descriptor), file_(std::move(file)) {
  for (std::size_t slot = 0; slot < held_files.size(); ++slot) {
    const char* free = nullptr;
    if (!held_files[slot].compare_exchange_strong(free, file_.c_str())) continue;
    slot_ = static_cast<int>(slot);
    return;
  }
}

OutputLocks::Held::~Held() {
  if (slot_ >= 0) held_files[static_cast<std::size_t>(slot_)] = nullptr;
  ::unlink(file_.c_str());  // while it is held: afterwards it may be somebody else's
  ::close(descriptor_);
}

OutputLocks::OutputLocks(const std::vector<std::filesystem::path>& outputs, const std::string& command) {
  for (const std::filesystem::path& output : outputs) take(output, command);
}

OutputLocks::~OutputLocks() = default;

void OutputLocks::take(const std::filesystem::path& output, const std::string& command) {
  std::string file;
  try {
    file = lock_of(output).string();
  } catch (const result::FileError&) {
    return;  // no place for a file: said when it is written
  }
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
      throw result::FileError(
          fmt::format("{} is the output of {}; nothing was measured; give another name, or wait for its end",
                      output.string(), owner));
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

void remove_output_locks() noexcept {
  for (const std::atomic<const char*>& one : held_files)
    if (const char* const file = one; file != nullptr) ::unlink(file);
}

}  // namespace gpugauge::run
