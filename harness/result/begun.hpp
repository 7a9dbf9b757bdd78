// Several files that belong together: they all stay, or those already begun are removed.
#pragma once

#include <filesystem>
#include <vector>

namespace gpugauge::result {

/// What a command has begun and not finished. The destructor removes everything new unless keep() was called,
/// so a full disk leaves nothing half written. A killed command leaves its files: readers must check for the
/// file that is written last.
class Begun {
 public:
  Begun() = default;
  Begun(const Begun&) = delete;
  Begun& operator=(const Begun&) = delete;
  ~Begun();

  /// Makes the folder and its parents. Throws FileError.
  void make_folder(const std::filesystem::path& folder);
  /// Call before the file is written. A file that was there before stays.
  void add_file(const std::filesystem::path& file);
  /// Marks everything as complete.
  void keep() { new_.clear(); }

 private:
  std::vector<std::filesystem::path> new_;  ///< in the order in which they were made
};

}  // namespace gpugauge::result
