// The file beside its target that a result is written to before it gets its name: for the writers of this
// room.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace gpugauge::result {

/// An open file, closed at its end.
class Descriptor {
 public:
  /// Of an open file, which is its own from now on; -1 is none.
  explicit Descriptor(int fd) : fd_(fd) {}
  /// Takes the file of the other, which then has none.
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  /// Changes files with the other.
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }  ///< Its number, -1 where there is none.
  /// close() can report a write that failed late (NFS, quota): its answer counts.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

/// A new file ".NAME.gpugauge-XXXXXX" in the folder, locked as long as it is open; a descriptor below 0 and
/// errno where none can be made. A file system without locks gives one that is not.
Descriptor make_temporary(const std::filesystem::path& folder, const std::string& name,
                          std::string& temporary);

/// Whether make_temporary gives files such a name: beside the target `name`, or any where it is empty.
bool is_temporary(std::string_view file, std::string_view name);

/// mkstemp makes the file private. One that takes the place of a file gets its mode, and its owner, group and
/// access list where this process may give them; without its group or list, that group may what everybody
/// may. A new one is for everybody that the umask admits, and so is one in the place of a file that another
/// user laid in a sticky folder where everybody may write (/tmp). False and errno where that fails.
bool admit_as(const std::filesystem::path& file, int descriptor);

}  // namespace gpugauge::result
