// Files for readers that take a path: in a private folder below TMPDIR, that goes with the process.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gpugauge::fuzz {

class Place {
 public:
  Place();
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file below the folder; its folders must be there.
  std::filesystem::path write(const std::string& name, std::string_view bytes) const;
  /// Removes all that is below it.
  void clear() const;

  /// A machine as text: "=== /proc/stat" begins a file, "=== /lib -> usr/lib" is a link (where they are
  /// allowed), "=== /dev/" a folder. What has ".." in its own name, or is longer or deeper than a machine's
  /// files are, is left out: nothing is written elsewhere, and no link is followed while writing. `bytes`
  /// before the first such line belong to nobody.
  void make_tree(std::string_view bytes, bool links) const;

 private:
  std::filesystem::path path_;
};

}  // namespace gpugauge::fuzz
