// A file that is written piece by piece and appears under its name when it is whole.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "result/file_beside.hpp"

namespace gpugauge::result {

/// For what is too large to be held as one text (write_file). Until finish() the earlier file is untouched;
/// without it nothing stays, also where a signal ends the process (remove_at_stop), and what SIGKILL left is
/// removed by the next that writes beside the same target. Throws FileError.
class GrowingFile {
 public:
  /// Begins beside `file`, which may not be a folder; missing parent directories are created.
  explicit GrowingFile(const std::filesystem::path& file);

  /// Appends.
  void write(std::string_view text);
  /// All of it is there: syncs, and gives it its name.
  void finish();

 private:
  std::optional<FileBeside> file_;
  std::string buffer_;
};

}  // namespace gpugauge::result
