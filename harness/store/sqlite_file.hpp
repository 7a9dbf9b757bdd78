// Looks at a history file before SQLite opens it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "result/file.hpp"

namespace gpugauge::store {

/// What the path of a store holds.
enum class Lies {
  nothing,
  empty,     ///< no byte yet: a store begins as an empty file
  database,  ///< begins like an SQLite file
  other,
};

/// Looks without ever blocking; SQLite would block at a pipe or /proc/kmsg. Follows links. `name` is the
/// store's name in sentences. Throws result::UsageError for a folder. Throws result::FileError if it is not a
/// regular file or cannot be read.
Lies what_lies_at(const std::filesystem::path& file, const std::string& name);

/// True if the file begins like an SQLite file. Never throws; false for an unreadable file.
bool begins_as_database(const std::filesystem::path& file) noexcept;

/// How SQLite is to open a store that is only read.
struct WayToRead {
  std::string address;  ///< a URI
  /// Set if the file is opened as one that nobody changes: the state it must still have after every query.
  std::optional<result::FileState> at_rest;
};

/// Chooses how to open a store for reading. A store has a write-ahead log, and a reader needs STORE-wal and
/// STORE-shm beside it. SQLite creates them if they are missing. It therefore cannot read in a folder that
/// takes no file (another user's, a read-only mount). A read-only connection also leaves them behind, where
/// files of another owner lock the writers out. So:
/// - A process that may write opens the store as a writer, must forbid itself any change (query_only), and
///   cleans up.
/// - A process that may not, or has no room for the files, uses those that a writer has open.
/// - Without a log, or with an empty one, the file is complete and is opened as one that nobody changes
///   (immutable).
/// Throws result::FileError if a log was left that cannot be read without writing.
WayToRead way_to_read(const std::filesystem::path& file, const std::string& name);

/// True if a store is still as it was when it was opened as one that nobody changes.
bool is_at_rest(const std::filesystem::path& file, const result::FileState& state);

/// Throws result::FileError if this process may not write the store or its folder, where SQLite keeps the
/// log.
void require_writable(const std::filesystem::path& file, const std::string& name);

/// Removes a store and SQLite's files beside it. Never throws; leaves what it cannot remove.
void remove_store(const std::filesystem::path& file) noexcept;

/// Identifies a file, to detect that another one took its place.
struct FileNumber {
  std::uint64_t device = 0;                            ///< of its file system
  std::uint64_t number = 0;                            ///< of the file in it
  bool operator==(const FileNumber&) const = default;  ///< the same file
};
/// Follows links. nullopt if nothing lies there or it cannot be seen.
std::optional<FileNumber> number_of(const std::filesystem::path& file) noexcept;

/// Makes an empty file, with which a store begins. nullopt if something lies there or the file cannot be
/// made; SQLite then reports why.
std::optional<FileNumber> make_empty(const std::filesystem::path& file) noexcept;

/// True if the file system of `file` has no room left for this user.
bool is_full(const std::filesystem::path& file) noexcept;

}  // namespace gpugauge::store
