// A file written beside its target and renamed when complete. The writers of this folder share its steps.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "result/file.hpp"
#include "result/removed_at_stop.hpp"
#include "result/temporary_file.hpp"

namespace gpugauge::result {

/// The earlier file stays untouched until finish(). Without finish() no temporary file stays, even if a
/// signal ends the process (remove_at_stop). What SIGKILL left is removed by the next writer of the same
/// target. Every failure throws FileError and leaves the earlier file as it was.
class FileBeside {
 public:
  /// What must lie at the target: anything (outer nullopt), nothing, or a file in that state.
  using Expected = std::optional<std::optional<FileState>>;

  /// Begins beside the target (place_to_write), which must not be a folder. Makes missing parent folders.
  explicit FileBeside(const std::filesystem::path& given);
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;
  ~FileBeside();

  /// Appends.
  void write(std::string_view text);
  /// Syncs, closes, checks `expected`, renames the file to its target, and syncs the folder.
  void finish(const Expected& expected = std::nullopt);

 private:
  struct Target {
    std::filesystem::path file;
    std::filesystem::path folder;
  };
  static Target ready(const std::filesystem::path& given);
  static std::string begun(const Target& target, Descriptor& descriptor);
  bool give_name(const Expected& expected);
  [[noreturn]] void give_up(const char* step);

  Target target_;
  Descriptor descriptor_;
  RemovedAtStop temporary_;
  bool gone_ = false;  ///< renamed or removed
};

}  // namespace gpugauge::result
