#include "cli/run_files.hpp"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <glob.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "result/error.hpp"
#include "result/time.hpp"

namespace gpugauge::cli {
namespace {

namespace fs = std::filesystem;

/// All *.json below a folder, in the order of their names.
void look_into(const fs::path& folder, std::vector<FoundFile>& out) {
  std::error_code error;
  std::vector<FoundFile> found;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;  // a dangling link is no folder: reading it will say what it is
    const fs::path& file = entry->path();
    if (file.extension() != ".json" || entry->is_directory(unknown)) continue;
    found.push_back({file, file.lexically_relative(folder).replace_extension().string(), true, folder});
  }
  if (error)
    throw result::FileError(fmt::format("{} could not be searched: {}", folder.string(), error.message()));
  std::sort(found.begin(), found.end(),
            [](const FoundFile& a, const FoundFile& b) { return a.label < b.label; });
  out.insert(out.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

}  // namespace

std::vector<FoundFile> find_files(const std::vector<std::string>& paths) {
  std::vector<FoundFile> out;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      const std::size_t before = out.size();
      look_into(path, out);
      if (out.size() == before) throw result::UsageError(fmt::format("{} holds no *.json file", path));
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
    ::glob_t found{};
    const std::size_t before = out.size();
    if (::glob(path.c_str(), 0, nullptr, &found) == 0)
      out.insert(out.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    if (out.size() == before) throw result::UsageError(fmt::format("no file matches {}", path));
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

std::string_view schema_of(std::string_view text) {
  const std::string_view head = text.substr(0, 256);
  constexpr std::string_view ours = "\"gpugauge.";
  const auto schema = head.find("\"schema\"");
  const auto name = schema == std::string_view::npos ? schema : head.find(ours, schema);
  if (name == std::string_view::npos) return {};
  const std::string_view begun = head.substr(name + 1);
  return begun.substr(0, begun.find('"'));
}

bool of_another_schema(std::string_view text) {
  const std::string_view schema = schema_of(text);
  return !schema.empty() && !schema.starts_with("gpugauge.run/");
}

std::string from_the_future(const std::string& what, const std::string& started) {
  constexpr double day = 86400;  // clocks that are stepped, and those of two machines, differ by less
  const auto began = result::unix_seconds(started);
  if (!began || *began <= static_cast<double>(std::time(nullptr)) + day) return "";
  return fmt::format(
      "{} is dated {}, later than now: the clock of this machine is wrong, or that of the machine that "
      "recorded it was",
      what, result::shortened(started));
}

}  // namespace gpugauge::cli
