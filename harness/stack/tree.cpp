#include "stack/tree.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpugauge::stack {
namespace fs = std::filesystem;

std::string Reading::fact() const {
  switch (presence) {
    case Presence::present:
      return text.empty() ? "empty" : text;
    case Presence::absent:
      return "absent";
    case Presence::unreadable:
      break;
  }
  return "unreadable";
}

fs::path Tree::at(std::string_view absolute) const {
  return root_ / fs::path(absolute).relative_path();
}

Reading Tree::read(std::string_view absolute, std::size_t limit) const {
  // O_NONBLOCK: a FIFO in an inspected tree must not hold us.
  const int file = ::open(at(absolute).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    const bool absent = errno == ENOENT || errno == ENOTDIR || errno == ENXIO || errno == ENODEV;
    return {absent ? Presence::absent : Presence::unreadable, ""};
  }
  Reading reading{Presence::present, ""};
  char buffer[4096];
  while (reading.text.size() < limit) {
    const ssize_t got = ::read(file, buffer, std::min(sizeof buffer, limit - reading.text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) reading = {Presence::unreadable, ""};  // some sysfs files open well and refuse to be read
    if (got <= 0) break;
    reading.text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(file);
  const auto end = reading.text.find_last_not_of(std::string("\0 \t\r\n", 5));
  reading.text.erase(end == std::string::npos ? 0 : end + 1);
  return reading;
}

bool Tree::exists(std::string_view absolute) const {
  struct stat status {};
  return ::lstat(at(absolute).c_str(), &status) == 0 || errno == EACCES;
}

std::vector<std::string> Tree::list(std::string_view absolute) const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(at(absolute), error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string Tree::link_name(std::string_view absolute) const {
  std::error_code error;
  const fs::path target = fs::read_symlink(at(absolute), error);
  return error ? "" : target.filename().string();
}

}  // namespace gpugauge::stack
