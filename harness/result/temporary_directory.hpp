// A folder that only this user can look into and that goes with its owner.
#pragma once

#include <filesystem>

namespace gpugauge::result {

/// Made under a folder with mode 0700; removed with everything in it at the end. An owner that was killed
/// cannot do that: the next one there removes what it left. A living owner is known by the lock that it holds
/// on the file ".owner" in its folder, so that process ids, which differ between containers that share a
/// /tmp, do not matter.
class TemporaryDirectory {
 public:
  /// Under TMPDIR, or /tmp where that is not set. Throws FileError.
  TemporaryDirectory();
  /// Under `parent`. Throws FileError.
  explicit TemporaryDirectory(const std::filesystem::path& parent);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  /// Absolute; there as long as this object.
  const std::filesystem::path& path() const { return path_; }

 private:
  /// One attempt; throws where another would not help, or it was the last.
  void make(const std::filesystem::path& parent, bool last);

  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace gpugauge::result
