// Only one gpugauge at a time may have a file as its output. Otherwise one of two long measurements would be
// lost.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "result/removed_at_stop.hpp"

namespace gpugauge::run {

/// The lock file beside an output, which says who will write it: ".NAME.lock". If the output is a link, it
/// lies beside the target. A file of that name with other content belongs to somebody else and is left alone.
std::filesystem::path lock_of(const std::filesystem::path& output);

/// Throws result::UsageError if two outputs of one command are the same file, under any names: the second
/// would replace the first.
void require_different(const std::vector<std::filesystem::path>& outputs);

/// The wording of a refusal: "FILE <is> process 812 (...); <next>".
struct HeldWords {
  std::string is = "is the output of";  ///< what the file is to its holder
  /// What this means for the user, and what to do.
  std::string next = "nothing was measured; give another name, or wait for its end";
};

/// Locks output files from before the measurement until it is destroyed. Each lock is a kernel lock (flock)
/// on the file lock_of(). The kernel drops it when its owner ends, so a file left by a killed owner is stale
/// and is taken over. The destructor removes the file. Other containers see the lock, and so do other nodes
/// if the file system shares its locks (NFS does). An output is not held where no lock can be made: the
/// folder is missing or read-only, or the file system has no locks. Then result::write_file, given the state
/// from before, still replaces nothing that another process wrote. A lock file that another user left is
/// locked too; if that is not permitted, the refusal names it.
class OutputLocks {
 public:
  /// Locks all outputs or none. `command` is the name shown to others: "gpugauge run". Throws
  /// result::FileError if an output is held, and names process, user, node and start time of the holder.
  /// Throws it too if the place of the lock holds a link, folder, pipe, foreign file or unreadable file. Also
  /// throws as require_different does.
  OutputLocks(const std::vector<std::filesystem::path>& outputs, const std::string& command,
              const HeldWords& words = {});
  OutputLocks(const OutputLocks&) = delete;
  OutputLocks& operator=(const OutputLocks&) = delete;
  ~OutputLocks();

 private:
  /// A held lock. Its file is removed with it, and also when a signal ends the process
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
