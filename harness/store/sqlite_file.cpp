// Examines an SQLite file before SQLite opens it.
#include "store/sqlite_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/temporary_file.hpp"

namespace gpugauge::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic("SQLite format 3\0", 16);
constexpr std::array companions{"-wal", "-shm", "-journal"};

bool may_write(const fs::path& file) {
  return ::faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) == 0;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// SQLite follows links and keeps the log beside their target.
fs::path followed(const fs::path& file) {
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  return error ? fs::absolute(file) : real;
}

fs::path beside(const fs::path& file, const char* ending) {
  return file.string() + ending;
}

bool is_there(const fs::path& file) {
  return result::state_of(file).has_value();
}

/// The log that holds part of the store.
std::optional<fs::path> part_beside(const fs::path& file) {
  for (const char* const ending : {"-wal", "-journal"}) {
    const fs::path log = beside(file, ending);
    if (const auto state = result::state_of(log); state && state->bytes > 0) return log;
  }
  return std::nullopt;
}

/// A URI for an absolute path, with parameters.
std::string uri(const fs::path& file, std::string_view parameters) {
  std::string out = "file:";
  for (const char c : file.string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return fmt::format("{}?{}", out, parameters);
}

}  // namespace

Lies what_lies_at(const fs::path& file, const std::string& name) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return Lies::nothing;
    throw result::FileError(fmt::format("the store {} cannot be looked at: {}", name, std::strerror(errno)));
  }
  if (S_ISDIR(info.st_mode))
    throw result::UsageError(fmt::format("the store {} is a folder; give a file in it", name));
  if (!S_ISREG(info.st_mode))
    throw result::FileError(fmt::format("the store {} is not a regular file", name));
  // O_NONBLOCK: files of /proc are regular files, but some block a reader.
  const result::Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (fd.get() < 0)
    throw result::FileError(fmt::format("the store {} could not be opened: {}", name, std::strerror(errno)));
  std::array<char, magic.size()> start{};
  const ssize_t count = ::read(fd.get(), start.data(), start.size());
  if (count < 0)
    throw result::FileError(fmt::format("the store {} could not be read: {}", name, std::strerror(errno)));
  if (count == 0) return Lies::empty;
  return std::string_view(start.data(), static_cast<std::size_t>(count)) == magic ? Lies::database
                                                                                  : Lies::other;
}

bool begins_as_database(const fs::path& file) noexcept {
  try {
    const auto state = result::state_of(file);
    if (!state || state->bytes < static_cast<std::int64_t>(magic.size())) return false;
    return what_lies_at(result::without_detours(file), "") == Lies::database;
  } catch (const std::exception&) {
    return false;
  }
}

WayToRead way_to_read(const fs::path& given, const std::string& name) {
  const fs::path file = followed(given);
  const bool full = is_full(file);
  if (may_write(file) && may_write(folder_of(file)) && !full) return {uri(file, "mode=rw"), std::nullopt};
  const bool shared = is_there(beside(file, "-wal")) && is_there(beside(file, "-shm"));
  const std::optional<fs::path> left = part_beside(file);
  if (shared && (left || !full)) return {uri(file, "mode=ro"), std::nullopt};
  if (left)
    throw result::FileError(fmt::format(
        "the store {} was not closed by who wrote it last: a part of it is in {}, which this user cannot "
        "take "
        "in here: copy both files to a folder of your own, or run `gpugauge history changes` once as who may "
        "write the store",
        name, left->string()));
  return {uri(file, "mode=ro&immutable=1"), result::state_of(file)};
}

bool is_at_rest(const fs::path& given, const result::FileState& state) {
  const fs::path file = followed(given);
  return result::state_of(file) == state && !part_beside(file);
}

void require_writable(const fs::path& given, const std::string& name) {
  const fs::path file = followed(given);
  std::error_code error;
  if (fs::exists(file, error) && !may_write(file))
    throw result::FileError(
        fmt::format("the store {} may be read and not written here: {}", name, std::strerror(errno)));
  if (fs::exists(folder_of(file), error) && !may_write(folder_of(file)))
    throw result::FileError(
        fmt::format("the store {} cannot be written: {} takes no file, and SQLite keeps its log there: {}",
                    name, folder_of(file).string(), std::strerror(errno)));
}

void remove_store(const fs::path& file) noexcept {
  std::error_code ignored;
  for (const char* const ending : companions) fs::remove(beside(file, ending), ignored);
  fs::remove(file, ignored);
}

std::optional<FileNumber> number_of(const fs::path& file) noexcept {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return std::nullopt;
  return FileNumber{info.st_dev, info.st_ino};
}

std::optional<FileNumber> make_empty(const fs::path& file) noexcept {
  constexpr mode_t as_sqlite = 0644;
  const result::Descriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, as_sqlite));
  return fd.get() < 0 ? std::nullopt : number_of(file);
}

bool is_full(const fs::path& file) noexcept {
  constexpr std::uint64_t least = 1 << 16;  // SQLite's files beside the store begin with 32 KiB
  struct statvfs info {};
  const fs::path folder = folder_of(file);
  if (::statvfs(folder.c_str(), &info) != 0) return false;
  // /proc and similar report no blocks, Btrfs no inodes.
  return (info.f_blocks > 0 && info.f_bavail * info.f_frsize < least) ||
         (info.f_files > 0 && info.f_favail == 0);
}

}  // namespace gpugauge::store
