#include "nccl/log.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <sstream>

namespace gpugauge::bench::nccl {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Numbers of older versions, in the order of NCCL's own tables.
std::string algorithm_name(const std::string& word) {
  constexpr std::array names{"tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
  if (word.size() == 1 && word[0] >= '0' && word[0] - '0' < static_cast<int>(names.size()))
    return names[static_cast<std::size_t>(word[0] - '0')];
  return lower(word);
}

std::string protocol_name(const std::string& word) {
  constexpr std::array names{"ll", "ll128", "simple"};
  if (word.size() == 1 && word[0] >= '0' && word[0] - '0' < static_cast<int>(names.size()))
    return names[static_cast<std::size_t>(word[0] - '0')];
  return lower(word);
}

/// "NET/IB/0(3)/GDRDMA" and "NET/IB/1/GDRDMA" are one kind of path: the device's number is left out. So is
/// what old versions write behind it (" comm 0x5575... nRanks 02").
std::string path_of(std::string text) {
  text = text.substr(0, text.find(" comm "));
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  static const std::regex device(R"(/\d+(\(\d+\))?(?=/|$))");
  return text.rfind("NET/", 0) == 0 ? std::regex_replace(text, device, "") : text;
}

std::optional<int> count_before(const std::string& line, const char* words) {
  const std::regex pattern("(\\d+) " + std::string(words));
  std::smatch match;
  if (!std::regex_search(line, match, pattern)) return std::nullopt;
  return std::stoi(match[1]);
}

std::string behind(const std::string& line, const std::string& words) {
  const std::size_t at = line.find(words);
  if (at == std::string::npos) return "";
  std::string rest = line.substr(at + words.size());
  while (!rest.empty() && (rest.back() == '\r' || rest.back() == ' ' || rest.back() == '.')) rest.pop_back();
  return rest;
}

void read_choice(const std::string& line, Log& log) {
  static const std::regex choice(
      R"((?:(\w+): )?(\d+) Bytes -> Algo (\w+) proto (\w+)(?: channel\{Lo\.\.Hi\}=\{(\d+\.\.\d+)\})?)");
  static const std::regex symmetric(R"((\w+) \[Symmetric\]: (\d+) Bytes -> Kernel (\S+))");
  std::smatch match;
  if (std::regex_search(line, match, choice))
    log.choices.push_back(
        {match[1], std::stoull(match[2]), algorithm_name(match[3]), protocol_name(match[4]), match[5]});
  else if (std::regex_search(line, match, symmetric))
    log.choices.push_back({match[1], std::stoull(match[2]), "symmetric", match[3], ""});
}

void read_network(const std::string& line, Log& log) {
  if (const std::string name = behind(line, "Using network "); !name.empty()) log.network = name;
  if (line.find("NET/Plugin") == std::string::npos) return;
  if (std::string name = behind(line, "Loaded net plugin "); !name.empty())
    log.plugin = name.substr(0, name.find(" (v"));
  else if (log.plugin.empty() && (line.find("No plugin found") != std::string::npos ||
                                  line.find("sing internal net") != std::string::npos ||
                                  line.find("Could not find") != std::string::npos))
    log.plugin = "none";
}

}  // namespace

Log parse_log(const std::string& text) {
  Log log;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t warning = line.find("NCCL WARN "); warning != std::string::npos) {
      log.warnings.push_back(line.substr(warning + 10));
      continue;
    }
    if (log.version.empty()) {
      const std::string version = behind(line, "NCCL version ");
      if (!version.empty()) log.version = version.substr(0, version.find(' '));
    }
    if (line.find(" -> ") != std::string::npos && line.find(" via ") != std::string::npos)
      ++log.paths[path_of(line.substr(line.find(" via ") + 5))];
    if (line.find("coll channels") != std::string::npos) {
      log.collective_channels = count_before(line, "coll channels");
      log.nvls_channels = count_before(line, "nvls channels");
      log.point_to_point_channels = count_before(line, "p2p channels(?! per)");
    }
    log.rings = log.rings || line.find("Connected all rings") != std::string::npos;
    log.trees = log.trees || line.find("Connected all trees") != std::string::npos;
    log.nvls_tree = log.nvls_tree || line.find("Connected NVLS tree") != std::string::npos;
    read_network(line, log);
    if (line.find(" Bytes -> ") != std::string::npos) read_choice(line, log);
  }
  return log;
}

std::string transport_of(const Log& log) {
  const auto any = [&](const char* start) {
    return std::any_of(log.paths.begin(), log.paths.end(),
                       [&](const auto& path) { return path.first.rfind(start, 0) == 0; });
  };
  if (any("NET/Socket")) return "socket";
  if (any("NET/IB")) return "ib";
  if (any("NET/")) return "net";
  if (any("SHM")) return "shm";
  return any("P2P") ? "p2p" : "";
}

}  // namespace gpugauge::bench::nccl
