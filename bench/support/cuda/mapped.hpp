// Which files of NVIDIA's libraries this process has mapped: what was really loaded, not what was requested.
#pragma once

#include <istream>
#include <map>
#include <string>

namespace gpugauge::bench::cuda {

/// Reads the text of /proc/PID/maps and maps each library's name, up to ".so", to its real path. Two files of
/// one name are joined with ":" in order of address; that is itself a finding.
inline std::map<std::string, std::string> mapped_libraries(std::istream& maps) {
  std::map<std::string, std::string> found;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t start = line.find('/');
    if (start == std::string::npos) continue;
    const std::string path = line.substr(start);
    const std::string file = path.substr(path.rfind('/') + 1);
    const std::size_t end = file.find(".so");
    if (end == std::string::npos) continue;
    const std::string name = file.substr(0, end);
    if (name.rfind("libcu", 0) != 0 && name.rfind("libnv", 0) != 0 && name.rfind("libnccl", 0) != 0) continue;
    if (name.rfind("libcurl", 0) == 0) continue;
    std::string& paths = found[name];
    if ((":" + paths + ":").find(":" + path + ":") != std::string::npos) continue;
    paths += (paths.empty() ? "" : ":") + path;
  }
  return found;
}

}  // namespace gpugauge::bench::cuda
