// A history in a file, as it lies there before SQLite opens it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "result/file.hpp"

namespace gpugauge::store {

/// What lies at the place of a store.
enum class Lies {
  nothing,
  empty,     ///< no byte yet: whoever makes a store begins so
  database,  ///< begins as SQLite's files do
  other,
};

/// Looks without ever waiting, which SQLite would do at a pipe or /proc/kmsg; links are followed. `name` is
/// the store in sentences. Throws result::UsageError for a folder, result::FileError for what is no regular
/// file or cannot be read.
Lies what_lies_at(const std::filesystem::path& file, const std::string& name);

/// True for what begins as SQLite's files do. Never throws: what cannot be read does not.
bool begins_as_database(const std::filesystem::path& file) noexcept;

/// How SQLite is to open a store that is only read.
struct WayToRead {
  std::string address;  ///< a URI
  /// Where the file is opened as one that nobody changes: the state that it must be in after every question.
  std::optional<result::FileState> at_rest;
};

/// A store has a write-ahead log, and who reads it needs STORE-wal and STORE-shm beside it. SQLite makes them
/// where they are missing, so that in a folder that takes no file (another user's, a read-only mount) it
/// cannot read at all; and a connection that only reads leaves them behind, where one of another owner locks
/// the writers out. So:
/// - who may write is opened as a writer, is to forbid itself any change (query_only), and clears up;
/// - who may not, or has no room for them, uses the two files where a writer has them open;
/// - where there is no log, or an empty one, the file is complete, and is opened as one that nobody changes
/// (immutable). Throws result::FileError where a log was left that cannot be read without being written.
WayToRead way_to_read(const std::filesystem::path& file, const std::string& name);

/// Whether a store is still as it was when it was opened as one that nobody changes.
bool is_at_rest(const std::filesystem::path& file, const result::FileState& state);

/// Throws result::FileError where this process may not write the store, or in its folder, where SQLite keeps
/// the log.
void require_writable(const std::filesystem::path& file, const std::string& name);

/// Removes a store and what SQLite keeps beside it. Never throws: what cannot be removed stays.
void remove_store(const std::filesystem::path& file) noexcept;

/// What tells a file from another one in its place.
struct FileNumber {
  std::uint64_t device = 0;                            ///< of its file system
  std::uint64_t number = 0;                            ///< of the file in it
  bool operator==(const FileNumber&) const = default;  ///< the same file
};
/// Links followed; nullopt where nothing lies or it cannot be seen.
std::optional<FileNumber> number_of(const std::filesystem::path& file) noexcept;

/// Makes an empty file, with which a store begins; nullopt where something lies there, or none can be made,
/// which SQLite will say.
std::optional<FileNumber> make_empty(const std::filesystem::path& file) noexcept;

/// True where the file system of `file` has no room left for this user.
bool is_full(const std::filesystem::path& file) noexcept;

}  // namespace gpugauge::store
