// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gpugauge::result {

/// Largest file any reader accepts: 1 GiB.
inline constexpr std::size_t max_file_bytes = std::size_t{1} << 30;

/// Reads a whole regular file. Throws FileError (missing, not a regular file, too large, unreadable).
std::string read_file(const std::filesystem::path& file, std::size_t limit = max_file_bytes);
/// As above, into a text that keeps its capacity for many files. After an exception `content` is unspecified.
void read_file(const std::filesystem::path& file, std::string& content, std::size_t limit = max_file_bytes);
/// As above, for one of very many files. Drops pages from the cache that were not cached before, so that the
/// machine's own cached data stays. Needs Linux 6.14 and ext4, XFS or Btrfs; elsewhere this is an ordinary
/// read.
void read_file_once(const std::filesystem::path& file, std::string& content,
                    std::size_t limit = max_file_bytes);

/// Whether anything lies there, links followed. Throws FileError where it may not be looked at.
bool is_there(const std::filesystem::path& path);

/// Resolves ".." and links in a path with a missing folder: "a/../b" must not create a. Returns the path
/// unchanged if nothing is missing. Throws FileError for a link as behind_links does.
std::filesystem::path without_detours(const std::filesystem::path& path);

/// The target of `file` after following each link at its end, even if nothing lies there. Returns `file`
/// unchanged for a cycle of links. Throws FileError for a link, at its end or as a folder, that another user
/// made in a sticky world-writable folder (/tmp).
std::filesystem::path behind_links(const std::filesystem::path& file);

/// `file` without detours, or its link target: a link stays, and its target is replaced or made. Throws
/// FileError if the place holds something other than a file (a device, a pipe), because renaming would
/// replace it. Throws it for another user's link as behind_links does.
std::filesystem::path place_to_write(const std::filesystem::path& file);

/// Throws FileError where write_file could not write that file, as far as it is seen before: something else
/// lies there or in a folder's place, a name is too long, or the nearest folder that is there takes no file.
/// One that is full is not refused, as it may have room later. Makes nothing.
void require_place_to_write(const std::filesystem::path& file);

/// Writes beside the target (place_to_write), syncs, renames, syncs the directory. On any failure the earlier
/// file is untouched and no temporary file stays; one that a killed process left beside the same target is
/// removed. Creates missing parent directories. Throws FileError.
void write_file(const std::filesystem::path& file, std::string_view content);

/// Identifies a state of a file, to detect that another process wrote it.
struct FileState {
  std::int64_t bytes = 0;                             ///< its size
  std::int64_t changed_ns = 0;                        ///< time of the last change of its content, since 1970
  bool operator==(const FileState&) const = default;  ///< the same file, as it was
};
/// State of what lies there now, following links. nullopt if nothing does or it cannot be seen.
std::optional<FileState> state_of(const std::filesystem::path& file);

/// As write_file above, but requires the state `before` (nullopt: nothing lay there). If another process
/// wrote the file meanwhile, its file stays and FileError is thrown. If nothing lay there, nothing is ever
/// replaced. If a file did, a short window remains between the last check and the renaming.
void write_file(const std::filesystem::path& file, std::string_view content,
                const std::optional<FileState>& before);

/// Removes temporary files of write_file whose writer was killed. `name` selects those beside one target. An
/// empty `name` selects all in the folder, which must then hold only files we wrote. A living writer holds a
/// lock on its file. Root removes files of any owner. Never throws; leaves what it cannot remove.
void remove_abandoned(const std::filesystem::path& folder, std::string_view name = {}) noexcept;

}  // namespace gpugauge::result
