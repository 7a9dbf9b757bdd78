// Reads files below a root without ever leaving it.
#include "stack/tree.hpp"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpugauge::stack {
namespace {

namespace fs = std::filesystem;

constexpr int links_most = 40;  // the kernel's own limit

/// The result of following a path below a root.
struct Walk {
  std::string inside;    ///< below the root: "/usr/lib/libcuda.so.580.65.06"
  bool complete = true;  ///< everything on the path exists and could be read
  bool endless = false;  ///< more links than any real path has
};

void queue_in_front(std::deque<std::string>& pending, const fs::path& path) {
  auto at = pending.begin();
  for (const fs::path& part : path.relative_path()) at = std::next(pending.insert(at, part.string()));
}

/// Follows `absolute` component by component; ".." never leads above the root.
Walk walk(const fs::path& root, std::string_view absolute, bool follow_last) {
  Walk result;
  std::deque<std::string> pending;
  queue_in_front(pending, fs::path(absolute));
  std::string& inside = result.inside;
  int links = 0;
  while (!pending.empty()) {
    const std::string part = std::move(pending.front());
    pending.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      inside.erase(std::min(inside.rfind('/'), inside.size()));
      continue;
    }
    std::string next = inside;
    next.append("/").append(part);
    const fs::path outside = root / next.substr(1);
    struct stat status {};
    const bool there = result.complete && ::lstat(outside.c_str(), &status) == 0;
    if (!there) result.complete = false;
    if (!there || !S_ISLNK(status.st_mode) || (pending.empty() && !follow_last)) {
      inside = next;
      continue;
    }
    std::error_code error;
    const fs::path target = fs::read_symlink(outside, error);
    if (error || target.empty() || ++links > links_most) return {"", false, true};
    if (target.is_absolute()) inside.clear();
    queue_in_front(pending, target);
  }
  if (inside.empty()) inside = "/";
  return result;
}

/// Opens a file if reading it has no side effects: a device in an inspected tree may start a watchdog or
/// block forever. Otherwise returns -1 and sets errno.
int open_file(const fs::path& path) {
  struct stat status {};
  if (path.empty()) errno = ELOOP;
  if (path.empty() || ::stat(path.c_str(), &status) != 0) return -1;
  if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISDIR(status.st_mode)) {
    return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  }
  errno = EACCES;
  return -1;
}

bool means_absent(int error) {
  return error == ENOENT || error == ENOTDIR || error == ENXIO || error == ENODEV;
}

Reading read_from(int file, std::size_t limit) {
  if (file < 0) return {means_absent(errno) ? Presence::absent : Presence::unreadable, ""};
  Reading reading{Presence::present, ""};
  char buffer[16384];
  while (reading.text.size() < limit) {
    const ssize_t got = ::read(file, buffer, std::min(sizeof buffer, limit - reading.text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) reading = {Presence::unreadable, ""};  // some sysfs files open but refuse to be read
    if (got <= 0) break;
    reading.text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(file);
  return reading;
}

}  // namespace

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

Tree::Tree(const fs::path& root) : root_(root.lexically_normal()) {}

fs::path Tree::at(std::string_view absolute) const {
  const fs::path relative = fs::path(absolute).relative_path();
  if (live()) return root_ / relative;
  const Walk found = walk(root_, absolute, true);
  return found.endless ? fs::path() : root_ / found.inside.substr(1);
}

fs::path Tree::place_of_link(std::string_view absolute) const {
  if (live()) return at(absolute);
  const Walk found = walk(root_, absolute, false);
  return found.endless ? fs::path() : root_ / found.inside.substr(1);
}

Reading Tree::read_raw(std::string_view absolute, std::size_t limit) const {
  return read_from(open_file(at(absolute)), limit);
}

Reading Tree::read(std::string_view absolute, std::size_t limit) const {
  Reading reading = read_raw(absolute, limit);
  const auto end = reading.text.find_last_not_of(std::string("\0 \t\r\n", 5));
  reading.text.erase(end == std::string::npos ? 0 : end + 1);
  return reading;
}

Reading Tree::read_end(std::string_view absolute, std::size_t limit) const {
  const int file = open_file(at(absolute));
  struct stat status {};
  if (file >= 0 && ::fstat(file, &status) == 0 && status.st_size > static_cast<off_t>(limit)) {
    ::lseek(file, status.st_size - static_cast<off_t>(limit), SEEK_SET);
  }
  return read_from(file, limit);
}

bool Tree::exists(std::string_view absolute) const {
  struct stat status {};
  return ::lstat(place_of_link(absolute).c_str(), &status) == 0 || errno == EACCES;
}

Presence Tree::folder(std::string_view absolute, bool to_list) const {
  const fs::path place = at(absolute);
  struct stat status {};
  if (place.empty()) return Presence::absent;
  if (::stat(place.c_str(), &status) != 0)
    return means_absent(errno) ? Presence::absent : Presence::unreadable;
  if (!S_ISDIR(status.st_mode)) return Presence::absent;
  const int rights = to_list ? R_OK | X_OK : X_OK;
  return ::faccessat(AT_FDCWD, place.c_str(), rights, AT_EACCESS) == 0 ? Presence::present
                                                                       : Presence::unreadable;
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
  const fs::path target = fs::read_symlink(place_of_link(absolute), error);
  return error ? "" : target.filename().string();
}

std::string Tree::resolve(std::string_view absolute) const {
  if (live()) {
    std::error_code error;
    const fs::path real = fs::canonical(at(absolute), error);
    return error ? "" : real.string();
  }
  const Walk found = walk(root_, absolute, true);
  return found.complete ? found.inside : "";
}

}  // namespace gpugauge::stack
