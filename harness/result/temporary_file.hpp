// The temporary file beside a target: a result is written there before it gets its name. For the writers of
// this folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace gpugauge::result {

/// Owns an open file descriptor.
class Descriptor {
 public:
  /// Takes over `fd`; -1 means none.
  explicit Descriptor(int fd) : fd_(fd) {}
  /// Takes the descriptor of the other, which then has none.
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  /// Swaps descriptors with the other.
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }  ///< the descriptor; -1 if there is none
  /// Returns false if close() fails: it can report a late write error (NFS, quota).
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

/// Makes a new file ".NAME.gpugauge-XXXXXX" in the folder, locked while it is open. A file system without
/// locks gives an unlocked one. On failure returns a descriptor below 0 and sets errno.
Descriptor make_temporary(const std::filesystem::path& folder, const std::string& name,
                          std::string& temporary);

/// True if make_temporary makes such names beside the target `name`, or beside any target if `name` is empty.
bool is_temporary(std::string_view file, std::string_view name);

/// Sets the permissions; mkstemp makes the file private. A file that replaces one gets its mode, and its
/// owner, group and access list if this process may set them. If the group or list cannot be set, that group
/// gets only the rights of others. A new file follows the umask. So does one that replaces another user's
/// file in a sticky world-writable folder (/tmp). Returns false and sets errno on failure.
bool admit_as(const std::filesystem::path& file, int descriptor);

}  // namespace gpugauge::result
