#include "stack/elf_bytes.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpugauge::stack {

struct FileBytes::Descriptor {
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() { ::close(number); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number;
};

FileBytes::FileBytes(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    error_ = errno;
    return;
  }
  if (!S_ISREG(status.st_mode)) {  // check before opening: opening alone triggers some devices
    error_ = EINVAL;
    return;
  }
  const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (opened < 0) {
    error_ = errno;
    return;
  }
  auto descriptor = std::make_shared<const Descriptor>(opened);
  if (::fstat(opened, &status) != 0) {
    error_ = errno;
  } else if (!S_ISREG(status.st_mode)) {
    error_ = EINVAL;
  } else {
    file_ = std::move(descriptor);
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
}

std::size_t FileBytes::fill(std::uint64_t offset, void* target, std::size_t count) const {
  if (file_ == nullptr || offset >= size_) return 0;
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, size_ - offset));
  std::size_t done = 0;
  while (done < count) {
    const auto at = static_cast<off_t>(begin_ + offset + done);
    const ssize_t got = ::pread(file_->number, static_cast<char*>(target) + done, count - done, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::string FileBytes::read(std::uint64_t offset, std::size_t count) const {
  if (offset >= size_) return "";
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(count, size_ - offset)), '\0');
  bytes.resize(fill(offset, bytes.data(), bytes.size()));
  return bytes;
}

FileBytes FileBytes::part(std::uint64_t offset, std::uint64_t size) const {
  FileBytes window = *this;
  offset = std::min(offset, size_);
  window.begin_ += offset;
  window.size_ = std::min(size, size_ - offset);
  return window;
}

std::string FileBytes::text(std::uint64_t offset) const {
  constexpr std::size_t longest = 4096;
  const std::string bytes = read(offset, longest);
  const auto end = bytes.find('\0');
  return end == std::string::npos ? "" : bytes.substr(0, end);
}

}  // namespace gpugauge::stack
