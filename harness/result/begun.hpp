// Several files that belong together: all of them stay, or what was begun goes again.
#pragma once

#include <filesystem>
#include <vector>

namespace gpugauge::result {

/// What a command begins and has not finished. At its end what was new goes, unless it was kept: so nothing
/// half is left where the disk is full. A command that is killed leaves it; who reads must know it by the
/// file that is written last.
class Begun {
 public:
  Begun() = default;
  Begun(const Begun&) = delete;
  Begun& operator=(const Begun&) = delete;
  ~Begun();

  /// Makes the folder and its parents. Throws FileError.
  void make_folder(const std::filesystem::path& folder);
  /// To be called before the file is written. One that was there before stays.
  void add_file(const std::filesystem::path& file);
  /// All of it is there.
  void keep() { new_.clear(); }

 private:
  std::vector<std::filesystem::path> new_;  ///< in the order in which they were made
};

}  // namespace gpugauge::result
