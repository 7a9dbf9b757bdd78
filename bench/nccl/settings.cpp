#include "nccl/settings.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include "result/text.hpp"

namespace gpugauge::bench::nccl {

namespace {

/// How NCCL reads a value. number: as strtoll with base 0, and none where it is out of range. list: of names with
/// commas, in any order, unless it has one of ^ : ; kernel: a name as it stands, "^" for any, "" for none. The others:
/// level_in(), policy_in().
enum class Reads { word, number, list, kernel, level, policy };

struct Variable {
  const char* name;
  Reads reads;
  std::optional<long long> usual = std::nullopt;  ///< what NCCL 2.20 to 2.30 take where it is not set
};

// Each rank computes the algorithm, protocol, channels, threads and pieces of a collective for itself, and the
// network's transport of a connection by itself. Where these differ, kernels wait for data that never comes.
// Names: docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html, and src/ of NCCL for those that the page
// leaves out. That ranks must share them: NVIDIA/nccl issues 626 (by a maintainer) and 1136 (a hang by
// NCCL_NET_OVERHEAD alone). Sorted.
constexpr std::array of_all{
    Variable{"NCCL_ALGO", Reads::list},
    Variable{"NCCL_ALLOC_P2P_NET_LL_BUFFERS", Reads::number, 0},
    Variable{"NCCL_BUFFSIZE", Reads::number},
    Variable{"NCCL_CHUNK_SIZE", Reads::number},
    Variable{"NCCL_COLLNET_NODE_THRESHOLD", Reads::number},
    Variable{"NCCL_CTA_POLICY", Reads::policy},
    Variable{"NCCL_CUMEM_ENABLE", Reads::number},
    Variable{"NCCL_IB_DISABLE", Reads::number, 0},
    Variable{"NCCL_IB_QPS_PER_CONNECTION", Reads::number, 1},
    Variable{"NCCL_IB_SPLIT_DATA_ON_QPS", Reads::number, 0},
    Variable{"NCCL_LL128_BUFFSIZE", Reads::number},
    Variable{"NCCL_LL128_C2C", Reads::number, 1},
    Variable{"NCCL_LL128_NTHREADS", Reads::number},
    Variable{"NCCL_LL_BUFFSIZE", Reads::number},
    Variable{"NCCL_LL_THRESHOLD", Reads::number},
    Variable{"NCCL_MAX_CTAS", Reads::number},
    Variable{"NCCL_MAX_NCHANNELS", Reads::number},
    Variable{"NCCL_MAX_NRINGS", Reads::number},
    Variable{"NCCL_MAX_P2P_NCHANNELS", Reads::number},
    Variable{"NCCL_MIN_CTAS", Reads::number},
    Variable{"NCCL_MIN_NCHANNELS", Reads::number},
    Variable{"NCCL_MIN_NRINGS", Reads::number},
    Variable{"NCCL_MIN_P2P_NCHANNELS", Reads::number},
    Variable{"NCCL_MNNVL_ENABLE", Reads::number},
    Variable{"NCCL_NCHANNELS_PER_NET_PEER", Reads::number},
    Variable{"NCCL_NET", Reads::word},
    Variable{"NCCL_NET_OVERHEAD", Reads::number},
    Variable{"NCCL_NET_SHARED_COMMS", Reads::number, 1},
    Variable{"NCCL_NTHREADS", Reads::number},
    Variable{"NCCL_NVLSTREE_MAX_CHUNKSIZE", Reads::number},
    Variable{"NCCL_NVLS_CHUNKSIZE", Reads::number},
    Variable{"NCCL_NVLS_NCHANNELS", Reads::number},
    Variable{"NCCL_P2P_LL_THRESHOLD", Reads::number},
    Variable{"NCCL_P2P_NET_CHUNKSIZE", Reads::number},
    Variable{"NCCL_P2P_NVL_CHUNKSIZE", Reads::number},
    Variable{"NCCL_P2P_PCI_CHUNKSIZE", Reads::number},
    Variable{"NCCL_P2P_SCHEDULE_GROUP_SIZE", Reads::number},
    Variable{"NCCL_PAT_ENABLE", Reads::number, 2},
    Variable{"NCCL_PROTO", Reads::list},
    Variable{"NCCL_RUNTIME_CONNECT", Reads::number, 1},
    Variable{"NCCL_SINGLE_RING_THRESHOLD", Reads::number},
    Variable{"NCCL_SYM_CTAS", Reads::number},
    Variable{"NCCL_SYM_KERNEL", Reads::kernel},
    Variable{"NCCL_THREAD_THRESHOLDS", Reads::word},
    Variable{"NCCL_TREE_THRESHOLD", Reads::number},
    Variable{"NCCL_UNPACK_DOUBLE_NCHANNELS", Reads::number, 1},
    Variable{"NCCL_WIN_ENABLE", Reads::number, 1},
};

// Both ends of a connection within a node choose its transport (selectTransport in src/transport.cc), each by
// its own variables. Nodes that are built differently may have others.
constexpr std::array of_a_node{
    Variable{"NCCL_CUMEM_HOST_ENABLE", Reads::number},
    Variable{"NCCL_NET_DISABLE_INTRA", Reads::number, 0},
    Variable{"NCCL_NVB_DISABLE", Reads::number, 0},
    Variable{"NCCL_P2P_DIRECT_DISABLE", Reads::number, 0},
    Variable{"NCCL_P2P_DISABLE", Reads::number, 0},
    Variable{"NCCL_P2P_LEVEL", Reads::level},
    Variable{"NCCL_P2P_READ_ENABLE", Reads::number},
    Variable{"NCCL_P2P_USE_CUDA_MEMCPY", Reads::number, 0},
    Variable{"NCCL_SHM_DISABLE", Reads::number, 0},
    Variable{"NCCL_SHM_MEMCPY_MODE", Reads::number},
    Variable{"NCCL_SHM_USE_CUDA_MEMCPY", Reads::number, 0},
};

// NCCL takes the least over all ranks (initTransportsRank in src/init.cc), so they may differ: nodes with and
// without NVSwitches do.
constexpr std::array settled_by_nccl{
    Variable{"NCCL_COLLNET_ENABLE", Reads::number},
    Variable{"NCCL_NVLS_ENABLE", Reads::number, 2},
};

bool begins_with_digit(const std::string& text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

/// The name of a distance, in capitals, or a number from the time before there were names (ncclGetLevel in
/// src/graph/paths.cc). nullopt for another text, which NCCL passes over.
std::optional<std::string> level_in(const std::string& text) {
  constexpr std::array names{"LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS"};
  constexpr std::array by_number{"LOC", "PIX", "PXB", "PHB", "SYS"};
  if (std::find(names.begin(), names.end(), text) != names.end()) return text;
  if (!begins_with_digit(text)) return std::nullopt;
  const long number = std::strtol(text.c_str(), nullptr, 0);
  return by_number[static_cast<std::size_t>(std::min<long>(number, by_number.size() - 1))];
}

/// What comes of NCCL_CTA_POLICY; nullopt for the usual policy, "default". From 2.29 on it is one digit or names with |
/// between them, and zero excludes efficiency; before, a number (src/init.cc).
std::optional<std::string> policy_in(const std::string& text, int nccl_version) {
  constexpr int first_with_zero = 22800;
  constexpr int first_with_names = 22900;
  bool efficiency = false;
  bool zero = false;
  if (nccl_version < first_with_names) {
    const long long number = std::strtoll(text.c_str(), nullptr, 0);
    efficiency = number == 1;
    zero = number == 2 && nccl_version >= first_with_zero;
  } else if (begins_with_digit(text)) {
    efficiency = text.front() == '1';
    zero = text.front() == '2';
  } else {
    for (const std::string& name : result::split(result::lower(text), '|')) {
      efficiency = efficiency || name == "efficiency";
      zero = zero || name == "zero";
    }
  }
  return zero         ? std::optional<std::string>("zero")
         : efficiency ? std::optional<std::string>("efficiency")
                      : std::nullopt;
}

/// The value in one form for all texts that mean the same to NCCL; nullopt where it means the same as none.
std::optional<std::string> as_nccl_reads(const Variable& variable, const std::string& text,
                                         int nccl_version) {
  if (variable.reads == Reads::level) return level_in(text);
  if (variable.reads == Reads::policy) return policy_in(text, nccl_version);
  // NCCL takes no kernel where none has the name (kernelMask_user in src/sym_kernels.cc): "" is as good as "none".
  if (variable.reads == Reads::kernel)
    return text == "^" ? std::nullopt : std::optional(text.empty() ? "none" : text);
  std::string value = result::lower(text);
  if (variable.reads == Reads::number) {
    errno = 0;
    const long long number = std::strtoll(value.c_str(), nullptr, 0);
    if (errno != 0 || number == variable.usual) return std::nullopt;
    return std::to_string(number);
  }
  if (variable.reads == Reads::list && value.find_first_of("^:;") == std::string::npos) {
    const std::vector<std::string> entries = result::split(value, ',');
    std::set<std::string> names(entries.begin(), entries.end());
    names.erase("");
    if (!names.empty()) return fmt::format("{}", fmt::join(names, ","));
  }
  return value;
}

std::optional<Setting> read_alone(const Configuration& configuration, const Variable& variable) {
  const auto found = variable.reads == Reads::kernel ? configuration.as_set(variable.name)
                                                     : configuration.find(variable.name);
  auto value = found ? as_nccl_reads(variable, found->value, configuration.nccl_version()) : std::nullopt;
  return value ? std::optional(Setting{std::move(*value), found->file}) : std::nullopt;
}

std::optional<Setting> compared_form(const Configuration& configuration, const Variable& variable) {
  constexpr Variable disable{"NCCL_P2P_DISABLE", Reads::number};
  constexpr Variable level{"NCCL_P2P_LEVEL", Reads::level};
  const bool is_disable = variable.name == std::string_view(disable.name);
  if (!is_disable && variable.name != std::string_view(level.name))
    return read_alone(configuration, variable);
  // NCCL makes one level of both: 1 disables, and any other number says nothing.
  auto said = read_alone(configuration, disable);
  if (said && said->value == "1") return is_disable ? said : std::nullopt;
  said = read_alone(configuration, level);
  const bool nowhere = said && said->value == "LOC";
  if (!is_disable) return nowhere ? std::nullopt : said;
  return nowhere ? std::optional(Setting{"1", said->file}) : std::nullopt;
}

std::optional<std::string> text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::map<std::string, std::string> nccl_variables() {
  std::map<std::string, std::string> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string line(*entry);
    const std::size_t equals = line.find('=');
    if (line.starts_with("NCCL_") && equals != std::string::npos)
      found.try_emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return found;
}

// Newer versions ask the environment, older ones the user database.
std::string home_folder() {
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0') return home;
  const passwd* const user = getpwuid(getuid());
  return user == nullptr || user->pw_dir == nullptr ? "" : user->pw_dir;
}

}  // namespace

std::vector<std::string> configuration_files(int nccl_version, const std::string& conf_file,
                                             const std::string& home) {
  constexpr int first_with_conf_file = 22304;
  std::vector<std::string> paths;
  if (nccl_version >= first_with_conf_file && !conf_file.empty())
    paths.push_back(conf_file);
  else if (!home.empty())
    paths.push_back(home + "/.nccl.conf");
  paths.emplace_back("/etc/nccl.conf");
  return paths;
}

// As NCCL reads a line: the name reaches to the first '=', the value to the end, and blanks belong to them.
Configuration::Configuration(result::Lookup environment,
                             const std::vector<std::pair<std::string, std::string>>& files, int nccl_version)
    : environment_(std::move(environment)), nccl_version_(nccl_version) {
  for (const auto& [path, text] : files)
    for (std::string line : result::split(text, '\n')) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      const std::size_t equals = line.find('=');
      if (line.starts_with('#') || equals == std::string::npos) continue;
      from_files_.try_emplace(line.substr(0, equals), Setting{line.substr(equals + 1), path});
    }
}

std::optional<Setting> Configuration::find(const std::string& name) const {
  auto setting = as_set(name);
  return setting && !setting->value.empty() ? std::move(setting) : std::nullopt;
}

std::optional<Setting> Configuration::as_set(const std::string& name) const {
  if (auto value = environment_(name.c_str())) return Setting{std::move(*value), ""};
  const auto found = from_files_.find(name);
  return found == from_files_.end() ? std::nullopt : std::optional(found->second);
}

Configuration configuration_here(int nccl_version) {
  std::vector<std::pair<std::string, std::string>> files;
  const std::string conf_file = result::from_environment("NCCL_CONF_FILE").value_or("");
  for (const std::string& path : configuration_files(nccl_version, conf_file, home_folder()))
    if (auto text = text_of(path)) files.emplace_back(path, std::move(*text));
  return {[variables = nccl_variables()](const char* name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
          },
          files, nccl_version};
}

void add_settings(const Configuration& configuration, result::Facts& facts) {
  const auto add = [&](const std::string& kind, const Variable& variable) {
    const auto setting = compared_form(configuration, variable);
    if (!setting) return;
    facts[kind + variable.name] = setting->value;
    if (!setting->file.empty()) facts[std::string("from.") + variable.name] = setting->file;
  };
  for (const Variable& variable : of_all) add("setting.", variable);
  for (const Variable& variable : of_a_node) add("node_setting.", variable);
}

std::string settings_text(const Configuration& configuration) {
  std::map<std::string, std::string> by_name;
  const auto add = [&](const Variable& variable) {
    if (auto setting = compared_form(configuration, variable))
      by_name[variable.name] = std::move(setting->value);
  };
  for (const Variable& variable : of_all) add(variable);
  for (const Variable& variable : of_a_node) add(variable);
  for (const Variable& variable : settled_by_nccl) add(variable);
  std::string text;
  for (const auto& [name, value] : by_name)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "none" : text;
}

}  // namespace gpugauge::bench::nccl
