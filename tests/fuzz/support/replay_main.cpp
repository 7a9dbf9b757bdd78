// Reads files once through a target, without a fuzzer: replay TARGET FILE_OR_FOLDER_OR_LIST...
// A file whose name ends in .seeds names files below the source folder, one a line, * for any characters.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <glob.h>

#include "fuzz/support/target.hpp"

namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  return bytes.str();
}

/// The files that a list names; one that names none is a fault of the list.
std::vector<fs::path> listed(const fs::path& list) {
  std::vector<fs::path> files;
  std::istringstream lines(bytes_of(list));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    ::glob_t found{};
    const int code = ::glob((fs::path(GPUGAUGE_SOURCE_DIR) / line).c_str(), 0, nullptr, &found);
    for (std::size_t i = 0; code == 0 && i < found.gl_pathc; ++i) files.emplace_back(found.gl_pathv[i]);
    ::globfree(&found);
    if (code != 0) std::fprintf(stderr, "%s: nothing is there: %s\n", list.c_str(), line.c_str());
    if (code != 0) return {};
  }
  return files;
}

std::vector<fs::path> files_of(const fs::path& given) {
  if (given.extension() == ".seeds") return listed(given);
  if (!fs::is_directory(given)) return {given};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(given))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  if (wanted == "--list") {
    for (const auto* target : gpugauge::fuzz::targets()) std::printf("%s\n", target->name().c_str());
    return 0;
  }
  for (const auto* target : gpugauge::fuzz::targets()) {
    if (target->name() != wanted) continue;
    std::size_t count = 0;
    for (int i = 2; i < argc; ++i) {
      const std::vector<fs::path> files = files_of(argv[i]);
      if (files.empty()) return std::fprintf(stderr, "%s holds nothing to read\n", argv[i]), 1;
      for (const fs::path& file : files) {
        // Where a fault ends the process, this is the last line.
        std::printf("%s\n", file.c_str());
        std::fflush(stdout);
        target->read()(bytes_of(file));
        ++count;
      }
    }
    std::printf("%s: %zu files read\n", wanted.c_str(), count);
    return count == 0 ? 1 : 0;
  }
  std::fprintf(stderr, "there is no target %s; --list names them\n", wanted.c_str());
  return 2;
}
