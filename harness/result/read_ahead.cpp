#include "result/read_ahead.hpp"

#include <algorithm>
#include <utility>

#include "result/file.hpp"
#include "result/threads.hpp"

namespace gpugauge::result {
namespace {

constexpr std::size_t readers = 2;  // one waits for the disk while the other copies pages
constexpr std::size_t most_files = 16;
constexpr std::size_t most_bytes = std::size_t{256} << 20;

}  // namespace

ReadAhead::ReadAhead(std::size_t count, std::function<std::filesystem::path(std::size_t)> path)
    : count_(count), path_(std::move(path)) {
  start_threads(threads_, std::min(readers, count), [this] { work(); });
}

ReadAhead::~ReadAhead() {
  const std::lock_guard lock(mutex_);
  stop_ = true;
  room_.notify_all();
}

bool ReadAhead::begin(File& file) {
  if (begun_ == count_) return false;
  file.index = begun_++;
  if (!rooms_.empty()) {
    file.text = std::move(rooms_.back());
    rooms_.pop_back();
  }
  return true;
}

void ReadAhead::read(File& file) const {
  file.fault = nullptr;
  try {
    read_file_once(path_(file.index), file.text);
  } catch (...) {
    file.fault = std::current_exception();
  }
}

void ReadAhead::work() {
  while (true) {
    File file;
    {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [&] { return stop_ || (read_.size() < most_files && bytes_ < most_bytes); });
      if (stop_ || !begin(file)) return;
    }
    read(file);
    const std::lock_guard lock(mutex_);
    bytes_ += file.text.size();
    read_.push_back(std::move(file));
    ready_.notify_one();
  }
}

bool ReadAhead::next(File& file) {
  std::unique_lock lock(mutex_);
  if (threads_.empty()) {
    if (!begin(file)) return false;
    lock.unlock();
    read(file);
    return true;
  }
  // On the first call there is no old text.
  if (!file.text.empty()) rooms_.push_back(std::exchange(file.text, {}));
  ready_.wait(lock, [&] { return given_ == count_ || !read_.empty(); });
  if (read_.empty()) return false;
  file = std::move(read_.front());
  read_.pop_front();
  bytes_ -= file.text.size();
  room_.notify_one();
  // Wakes callers that wait for a file that will never come.
  if (++given_ == count_) ready_.notify_all();
  return true;
}

}  // namespace gpugauge::result
