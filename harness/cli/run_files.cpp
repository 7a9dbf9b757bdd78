#include "cli/run_files.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fnmatch.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "result/error.hpp"

namespace gpugauge::cli {
namespace {

namespace fs = std::filesystem;

/// All *.json below one folder. Links to folders are followed, but not back into it: what lies there has a
/// name already.
class Walk {
 public:
  explicit Walk(const fs::path& folder) : folder_(folder), place_(canonical(folder)) {}

  /// In the order of their names. `without`: the folders directly below, of which others hold some, that hold
  /// none.
  std::vector<FoundFile> found(std::vector<FoundFile>* without) && {
    into(folder_, {place_});
    std::sort(found_.begin(), found_.end(),
              [](const FoundFile& a, const FoundFile& b) { return a.label < b.label; });
    if (without != nullptr) add_without(*without);
    return std::move(found_);
  }

 private:
  static fs::path canonical(const fs::path& path) {
    std::error_code unknown;
    fs::path place = fs::weakly_canonical(path, unknown);
    return unknown ? path : place;
  }
  static bool is_in(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
  }

  /// `around`: the places of the folders around, itself the last.
  void into(const fs::path& folder, const std::vector<fs::path>& around) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      std::error_code unknown;  // a dangling link is no folder: reading it will say what it is
      const fs::path& path = entry->path();
      if (!entry->is_directory(unknown)) {
        if (path.extension() == ".json")
          found_.push_back(
              {path, path.lexically_relative(folder_).replace_extension().string(), true, folder_});
        continue;
      }
      std::vector<fs::path> places = around;
      places.push_back(canonical(path));
      if (entry->is_symlink(unknown) && std::any_of(around.begin(), around.end(), [&](const fs::path& one) {
            return is_in(places.back(), place_) || is_in(one, places.back());
          }))
        continue;
      into(path, places);
    }
    if (error)
      throw result::FileError(fmt::format("{} could not be searched: {}", folder.string(), error.message()));
  }

  void add_without(std::vector<FoundFile>& without) const {
    std::set<std::string> with;
    for (const FoundFile& one : found_)
      if (const std::size_t end = one.label.find('/'); end != std::string::npos)
        with.insert(one.label.substr(0, end));
    if (with.empty()) return;
    std::vector<FoundFile> out;
    std::error_code unknown;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, unknown)) {
      const std::string name = entry.path().filename().string();
      const bool dangling = entry.is_symlink(unknown) && !entry.exists(unknown);
      if ((!entry.is_directory(unknown) && !dangling) || name.starts_with('.') || with.contains(name) ||
          entry.path().extension() == ".json")
        continue;
      if (entry.is_symlink(unknown) && !dangling && is_in(canonical(entry.path()), place_)) continue;
      out.push_back({entry.path(), name, true, folder_});
    }
    std::sort(out.begin(), out.end(),
              [](const FoundFile& a, const FoundFile& b) { return a.label < b.label; });
    without.insert(without.end(), std::make_move_iterator(out.begin()), std::make_move_iterator(out.end()));
  }

  const fs::path folder_;
  const fs::path place_;
  std::vector<FoundFile> found_;
};

/// What a pattern of the shell stands for. glob(3) passes over a folder that it may not enter where the name
/// below that is no pattern: a node would be missing, and nobody would hear of it.
class Pattern {
 public:
  /// In the order of their names. Throws result::FileError where no look is possible.
  std::vector<std::string> matches(const std::string& pattern) && {
    into("", pattern);
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  static bool is_not_there(const std::error_code& error) {
    return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
  }
  [[noreturn]] static void refuse(fs::path folder, const std::error_code& error) {
    if (!folder.has_filename()) folder = folder.parent_path();
    throw result::FileError(fmt::format("{} could not be searched: {}", folder.string(), error.message()));
  }
  static std::string without_backslashes(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i)
      out += name[i] == '\\' && i + 1 < name.size() ? name[++i] : name[i];
    return out;
  }

  /// `before`: names no pattern any more.
  void into(std::string before, std::string_view pattern) {
    const std::size_t slashes = std::min(pattern.find_first_not_of('/'), pattern.size());
    before += pattern.substr(0, slashes);
    pattern.remove_prefix(slashes);
    if (pattern.empty()) return take(before);
    const std::string name(pattern.substr(0, pattern.find('/')));
    pattern.remove_prefix(name.size());
    if (name.find_first_of("*?[") == std::string::npos)
      return into(before + without_backslashes(name), pattern);
    std::error_code error;
    const fs::path folder = before.empty() ? "." : before;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (const std::string one = entry->path().filename().string();
          ::fnmatch(name.c_str(), one.c_str(), FNM_PERIOD) == 0)
        into(before + one, pattern);
    if (error && !is_not_there(error)) refuse(folder, error);
  }

  void take(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (error && !is_not_there(error)) refuse(fs::path(path).parent_path(), error);
    if (fs::exists(status)) found_.push_back(path);
  }

  std::vector<std::string> found_;
};

}  // namespace

std::vector<FoundFile> find_files(const std::vector<std::string>& paths, std::vector<FoundFile>* without) {
  std::vector<FoundFile> out;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      std::vector<FoundFile> found = Walk(path).found(without);
      if (found.empty()) throw result::UsageError(fmt::format("{} holds no *.json file", path));
      out.insert(out.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    } else if (fs::path(path).extension() != ".json" && !fs::exists(path, error) && !error) {
      throw result::UsageError(
          fmt::format("{} is not there: name a folder with runs, or a run's file", path));
    } else {
      out.push_back({path, fs::path(path).replace_extension().string(), false});
    }
  }
  return out;
}

std::vector<std::string> expanded(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path.find_first_of("*?[") == std::string::npos || fs::exists(path, error)) {
      out.push_back(path);
      continue;
    }
    std::vector<std::string> found = Pattern().matches(path);
    if (found.empty()) throw result::UsageError(fmt::format("no file matches {}", path));
    out.insert(out.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  return out;
}

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kept = 256 << 20;
  constexpr int largest = 32 << 20;  // the most that glibc takes
  ::mallopt(M_TRIM_THRESHOLD, kept);
  ::mallopt(M_MMAP_THRESHOLD, largest);
#endif
}

}  // namespace gpugauge::cli
