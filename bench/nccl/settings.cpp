#include "nccl/settings.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "result/text.hpp"

namespace gpugauge::bench::nccl {

namespace {

// Each rank computes the algorithm, protocol, channels, threads and pieces of a collective for itself, and the
// network's transport of a connection by itself. Where these differ, kernels wait for data that never comes.
// Names: docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html, and src/ of NCCL for those that the page
// leaves out. That ranks must share them: NVIDIA/nccl issues 626 (by a maintainer) and 1136 (a hang by
// NCCL_NET_OVERHEAD alone). Sorted.
constexpr std::array of_all{
    "NCCL_ALGO",
    "NCCL_ALLOC_P2P_NET_LL_BUFFERS",
    "NCCL_BUFFSIZE",
    "NCCL_CGA_CLUSTER_SIZE",
    "NCCL_CHUNK_SIZE",
    "NCCL_COLLNET_ENABLE",
    "NCCL_COLLNET_NODE_THRESHOLD",
    "NCCL_CTA_POLICY",
    "NCCL_CUMEM_ENABLE",
    "NCCL_IB_DISABLE",
    "NCCL_IB_QPS_PER_CONNECTION",
    "NCCL_IB_SPLIT_DATA_ON_QPS",
    "NCCL_LL128_BUFFSIZE",
    "NCCL_LL128_C2C",
    "NCCL_LL128_NTHREADS",
    "NCCL_LL_BUFFSIZE",
    "NCCL_LL_THRESHOLD",
    "NCCL_MAX_CTAS",
    "NCCL_MAX_NCHANNELS",
    "NCCL_MAX_NRINGS",
    "NCCL_MAX_P2P_NCHANNELS",
    "NCCL_MIN_CTAS",
    "NCCL_MIN_NCHANNELS",
    "NCCL_MIN_NRINGS",
    "NCCL_MIN_P2P_NCHANNELS",
    "NCCL_MNNVL_ENABLE",
    "NCCL_NCHANNELS_PER_NET_PEER",
    "NCCL_NET",
    "NCCL_NET_OVERHEAD",
    "NCCL_NTHREADS",
    "NCCL_NVLSTREE_MAX_CHUNKSIZE",
    "NCCL_NVLS_CHUNKSIZE",
    "NCCL_NVLS_ENABLE",
    "NCCL_NVLS_NCHANNELS",
    "NCCL_P2P_LL_THRESHOLD",
    "NCCL_P2P_NET_CHUNKSIZE",
    "NCCL_P2P_NVL_CHUNKSIZE",
    "NCCL_P2P_PCI_CHUNKSIZE",
    "NCCL_P2P_SCHEDULE_GROUP_SIZE",
    "NCCL_PAT_ENABLE",
    "NCCL_PROTO",
    "NCCL_RUNTIME_CONNECT",
    "NCCL_SINGLE_RING_THRESHOLD",
    "NCCL_SYM_CTAS",
    "NCCL_SYM_KERNEL",
    "NCCL_THREAD_THRESHOLDS",
    "NCCL_TREE_THRESHOLD",
    "NCCL_UNPACK_DOUBLE_NCHANNELS",
    "NCCL_WIN_ENABLE",
};

// Both ends of a connection within a node choose its transport (selectTransport in src/transport.cc), each by
// its own variables. Nodes that are built differently may have others.
constexpr std::array of_a_node{
    "NCCL_CUMEM_HOST_ENABLE",  "NCCL_NET_DISABLE_INTRA",   "NCCL_NVB_DISABLE",
    "NCCL_P2P_DIRECT_DISABLE", "NCCL_P2P_DISABLE",         "NCCL_P2P_LEVEL",
    "NCCL_P2P_READ_ENABLE",    "NCCL_P2P_USE_CUDA_MEMCPY", "NCCL_SHM_DISABLE",
    "NCCL_SHM_MEMCPY_MODE",    "NCCL_SHM_USE_CUDA_MEMCPY",
};

std::optional<std::string> text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
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
                             const std::vector<std::pair<std::string, std::string>>& files)
    : environment_(std::move(environment)) {
  for (const auto& [path, text] : files)
    for (std::string line : result::split(text, '\n')) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      const std::size_t equals = line.find('=');
      if (line.starts_with('#') || equals == std::string::npos) continue;
      from_files_.try_emplace(line.substr(0, equals), Setting{line.substr(equals + 1), path});
    }
}

std::optional<Setting> Configuration::find(const std::string& name) const {
  if (auto value = environment_(name.c_str()))
    return value->empty() ? std::nullopt : std::optional(Setting{std::move(*value), ""});
  const auto found = from_files_.find(name);
  if (found == from_files_.end() || found->second.value.empty()) return std::nullopt;
  return found->second;
}

Configuration configuration_here(int nccl_version) {
  std::vector<std::pair<std::string, std::string>> files;
  const std::string conf_file = result::from_environment("NCCL_CONF_FILE").value_or("");
  for (const std::string& path : configuration_files(nccl_version, conf_file, home_folder()))
    if (auto text = text_of(path)) files.emplace_back(path, std::move(*text));
  return {result::from_environment, files};
}

void add_settings(const Configuration& configuration, result::Facts& facts) {
  const auto add = [&](const std::string& kind, const std::string& name) {
    const auto setting = configuration.find(name);
    if (!setting || (setting->value == "0" && name.ends_with("_DISABLE"))) return;
    facts[kind + name] = result::lower(setting->value);
    if (!setting->file.empty()) facts["from." + name] = setting->file;
  };
  for (const char* const name : of_all) add("setting.", name);
  for (const char* const name : of_a_node) add("node_setting.", name);
}

std::string settings_text(const Configuration& configuration) {
  result::Facts found;
  add_settings(configuration, found);
  std::map<std::string, std::string> by_name;
  for (const auto& [key, value] : found)
    if (!key.starts_with("from.")) by_name[key.substr(key.find('.') + 1)] = value;
  std::string text;
  for (const auto& [name, value] : by_name)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "none" : text;
}

}  // namespace gpugauge::bench::nccl
