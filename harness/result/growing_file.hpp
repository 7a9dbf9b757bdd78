// A file that is written in pieces and appears under its name when complete.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "result/file_beside.hpp"

namespace gpugauge::result {

/// For content too large for one text (write_file). The earlier file stays untouched until finish(). Without
/// finish() no temporary file stays, even if a signal ends the process (remove_at_stop). The next writer of
/// the same target removes what SIGKILL left. Throws FileError.
class GrowingFile {
 public:
  /// Begins beside `file`, which must not be a folder. Makes missing parent folders.
  explicit GrowingFile(const std::filesystem::path& file);

  /// Appends.
  void write(std::string_view text);
  /// Marks the content as complete: syncs, then renames the file to its target.
  void finish();

 private:
  std::optional<FileBeside> file_;
  std::string buffer_;
};

}  // namespace gpugauge::result
