// One gpugauge at a time has a file as its output: of two that measured for minutes, one would be lost.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "result/removed_at_stop.hpp"

namespace gpugauge::run {

/// The file beside an output that says who will write it: ".NAME.lock", of the target where the output is a
/// link. One that holds anything but such a line is somebody else's file, and stays as it is.
std::filesystem::path lock_of(const std::filesystem::path& output);

/// Refuses two outputs of one command that are one file, by whatever names (result::UsageError): the second
/// would replace the first.
void require_different(const std::vector<std::filesystem::path>& outputs);

/// How a refusal says that something is held: "FILE <is> process 812 (...); <next>".
struct HeldWords {
  std::string is = "is the output of";  ///< what it is to its holder
  /// What that means, and what to do.
  std::string next = "nothing was measured; give another name, or wait for its end";
};

/// Holds files that this process writes when it has measured, until it is destroyed. Each is a lock of the
/// kernel (flock) on the file lock_of(): it ends with its owner, however that ends, so that a file that a
/// killed one left is stale by itself; it is taken over, and gone at the end. It is seen from other
/// containers, and from other nodes where the file system shares its locks (NFS does). Where no lock can be
/// made (no folder yet, none that may be written to, a file system without locks) the output is not held:
/// result::write_file with the state of before then still replaces nothing that came meanwhile. A file that
/// another user left is locked, too, and named where that is not permitted.
class OutputLocks {
 public:
  /// All of them or none. `command` names it to others: "gpugauge run". Throws result::FileError that says
  /// which one is held and by whom: process, user, node and since when, or that a link, folder, pipe,
  /// somebody else's file or one that may not even be read lies in the place of its lock; and like
  /// require_different.
  OutputLocks(const std::vector<std::filesystem::path>& outputs, const std::string& command,
              const HeldWords& words = {});
  OutputLocks(const OutputLocks&) = delete;
  OutputLocks& operator=(const OutputLocks&) = delete;
  ~OutputLocks();

 private:
  /// A lock that is held; its file goes with it, and where a signal ends the process
  /// (result::remove_at_stop).
  class Held {
   public:
    Held(int descriptor, std::string file);
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held();

   private:
    int descriptor_;
    result::RemovedAtStop file_;
  };

  void take(const std::filesystem::path& output, const std::string& command, const HeldWords& words);

  std::deque<Held> held_;
};

}  // namespace gpugauge::run
