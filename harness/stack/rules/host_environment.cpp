// Environment variables that are easily left behind and slow work down, change results, or let others choose
// what runs.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stack/environment.hpp"
#include "stack/rules/host_parts.hpp"

namespace gpugauge::stack {
namespace {

/// The condition under which a variable counts.
enum class When { on, off, is_eager };

bool counts(When when, const std::string& value) {
  const bool zero = value == "0" || value.empty();
  if (when == When::on) return !zero;
  if (when == When::off) return value == "0";
  return value == "EAGER" || value == "eager";
}

struct Variable {
  const char* name;
  When when;
  Cause cause;
  const char* title;
  const char* explanation;
};

constexpr std::array variables{
    Variable{
        "CUDA_LAUNCH_BLOCKING", When::on, Cause("cuda_launch_blocking"),
        "CUDA_LAUNCH_BLOCKING is set: every launch waits for its kernel",
        "It is made for finding errors. Launches become synchronous, streams no longer overlap, and work "
        "made of small kernels gets several times slower."},
    Variable{
        "NVIDIA_TF32_OVERRIDE", When::off, Cause("tf32_env_override"),
        "NVIDIA_TF32_OVERRIDE=0 switches TF32 off in NVIDIA's libraries",
        "Products and convolutions of 32-bit floats then leave the Tensor Cores, whatever the program asks "
        "for; half precision is not touched."},
    Variable{"CUDA_CACHE_DISABLE", When::on, Cause("jit_cache_disabled"),
             "CUDA_CACHE_DISABLE is set: compiled PTX is not kept",
             "Programs that need PTX compiled for this GPU do it again at each start."},
    Variable{"CUDA_FORCE_PTX_JIT", When::on, Cause("ptx_jit_forced"),
             "CUDA_FORCE_PTX_JIT is set: machine code in programs is not used",
             "Every kernel is compiled from its PTX when it is first used, and a program without PTX fails."},
    Variable{"CUDA_DISABLE_PTX_JIT", When::on, Cause("ptx_jit_disabled"),
             "CUDA_DISABLE_PTX_JIT is set: PTX is not compiled",
             "A program without machine code for this GPU fails (error 223) where it would otherwise start "
             "slowly."},
    Variable{"CUDA_MODULE_LOADING", When::is_eager, Cause("eager_module_loading"),
             "CUDA_MODULE_LOADING=EAGER loads every kernel at start",
             "Programs with large libraries start more slowly and take more memory; after the start nothing "
             "changes."},
    Variable{"CUDA_INJECTION64_PATH", When::on, Cause("profiler_attached"),
             "CUDA_INJECTION64_PATH loads a tool into every CUDA program",
             "A profiler or sanitizer in the process makes launches slower and often synchronous."},
};

std::string shown(const Inventory& inventory, const std::string& name) {
  return fmt::format("{}={} (environment)", name, printable(inventory.value("env." + name), 120));
}

void check_variables(const RuleInput& input, Findings& findings) {
  for (const Variable& variable : variables) {
    const std::string name = variable.name;
    if (!input.inventory.has("env." + name) || !counts(variable.when, input.inventory.value("env." + name)))
      continue;
    Finding finding = make_finding(variable.cause, Severity::warning, variable.title, variable.explanation);
    finding.evidence = {shown(input.inventory, name)};
    finding.next = {
        fmt::format("unset {}, and find who sets it (shell profile, container image, job script)", name)};
    finding.layers = {"environment"};
    findings.push_back(std::move(finding));
  }
}

/// Where the cache is switched off its folder does not matter.
void check_jit_cache(const RuleInput& input, Findings& findings) {
  const Item* const cache = input.inventory.find("cuda.jit_cache");
  if (cache == nullptr || cache->value != "read_only" ||
      counts(When::on, input.inventory.value("env.CUDA_CACHE_DISABLE")))
    return;
  const bool asked = !input.inventory.value("env.CUDA_CACHE_PATH").empty();
  Finding finding = make_finding(
      Cause("jit_cache_disabled"), asked ? Severity::warning : Severity::note,
      "The driver's cache cannot be written: compiled PTX is not kept",
      "Programs that need PTX compiled for this GPU do it again at each start. Programs with machine code for "
      "it need no cache.");
  finding.evidence = {fmt::format("{} cannot be made or written ({})", printable(cache->source, 200),
                                  asked ? "CUDA_CACHE_PATH" : "the default, in HOME")};
  finding.next = {"set CUDA_CACHE_PATH to a folder that can be written and that lasts"};
  finding.layers = {"environment"};
  findings.push_back(std::move(finding));
}

/// True if the text names a tool's library.
bool names_a_tool(const std::string& text) {
  constexpr std::array<std::string_view, 6> parts{
      "libcupti",  "sanitizer-collection", "InterceptorInjection", "ToolsInjection",
      "libnvperf", "cuda-injection"};
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

void check_preload(const RuleInput& input, Findings& findings) {
  const std::string preload = input.inventory.value("env.LD_PRELOAD");
  if (!names_a_tool(preload)) return;
  Finding finding = make_finding(Cause("profiler_attached"), Severity::warning,
                                 "LD_PRELOAD loads a CUDA profiler or sanitizer into every program",
                                 "A tool in the process makes launches slower and often synchronous.");
  finding.evidence = {shown(input.inventory, "LD_PRELOAD")};
  finding.next = {"unset LD_PRELOAD, and find who sets it"};
  finding.layers = {"environment"};
  findings.push_back(std::move(finding));
}

/// True if an entry is relative. In a redacted inventory a folder's placeholder does not count.
bool leads_to_working_folder(const std::string& list, const char* separators) {
  const std::vector<std::string> entries = relative_entries(list, separators);
  return std::any_of(entries.begin(), entries.end(),
                     [](const std::string& entry) { return !entry.starts_with("home-folder-"); });
}

void check_search_paths(const RuleInput& input, Findings& findings) {
  struct SearchPath {
    const char* name;
    const char* separators;
  };
  constexpr std::array paths{SearchPath{"LD_LIBRARY_PATH", ":;"}, SearchPath{"PYTHONPATH", ":"}};
  std::vector<std::string> evidence;
  std::vector<std::string> next;
  for (const auto& [name, separators] : paths) {
    if (!leads_to_working_folder(input.inventory.value(fmt::format("env.{}", name)), separators)) continue;
    evidence.push_back(shown(input.inventory, name));
    next.push_back(fmt::format(
        "write every folder of {0} in full, and append to it with ${{{0}:+:${0}}}, which adds no empty entry",
        name));
  }
  if (evidence.empty()) return;
  Finding finding = make_finding(
      Cause("relative_search_path"), Severity::warning,
      "A search path of the environment leads into the working folder",
      "An empty entry (a colon at either end, or two in a row) and a relative one mean the folder that a "
      "program happens to be started in: what lies there is loaded before the system's own, and who can "
      "write "
      "there decides what runs.");
  finding.evidence = std::move(evidence);
  finding.next = std::move(next);
  finding.layers = {"environment"};
  findings.push_back(std::move(finding));
}

struct NcclSetting {
  const char* name;
  const char* value;  ///< only this value counts; "" = any
  bool slows;         ///< it disables a way of transport
};
constexpr std::array nccl_settings{
    NcclSetting{"NCCL_P2P_DISABLE", "1", true},   NcclSetting{"NCCL_SHM_DISABLE", "1", true},
    NcclSetting{"NCCL_IB_DISABLE", "1", true},    NcclSetting{"NCCL_NVLS_ENABLE", "0", true},
    NcclSetting{"NCCL_NET_GDR_LEVEL", "0", true}, NcclSetting{"NCCL_NET_GDR_LEVEL", "LOC", true},
    NcclSetting{"NCCL_P2P_LEVEL", "0", true},     NcclSetting{"NCCL_P2P_LEVEL", "LOC", true},
    NcclSetting{"NCCL_NET", "Socket", true},      NcclSetting{"NCCL_DEBUG", "TRACE", true},
    NcclSetting{"NCCL_ALGO", "", false},          NcclSetting{"NCCL_PROTO", "", false},
    NcclSetting{"NCCL_MAX_NCHANNELS", "", false}, NcclSetting{"NCCL_MIN_NCHANNELS", "", false},
    NcclSetting{"NCCL_MAX_CTAS", "", false},      NcclSetting{"NCCL_BUFFSIZE", "", false},
    NcclSetting{"NCCL_NTHREADS", "", false},      NcclSetting{"NCCL_CUMEM_ENABLE", "0", false},
    NcclSetting{"NCCL_CROSS_NIC", "", false},     NcclSetting{"NCCL_TOPO_FILE", "", false},
    NcclSetting{"NCCL_GRAPH_FILE", "", false},    NcclSetting{"NCCL_TUNER_CONFIG_PATH", "", false},
};

struct Assignment {
  std::string name;
  std::string value;
  const char* place;
};

/// NCCL's settings from the environment and from /etc/nccl.conf.
std::vector<Assignment> nccl_assignments(const Inventory& inventory) {
  std::vector<Assignment> found;
  for (const std::string& name : inventory.children("env"))
    if (name.starts_with("NCCL_")) found.push_back({name, inventory.value("env." + name), "environment"});
  const std::string file = inventory.value("file.nccl_conf");
  for (std::size_t at = 0; at < file.size();) {
    const std::size_t end = std::min(file.find_first_of(" \t\r\n", at), file.size());
    const std::string word = file.substr(at, end - at);
    const auto equals = word.find('=');
    if (equals != std::string::npos)
      found.push_back({word.substr(0, equals), word.substr(equals + 1), "/etc/nccl.conf"});
    at = end + 1;
  }
  return found;
}

void check_nccl_environment(const RuleInput& input, Findings& findings) {
  std::vector<std::string> evidence;
  bool slows = false;
  for (const Assignment& set : nccl_assignments(input.inventory)) {
    const auto hit = std::find_if(nccl_settings.begin(), nccl_settings.end(), [&](const NcclSetting& row) {
      return set.name == row.name && (row.value[0] == '\0' || set.value == row.value);
    });
    if (hit == nccl_settings.end()) continue;
    slows = slows || hit->slows;
    evidence.push_back(
        fmt::format("{}={} ({})", printable(set.name, 60), printable(set.value, 100), set.place));
  }
  if (evidence.empty()) return;
  Finding finding = make_finding(
      Cause("nccl_env_leftover"), slows ? Severity::warning : Severity::note,
      slows ? "A setting of NCCL takes a fast way of transport away or slows it"
            : "Settings of NCCL override what it would choose itself",
      "Such settings come from an earlier search for an error or from another machine's tuning, and outlive "
      "their reason; collectives then take a slower way without any error.");
  finding.evidence = std::move(evidence);
  finding.next = {"Measure once without them; NCCL_DEBUG=INFO lists what was set and by whom"};
  finding.layers = {"nccl", "environment"};
  findings.push_back(std::move(finding));
}

/// Reports variables that are often intended but can explain a difference between machines.
void check_tuning(const RuleInput& input, Findings& findings) {
  constexpr std::array names{"CUDA_DEVICE_MAX_CONNECTIONS",
                             "CUBLAS_WORKSPACE_CONFIG",
                             "CUBLASLT_LOG_LEVEL",
                             "CUBLAS_LOGINFO_DBG",
                             "CUDNN_LOGLEVEL_DBG",
                             "CUDNN_LOGINFO_DBG",
                             "CUDA_ENABLE_COREDUMP_ON_EXCEPTION",
                             "CUDA_CACHE_MAXSIZE",
                             "LD_AUDIT"};
  std::vector<std::string> evidence;
  for (const std::string name : names)
    if (input.inventory.has("env." + name)) evidence.push_back(shown(input.inventory, name));
  const std::string preload = input.inventory.value("env.LD_PRELOAD");
  if (!preload.empty() && !names_a_tool(preload)) evidence.push_back(shown(input.inventory, "LD_PRELOAD"));
  if (evidence.empty()) return;
  Finding finding = make_finding(
      Cause("environment_tuning"), Severity::note, "Environment variables change how CUDA's libraries work",
      "They may be meant; when two machines differ in speed or results, compare these first.");
  finding.evidence = std::move(evidence);
  finding.next = {"Run once without them to see what they do"};
  finding.layers = {"environment"};
  findings.push_back(std::move(finding));
}

}  // namespace

void check_environment(const RuleInput& input, Findings& findings) {
  check_variables(input, findings);
  check_jit_cache(input, findings);
  check_preload(input, findings);
  check_search_paths(input, findings);
  check_nccl_environment(input, findings);
  check_tuning(input, findings);
}

}  // namespace gpugauge::stack
