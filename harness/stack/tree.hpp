// Reads the machine's /proc, /sys, /dev and /etc below a root prefix: "/" on a live machine, a folder in
// tests or for a mounted image.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::stack {

/// "Absent" and "unreadable" are different answers.
enum class Presence { present, absent, unreadable };

/// The result of reading one file.
struct Reading {
  Presence presence = Presence::absent;  ///< absent also for a path through a file
  std::string text;                      ///< without trailing white space; "" unless present

  /// True if the file was read; it may be empty.
  bool present() const { return presence == Presence::present; }
  /// The text, "absent" or "unreadable"; "empty" for an empty file.
  std::string fact() const;
};

/// Below a root other than "/", symbolic links, even absolute ones, lead to places below that root, as for a
/// process whose root it is. Nothing outside is ever read.
class Tree {
 public:
  /// "/" is the live machine. The folder need not exist; then nothing is found below it.
  explicit Tree(const std::filesystem::path& root);

  /// "/proc/version" below the root, following links; an empty path if the links never end.
  std::filesystem::path at(std::string_view absolute) const;
  /// First `limit` bytes of a regular file. Never throws: a folder, a missing file and a refused one give
  /// readings too. A FIFO reads as empty. A device or socket is unreadable and is not opened.
  Reading read(std::string_view absolute, std::size_t limit = std::size_t{1} << 20) const;
  /// As read, but keeps every byte of the file, for content that is no text.
  Reading read_raw(std::string_view absolute, std::size_t limit) const;
  /// Last `limit` bytes of a regular file, for logs.
  Reading read_end(std::string_view absolute, std::size_t limit) const;
  /// Also true for what exists but may not be read, and for a dangling link.
  bool exists(std::string_view absolute) const;
  /// Whether a folder can be entered. absent: it does not exist or is no folder. unreadable: its names may
  /// not be listed (with `to_list`), or its content may not be opened.
  Presence folder(std::string_view absolute, bool to_list = true) const;
  /// Names in a folder, sorted; empty if there is no folder or it may not be read (`folder` tells which).
  std::vector<std::string> list(std::string_view absolute) const;
  /// Last component of a symbolic link's target, "" if it is no link. sysfs names a device's driver this way.
  std::string link_name(std::string_view absolute) const;
  /// The path below the root after following every link ("/usr/lib/libcuda.so.580.65.06"). "" if nothing is
  /// there, it may not be entered, or the links never end.
  std::string resolve(std::string_view absolute) const;
  /// True on the live machine, where system calls may answer too.
  bool live() const { return root_ == "/"; }

 private:
  /// As `at`, but does not follow a link in the last component.
  std::filesystem::path place_of_link(std::string_view absolute) const;

  std::filesystem::path root_;
};

}  // namespace gpugauge::stack
