// The machine's /proc, /sys, /dev and /etc below a root prefix: "/" on a live machine, a folder in tests or
// for a mounted image.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::stack {

/// "It is not there" and "it may not be read" are different answers.
enum class Presence { present, absent, unreadable };

/// What came of reading one file.
struct Reading {
  Presence presence = Presence::absent;  ///< absent also for a path that leads through a file
  std::string text;                      ///< without trailing white space; "" unless present

  /// Something was read, which may be an empty file.
  bool present() const { return presence == Presence::present; }
  /// The text, "absent" or "unreadable"; an empty file is "empty".
  std::string fact() const;
};

/// Below a root other than "/" symbolic links, absolute ones too, lead to places below that root, as they
/// would for a process whose root it is; nothing outside is ever looked at.
class Tree {
 public:
  /// "/" is the live machine. Need not exist: then nothing is found below it.
  explicit Tree(const std::filesystem::path& root);

  /// "/proc/version" below the root, links followed; an empty path where the links never end.
  std::filesystem::path at(std::string_view absolute) const;
  /// First `limit` bytes of a regular file. Never throws: a folder, a missing file and a refused one are
  /// readings too. A FIFO reads as empty; a device or a socket is unreadable and is not opened.
  Reading read(std::string_view absolute, std::size_t limit = std::size_t{1} << 20) const;
  /// The same with every byte as it is in the file, for what is no text.
  Reading read_raw(std::string_view absolute, std::size_t limit) const;
  /// Last `limit` bytes of a regular file, for logs.
  Reading read_end(std::string_view absolute, std::size_t limit) const;
  /// Also true for what exists but may not be read, and for a link that leads nowhere.
  bool exists(std::string_view absolute) const;
  /// Whether a folder can be looked into: absent where nothing of that name is there or it is no folder,
  /// unreadable where its names may not be listed (with `to_list`) or what it holds may not be opened.
  Presence folder(std::string_view absolute, bool to_list = true) const;
  /// Names in a folder, sorted; empty where there is none or it may not be read (`folder` tells which).
  std::vector<std::string> list(std::string_view absolute) const;
  /// Last component of a symbolic link's target, "" where it is none: sysfs names a device's driver so.
  std::string link_name(std::string_view absolute) const;
  /// The path below the root with every link followed ("/usr/lib/libcuda.so.580.65.06"); "" where nothing is
  /// there, it may not be entered, or the links never end.
  std::string resolve(std::string_view absolute) const;
  /// True on the live machine, where also system calls may answer.
  bool live() const { return root_ == "/"; }

 private:
  /// `at` without following a link in the last place.
  std::filesystem::path place_of_link(std::string_view absolute) const;

  std::filesystem::path root_;
};

}  // namespace gpugauge::stack
