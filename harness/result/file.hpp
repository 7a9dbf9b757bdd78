// Files that are there whole or not at all.
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
/// The same into a text that is used for many files: its room is kept. After an exception it holds anything.
void read_file(const std::filesystem::path& file, std::string& content, std::size_t limit = max_file_bytes);
/// The same for one of very many files: pages that were not cached before are not cached afterwards, so that
/// what the machine's work has cached stays. Needs Linux 6.14 and a file system that can (ext4, XFS, Btrfs);
/// elsewhere it is read as any file.
void read_file_once(const std::filesystem::path& file, std::string& content,
                    std::size_t limit = max_file_bytes);

/// Whether anything lies there, links followed. Throws FileError where it may not be looked at.
bool is_there(const std::filesystem::path& path);

/// The path without its "..", links resolved, where a folder on it is not there: "a/../b" must not cost the
/// making of a. As it is where nothing is missing; else throws FileError for a link as behind_links does.
std::filesystem::path without_detours(const std::filesystem::path& path);

/// What `file` leads to when each link at its end is followed, also where nothing lies there; as it is where
/// links lead round. Throws FileError for a link, at its end or in a folder's place, that another user laid
/// in a sticky folder where everybody may write (/tmp).
std::filesystem::path behind_links(const std::filesystem::path& file);

/// `file` without detours, or what it links to, so that a link stays and its target is replaced, or made.
/// Throws FileError for what is there and no file (a device, a pipe), as renaming would put a file in its
/// place, and for a link of another user as behind_links does.
std::filesystem::path place_to_write(const std::filesystem::path& file);

/// Throws FileError where write_file could not write that file, as far as it is seen before: something else
/// lies there or in a folder's place, a name is too long, or the nearest folder that is there takes no file.
/// One that is full is not refused, as it may have room later. Makes nothing.
void require_place_to_write(const std::filesystem::path& file);

/// Writes beside the target (place_to_write), syncs, renames, syncs the directory. On any failure the earlier
/// file is untouched and no temporary file stays; one that a killed process left beside the same target is
/// removed. Creates missing parent directories. Throws FileError.
void write_file(const std::filesystem::path& file, std::string_view content);

/// What tells a file from the one that is written in its place.
struct FileState {
  std::int64_t bytes = 0;                             ///< its size
  std::int64_t changed_ns = 0;                        ///< time of the last change of its content, since 1970
  bool operator==(const FileState&) const = default;  ///< the same file, as it was
};
/// Of what lies there now, links followed; nullopt where nothing does or it cannot be seen.
std::optional<FileState> state_of(const std::filesystem::path& file);

/// The same, unless what lies there is no longer in the state `before` (nullopt: nothing did): then another
/// process wrote it meanwhile, which stays, and FileError is thrown. Where nothing lay, nothing is ever
/// replaced; where a file did, a moment is left between the last look and the renaming.
void write_file(const std::filesystem::path& file, std::string_view content,
                const std::optional<FileState>& before);

/// Removes temporary files of write_file whose writer was killed: beside the target `name`, or of every name
/// in the folder where it is empty, which only suits a folder that holds nothing but what we wrote. A writer
/// that lives holds a lock on its file. Root removes those of any owner. Never throws: what cannot be removed
/// stays.
void remove_abandoned(const std::filesystem::path& folder, std::string_view name = {}) noexcept;

}  // namespace gpugauge::result
