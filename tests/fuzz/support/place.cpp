#include "fuzz/support/place.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/support/target.hpp"

namespace gpugauge::fuzz {
namespace {

namespace fs = std::filesystem;

struct Entry {
  std::string name;  ///< relative to the root, without "..", "." and empty parts
  std::string_view content;
  bool link = false;
  bool folder = false;
};

constexpr std::size_t entries_most = 64;
constexpr std::size_t name_longest = 160;
constexpr int deepest = 12;

/// "/proc//stat" -> "proc/stat"; "" for what may not be written.
std::string safe_name(std::string_view path) {
  if (path.empty() || path.front() != '/' || path.size() > name_longest) return "";
  if (path.find('\0') != std::string_view::npos) return "";
  std::string out;
  int depth = 0;
  for (std::size_t start = 1; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, end - start);
    start = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == ".." || ++depth > deepest) return "";
    out += (out.empty() ? "" : "/") + std::string(part);
  }
  return out;
}

std::vector<Entry> entries_of(std::string_view bytes, bool links) {
  constexpr std::string_view mark = "=== ";
  std::vector<Entry> out;
  while (!bytes.empty() && out.size() < entries_most) {
    std::string_view head = take_line(bytes);
    if (!head.starts_with(mark)) continue;
    head.remove_prefix(mark.size());
    Entry entry;
    std::size_t length = 0;  // up to the next line that begins another
    while (length < bytes.size() && !bytes.substr(length).starts_with(mark))
      length = std::min(bytes.find('\n', length), bytes.size() - 1) + 1;
    entry.content = bytes.substr(0, length);
    bytes.remove_prefix(length);
    const std::size_t arrow = head.find(" -> ");
    entry.name = safe_name(head.substr(0, arrow));
    entry.folder = arrow == std::string_view::npos && head.ends_with('/');
    entry.link = arrow != std::string_view::npos;
    if (entry.link) entry.content = head.substr(arrow + 4);
    const bool target =
        !entry.link || (links && !entry.content.empty() && entry.content.size() < name_longest &&
                        entry.content.find('\0') == std::string_view::npos);
    if (!entry.name.empty() && target) out.push_back(entry);
  }
  return out;
}

}  // namespace

Place::Place() {
  // Its real path, so that a link inside is known by where it leads.
  std::string pattern = (fs::canonical(fs::temp_directory_path()) / "gpugauge-fuzz-XXXXXX").string();
  require(::mkdtemp(pattern.data()) != nullptr, "no private folder could be made");
  path_ = pattern;
}

Place::~Place() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path Place::write(const std::string& name, std::string_view bytes) const {
  fs::path file = path_ / name;
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  require(opened >= 0, "a file could not be made in the private folder");
  while (!bytes.empty()) {
    const ssize_t written = ::write(opened, bytes.data(), bytes.size());
    require(written > 0, "a file could not be written in the private folder");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  ::close(opened);
  return file;
}

void Place::clear() const {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path_, ignored)) fs::remove_all(entry.path(), ignored);
}

void Place::make_tree(std::string_view bytes, bool links) const {
  clear();
  const std::vector<Entry> entries = entries_of(bytes, links);
  // Folders first, then files, then links: no link is there while anything is written through its folder.
  for (const Entry& entry : entries) {
    std::error_code taken;  // a file and a folder of one name: the first one stays
    const fs::path path = path_ / entry.name;
    fs::create_directories(entry.folder ? path : path.parent_path(), taken);
  }
  struct stat status {};
  for (const Entry& entry : entries) {
    const fs::path path = path_ / entry.name;
    if (entry.link || entry.folder || ::lstat(path.c_str(), &status) == 0) continue;
    if (::lstat(path.parent_path().c_str(), &status) == 0 && S_ISDIR(status.st_mode))
      write(entry.name, entry.content);
  }
  for (const Entry& entry : entries) {
    if (!entry.link) continue;
    std::error_code taken;
    const fs::path path = path_ / entry.name;
    if (fs::canonical(path.parent_path(), taken) == path.parent_path() && !taken)
      fs::create_symlink(std::string(entry.content), path, taken);
  }
}

}  // namespace gpugauge::fuzz
