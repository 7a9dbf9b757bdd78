// A file that is written beside its target and gets its name when it is whole: the steps that the writers of
// this room share.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "result/file.hpp"
#include "result/removed_at_stop.hpp"
#include "result/temporary_file.hpp"

namespace gpugauge::result {

/// Until finish() the earlier file is untouched; without it nothing stays, also where a signal ends the
/// process (remove_at_stop), and what SIGKILL left goes with the next that writes beside the same target.
/// Whatever fails throws FileError, and leaves the earlier file as it was.
class FileBeside {
 public:
  /// What is expected where it is written: anything, nothing, or a file in that state.
  using Expected = std::optional<std::optional<FileState>>;

  /// Begins beside the target (place_to_write), which may not be a folder; missing parent folders are made.
  explicit FileBeside(const std::filesystem::path& given);
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;
  ~FileBeside();

  /// Appends.
  void write(std::string_view text);
  /// Syncs, closes, gives it its name where there lies what was expected, and syncs the folder.
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
  bool gone_ = false;  ///< it has its name, or was removed
};

}  // namespace gpugauge::result
