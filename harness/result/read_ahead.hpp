// Thousands of files, each read once: the disk works while others are parsed.
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

/// Reads files with threads of its own, ahead of whoever takes them: at most 16 files or 256 MiB that nobody
/// has taken yet, and one more a thread. The order in which they come is not that of the list. What was not
/// in the page cache before is not there afterwards, where the kernel can do so (read_file_once).
class ReadAhead {
 public:
  /// One file: its place in the list and its text, or what stood against reading it.
  struct File {
    /// From 0, in the list.
    std::size_t index = 0;
    /// All of its bytes.
    std::string text;
    std::exception_ptr fault;  ///< FileError mostly; text is anything then
  };

  /// `path` gives the file at a place from 0 to count - 1; it is called from several threads and must outlive
  /// this.
  ReadAhead(std::size_t count, std::function<std::filesystem::path(std::size_t)> path);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// The next file, waited for; false when every file was given out. The room of the text that was in `file`
  /// is used again. May be called by several threads. Where the system gave no thread, it reads here.
  bool next(File& file);

 private:
  void work();
  /// A place that nobody has begun; false when there is none. Holds the lock.
  bool begin(File& file);
  void read(File& file) const;

  std::size_t count_;
  std::function<std::filesystem::path(std::size_t)> path_;
  std::mutex mutex_;
  std::condition_variable ready_, room_;
  std::size_t begun_ = 0;  ///< places that somebody reads or has read
  std::size_t given_ = 0;  ///< files that were taken
  std::size_t bytes_ = 0;  ///< of the texts in read_
  bool stop_ = false;
  std::deque<File> read_;
  std::vector<std::string> rooms_;     ///< texts that were given back
  std::vector<std::jthread> threads_;  ///< last: they end before what they use
};

}  // namespace gpugauge::result
