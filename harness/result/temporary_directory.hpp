// A folder that only this user can enter and that is removed with its owner.
#pragma once

#include <filesystem>

namespace gpugauge::result {

/// Made with mode 0700 under a given folder; the destructor removes it with all its content. If its owner was
/// killed, the next one made there removes it. A living owner holds a lock on the file ".owner" in its
/// folder. Process ids would not do: they differ between containers that share a /tmp.
class TemporaryDirectory {
 public:
  /// Under TMPDIR, or /tmp where that is not set. Throws FileError.
  TemporaryDirectory();
  /// Under `parent`. Throws FileError.
  explicit TemporaryDirectory(const std::filesystem::path& parent);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  /// Absolute; exists as long as this object.
  const std::filesystem::path& path() const { return path_; }

 private:
  /// One attempt. Throws if another would not help or it was the last.
  void make(const std::filesystem::path& parent, bool last);

  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace gpugauge::result
