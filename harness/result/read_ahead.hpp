// Reads thousands of files, each once: the disk works while others are parsed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gpugauge::result {

/// Reads files ahead of its callers, with threads of its own. It holds at most 16 files or 256 MiB that
/// nobody has taken, plus one file per thread. Files may arrive in another order than in the list. Where the
/// kernel can (read_file_once), it leaves no page in the cache that was not there before.
class ReadAhead {
 public:
  /// One file: its place in the list, and its text or the reason why it could not be read.
  struct File {
    /// Index in the list, from 0.
    std::size_t index = 0;
    /// All of its bytes.
    std::string text;
    std::exception_ptr fault;  ///< usually FileError; text is then unspecified
  };

  /// `path` returns the file for an index from 0 to count - 1. Several threads call it; it must outlive this
  /// object.
  ReadAhead(std::size_t count, std::function<std::filesystem::path(std::size_t)> path);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Waits for the next file; false when every file was handed out. Reuses the capacity of the text in
  /// `file`. Several threads may call it. Reads in the calling thread if the system gave no thread.
  bool next(File& file);

 private:
  void work();
  /// Takes an index that nobody has begun; false if there is none. The caller holds the lock.
  bool begin(File& file);
  void read(File& file) const;

  std::size_t count_;
  std::function<std::filesystem::path(std::size_t)> path_;
  std::mutex mutex_;
  std::condition_variable ready_, room_;
  std::size_t begun_ = 0;  ///< indices that somebody reads or has read
  std::size_t given_ = 0;  ///< files that were taken
  std::size_t bytes_ = 0;  ///< of the texts in read_
  bool stop_ = false;
  std::deque<File> read_;
  std::vector<std::string> rooms_;     ///< texts given back, kept for their capacity
  std::vector<std::jthread> threads_;  ///< last member: the threads end before what they use
};

}  // namespace gpugauge::result
