// One gpugauge at a time has a file as its output: of two that measured for minutes, one would be lost.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

namespace gpugauge::run {

/// The file beside an output that says who will write it: ".NAME.lock", of the target where the output is a
/// link.
std::filesystem::path lock_of(const std::filesystem::path& output);

/// Holds files that this process writes when it has measured, until it is destroyed. Each is a lock of the
/// kernel (flock) on the file lock_of(): it ends with its owner, however that ends, so that a file that a
/// killed one left is stale by itself; it is taken over, and gone at the end. It is seen from other
/// containers, and from other nodes where the file system shares its locks (NFS does). Where no lock can be
/// made (no folder yet, no permission, a file system without locks) the output is not held:
/// result::write_file with the state of before then still replaces nothing that came meanwhile.
class OutputLocks {
 public:
  /// All of them or none. `command` names it to others: "gpugauge run". Throws result::FileError that says
  /// which one is held and by whom: process, user, node and since when.
  OutputLocks(const std::vector<std::filesystem::path>& outputs, const std::string& command);
  OutputLocks(const OutputLocks&) = delete;
  OutputLocks& operator=(const OutputLocks&) = delete;
  ~OutputLocks();

 private:
  /// A lock that is held, and its place among those that a signal handler removes.
  class Held {
   public:
    Held(int descriptor, std::string file);
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held();

   private:
    int descriptor_;
    std::string file_;
    int slot_ = -1;
  };

  void take(const std::filesystem::path& output, const std::string& command);

  std::deque<Held> held_;
};

/// Removes the files of all locks that are held, for a process that ends at once. May be called by a signal
/// handler.
void remove_output_locks() noexcept;

}  // namespace gpugauge::run
