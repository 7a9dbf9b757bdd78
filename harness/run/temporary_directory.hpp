// A folder that only this user can look into and that goes with its owner.
#pragma once

#include <filesystem>

namespace gpugauge::run {

/// Made under TMPDIR, or /tmp where that is not set, with mode 0700; removed with everything in it at the
/// end.
class TemporaryDirectory {
 public:
  /// Throws result::FileError.
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace gpugauge::run
