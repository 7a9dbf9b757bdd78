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

struct Reading {
  Presence presence = Presence::absent;
  std::string text;  ///< without trailing white space; "" unless present

  bool present() const { return presence == Presence::present; }
  /// The text, "absent" or "unreadable"; an empty file is "empty".
  std::string fact() const;
};

class Tree {
 public:
  explicit Tree(std::filesystem::path root) : root_(std::move(root)) {}

  /// "/proc/version" below the root.
  std::filesystem::path at(std::string_view absolute) const;
  /// First `limit` bytes of a file. Never throws: a folder, a missing file and a refused one are readings
  /// too.
  Reading read(std::string_view absolute, std::size_t limit = std::size_t{1} << 20) const;
  /// Also true for what exists but may not be read.
  bool exists(std::string_view absolute) const;
  /// Names in a folder, sorted; empty where there is none or it may not be read.
  std::vector<std::string> list(std::string_view absolute) const;
  /// Last component of a symbolic link's target, "" where it is none: sysfs names a device's driver so.
  std::string link_name(std::string_view absolute) const;
  /// True on the live machine, where also system calls may answer.
  bool live() const { return root_ == "/"; }

 private:
  std::filesystem::path root_;
};

}  // namespace gpugauge::stack
