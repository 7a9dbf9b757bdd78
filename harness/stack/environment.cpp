#include "stack/environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "stack/credentials.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::array prefixes{"CUDA_",  "NVIDIA_", "NCCL_", "CUBLAS_", "CUBLASLT_",
                              "CUDNN_", "OMP_",    "GOMP_", "KMP_"};
constexpr std::array names{"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "GLIBC_TUNABLES"};
// Toolkit locations of the build environment. They select a compiler and do not affect a built program.
constexpr std::array without_effect{"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};
// Not part of a fingerprint: they affect frameworks, or only select one of several installations.
constexpr std::array framework_prefixes{"TORCH_", "PYTORCH_", "TORCHINDUCTOR_", "TRITON_",  "TF_",
                                        "XLA_",   "JAX_",     "VLLM_",          "UCX_",     "OMPI_",
                                        "GLOO_",  "NVSHMEM_", "MKL_",           "OPENBLAS_"};
constexpr std::array choosing_names{"CUDA_HOME",  "CUDA_PATH",  "CUDA_ROOT",   "CONDA_PREFIX", "VIRTUAL_ENV",
                                    "PYTHONPATH", "PYTHONHOME", "LD_BIND_NOW", "CUDNN_PATH"};

bool changes_behaviour(const std::string& name) {
  const auto is_name = [&](std::string_view other) { return name == other; };
  const auto is_prefix = [&](std::string_view prefix) { return name.starts_with(prefix); };
  if (std::any_of(without_effect.begin(), without_effect.end(), is_name)) return false;
  return std::any_of(names.begin(), names.end(), is_name) ||
         std::any_of(prefixes.begin(), prefixes.end(), is_prefix);
}

/// Every entry, including empty ones; none for "".
std::vector<std::string_view> entries_of(std::string_view list, std::string_view separators) {
  std::vector<std::string_view> entries;
  for (std::size_t at = 0; !list.empty() && at <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(separators, at), list.size());
    entries.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return entries;
}

bool is_relative(std::string_view entry) {
  return !entry.starts_with('/') && !entry.starts_with("$ORIGIN") && !entry.starts_with("${ORIGIN}");
}

template <typename Choose>
result::Facts chosen_facts(const Environment& environment, const Choose& is_chosen) {
  result::Facts facts;
  for (const auto& [name, value] : environment) {
    if (is_chosen(name))
      facts["env." + name] = may_be_secret(name) ? withheld_value : words_without_credentials(value);
  }
  return facts;
}

bool concerns_stack(const std::string& name) {
  const auto is_name = [&](std::string_view other) { return name == other; };
  const auto is_prefix = [&](std::string_view prefix) { return name.starts_with(prefix); };
  return changes_behaviour(name) || std::any_of(choosing_names.begin(), choosing_names.end(), is_name) ||
         std::any_of(framework_prefixes.begin(), framework_prefixes.end(), is_prefix);
}

}  // namespace

Environment current_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view pair(*entry);
    const auto equals = pair.find('=');
    if (equals != std::string_view::npos)
      environment.emplace(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return environment;
}

std::optional<std::string> value_of(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  if (found == environment.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> relative_entries(std::string_view list, std::string_view separators) {
  std::vector<std::string> found;
  for (const std::string_view entry : entries_of(list, separators))
    if (is_relative(entry)) found.emplace_back(entry);
  return found;
}

bool drop_relative_python_path() {
  constexpr const char* name = "PYTHONPATH";
  const char* const value = std::getenv(name);
  if (value == nullptr || relative_entries(value, ":").empty()) return false;
  std::vector<std::string_view> kept = entries_of(value, ":");
  kept.erase(std::remove_if(kept.begin(), kept.end(), is_relative), kept.end());
  const std::string list = fmt::format("{}", fmt::join(kept, ":"));
  if (list.empty()) {
    ::unsetenv(name);
  } else {
    ::setenv(name, list.c_str(), 1);
  }
  return true;
}

result::Facts environment_facts(const Environment& environment) {
  return chosen_facts(environment, changes_behaviour);
}

result::Facts environment_of_stack(const Environment& environment) {
  return chosen_facts(environment, concerns_stack);
}

}  // namespace gpugauge::stack
