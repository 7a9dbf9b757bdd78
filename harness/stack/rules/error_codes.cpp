// Explains an error code with evidence from this machine.
#include "stack/rules/error_codes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "result/error.hpp"
#include "result/number.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/rules/support.hpp"

namespace gpugauge::stack {
namespace {

/// The items to check on a machine with this code, and the findings that explain it.
struct Look {
  std::string_view api;
  int code;
  std::vector<Labelled> items;      ///< machine-wide items
  std::vector<Labelled> gpu_facts;  ///< items of each GPU
  std::vector<Cause> causes;
  bool log = false;  ///< also check the kernel log for GPU errors
};

/// Short names for the table below; outside it they would hide other names.
namespace looked_at {

constexpr std::string_view cuda = "cuda";
constexpr std::string_view nvml = "nvml";

constexpr Labelled loaded_module{"driver.kernel_module_version", "kernel module"};
constexpr Labelled libcuda{"driver.libcuda_version", "libcuda"};
constexpr Labelled libcuda_path{"driver.libcuda_path", "libcuda.so.1"};
constexpr Labelled libnvml{"driver.libnvml_version", "libnvidia-ml"};
constexpr Labelled libnvml_path{"driver.libnvml_path", "libnvidia-ml.so.1"};
constexpr Labelled driver_version{"driver.version", "driver"};
constexpr Labelled cuda_max{"driver.cuda_max", "newest CUDA of the driver:"};
constexpr Labelled runtime{"library.cudart.0.version", "CUDA runtime"};
constexpr Labelled toolkit{"toolkit.0.version", "toolkit"};
constexpr Labelled nodes{"driver.device_nodes", "device nodes:"};
constexpr Labelled uvm{"driver.uvm", "module nvidia_uvm"};
constexpr Labelled cuda_devices{"cuda.devices", "devices that CUDA shows:"};
constexpr Labelled nvml_devices{"nvml.devices", "GPUs that NVML sees:"};
constexpr Labelled visible{"env.CUDA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"};
constexpr Labelled given{"container.visible_devices", "NVIDIA_VISIBLE_DEVICES"};
constexpr Labelled capabilities{"container.driver_capabilities", "NVIDIA_DRIVER_CAPABILITIES"};
constexpr Labelled container{"container.kind", "container:"};
constexpr Labelled torch_arch{"framework.torch.arch_list", "PyTorch's architectures:"};
constexpr Labelled compat{"forward_compat.in_use", "forward compatibility in use:"};
constexpr Labelled manager{"fabric_manager.state", "fabric manager:"};
constexpr Labelled manager_version{"fabric_manager.version", "its version"};
constexpr Labelled nvswitch{"topology.nvswitch", "NVSwitch:"};
constexpr Labelled confidential{"driver.confidential_computing", "confidential computing:"};
constexpr Labelled persistenced{"driver.persistenced", "nvidia-persistenced:"};
constexpr Labelled nouveau{"driver.nouveau", "nouveau:"};
constexpr Labelled secure_boot{"driver.secure_boot", "Secure Boot:"};
constexpr Labelled module_here{"driver.module_for_running_kernel", "module for the running kernel:"};
constexpr Labelled mig{"mig", "MIG"};
constexpr Labelled mode{"compute_mode", "compute mode"};
constexpr Labelled processes{"processes", "other processes:"};
constexpr Labelled memory{"memory_mib", "memory in MiB:"};
constexpr Labelled capability{"compute_capability", "compute capability"};
constexpr Labelled name{"name", "model"};
constexpr Labelled lost{"lost", "lost:"};
constexpr Labelled uncorrected{"ecc_uncorrected_volatile", "uncorrected errors since the driver started:"};
constexpr Labelled remap{"remap_pending", "row remapping pending:"};
constexpr Labelled fabric{"fabric_state", "fabric state"};

}  // namespace looked_at

const auto& looks() {
  using namespace looked_at;  // NOLINT(google-build-using-namespace)
  static const std::array table{
      Look{cuda,
           2,
           {},
           {memory, processes, mig},
           {"other_processes", "mig_left_enabled", "compute_mode_restricts"}},
      Look{cuda,
           3,
           {loaded_module, nodes, container},
           {},
           {"umd_kmd_mismatch", "device_nodes_missing", "cuda_start_failed"}},
      Look{cuda, 34, {libcuda_path, {"env.LD_LIBRARY_PATH", "LD_LIBRARY_PATH"}}, {}, {"driver_library_stub"}},
      Look{cuda,
           35,
           {libcuda_path, driver_version, cuda_max, runtime, toolkit, container},
           {},
           {"no_nvidia_hardware", "driver_not_installed", "driver_library_missing",
            "container_without_driver", "driver_too_old", "toolkit_newer_than_driver",
            "framework_newer_than_driver", "container_newer_than_host", "library_newer_than_driver"}},
      Look{cuda,
           46,
           {},
           {mode, processes, mig},
           {"compute_mode_restricts", "other_processes", "xid_seen", "gpu_lost"},
           true},
      Look{cuda,
           100,
           {visible, given, cuda_devices, nvml_devices, nodes, container},
           {mig, mode},
           {"no_visible_device", "mig_left_enabled", "no_nvidia_hardware", "device_nodes_missing",
            "container_without_driver", "gpu_reserved_for_vm", "nouveau_loaded", "gpus_hidden",
            "gpu_generation_not_driven"}},
      Look{cuda,
           101,
           {visible, given, cuda_devices, nvml_devices},
           {lost},
           {"gpus_hidden", "gpu_count_differs", "gpu_lost", "no_visible_device"},
           true},
      Look{cuda,
           209,
           {toolkit, torch_arch, {"framework.torch.version", "PyTorch"}},
           {capability},
           {"arch_not_in_binary", "gpu_dropped_by_toolkit", "old_toolkit_codegen"}},
      Look{cuda,
           214,
           {},
           {uncorrected, remap},
           {"ecc_uncorrected_errors", "hbm_row_remap", "row_remap_pending", "retired_pages_pending",
            "xid_seen"},
           true},
      Look{cuda,
           222,
           {driver_version, cuda_max, toolkit, {"library.nvrtc.0.version", "NVRTC"}},
           {},
           {"ptx_newer_than_driver", "toolkit_minor_newer_than_driver", "toolkit_newer_than_driver",
            "framework_newer_than_driver"}},
      Look{cuda,
           304,
           {nodes, uvm, container},
           {},
           {"uvm_module_bad", "device_nodes_missing", "device_access_denied"},
           true},
      Look{cuda, 700, {}, {uncorrected}, {"xid_seen", "ecc_uncorrected_errors"}, true},
      Look{cuda, 702, {}, {processes}, {"xid_seen"}, true},
      Look{cuda,
           719,
           {},
           {uncorrected, lost},
           {"xid_seen", "ecc_uncorrected_errors", "gpu_lost", "gsp_firmware"},
           true},
      Look{cuda,
           802,
           {nvswitch, manager, manager_version, loaded_module, confidential},
           {fabric},
           {"fabric_manager_down", "fabric_manager_version_mismatch", "fabric_not_ready", "kernel_kaslr_hmm",
            "confidential_computing"}},
      Look{cuda,
           803,
           {loaded_module, libcuda, libcuda_path},
           {},
           {"umd_kmd_mismatch", "driver_library_duplicate"}},
      Look{cuda,
           804,
           {libcuda_path, libcuda, compat, loaded_module},
           {name},
           {"forward_compat_on_geforce", "forward_compat_unsupported"}},
      Look{cuda,
           805,
           {{"env.CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_PIPE_DIRECTORY"}, container},
           {},
           {"mps_connection_failed"}},
      Look{cuda,
           999,
           {uvm, nodes, loaded_module},
           {},
           {"uvm_module_bad", "xid_seen", "gsp_firmware", "cuda_start_failed"},
           true},
      Look{nvml, 4, {nodes, container}, {}, {"device_access_denied"}},
      Look{nvml,
           9,
           {loaded_module, module_here, nouveau, secure_boot, container},
           {},
           {"kernel_module_missing", "nouveau_loaded", "secure_boot_rejects_module", "driver_not_installed",
            "no_nvidia_hardware", "gpu_reserved_for_vm", "open_module_required", "gpu_generation_not_driven",
            "gpu_start_failed"}},
      Look{nvml,
           12,
           {libnvml_path, libcuda_path, capabilities, container},
           {},
           {"driver_library_missing", "container_without_driver", "driver_not_installed",
            "no_nvidia_hardware"}},
      Look{nvml, 15, {}, {lost}, {"gpu_lost", "xid_seen"}, true},
      Look{nvml, 18, {loaded_module, libnvml, libnvml_path, container}, {}, {"umd_kmd_mismatch"}},
      Look{nvml, 19, {persistenced}, {processes}, {"other_processes"}},
      Look{nvml,
           999,
           {loaded_module, nodes, container},
           {},
           {"nvml_start_failed", "xid_seen", "gsp_firmware"},
           true},
  };
  return table;
}

std::string_view api_family(const ErrorCode& row) {
  return row.api == "nvml" ? looked_at::nvml : looked_at::cuda;
}

/// Adds the observations of one fact on the GPUs. GPUs with equal values share a line; GPUs without the fact
/// are left out.
void add_gpu_fact(const Inventory& inventory, const Labelled& fact, std::vector<std::string>& evidence) {
  const GpuViews gpus = gpus_of(inventory);
  std::vector<std::pair<std::string, GpuViews>> lines;
  for (const GpuView& gpu : gpus) {
    const std::string line = seen(inventory, gpu.key(fact.key), fact.label);
    if (line.empty()) continue;
    const auto known =
        std::find_if(lines.begin(), lines.end(), [&](const auto& one) { return one.first == line; });
    if (known == lines.end())
      lines.push_back({line, {gpu}});
    else
      known->second.push_back(gpu);
  }
  for (const auto& [line, some] : lines) {
    const std::string names =
        some.size() == 1 && gpus.size() > 1 ? some.front().name() : named(some, gpus.size());
    evidence.push_back(fmt::format("{}: {}", names, line));
  }
}

void look_at_machine(ErrorAnswer& answer, const Look& look, const Inventory& inventory,
                     const Findings& findings) {
  Finding seen_here;
  for (const Labelled& item : look.items) add_seen(seen_here, inventory, {item});
  for (const Labelled& fact : look.gpu_facts) add_gpu_fact(inventory, fact, seen_here.evidence);
  if (look.log) {
    add_seen(seen_here, inventory, {{"kernel_log.xid_count", "Xid messages in the kernel log:"}});
    add_entries(seen_here, inventory, "kernel_log.xid", "Xid:");
    if (!inventory.has("kernel_log.xid_count"))
      add_seen(seen_here, inventory, {{"kernel_log.readable", "kernel log"}});
  }
  answer.evidence = std::move(seen_here.evidence);
  for (const Finding& finding : findings) {
    const auto named_by = [&](const Cause& cause) { return cause.name() == finding.cause; };
    if (std::any_of(look.causes.begin(), look.causes.end(), named_by)) answer.findings.push_back(finding);
  }
}

/// The table rows for the word: one answer for CUDA, one for NVML.
std::vector<ErrorAnswer> answers_for(const Tables& tables, std::string_view api, std::optional<int> code,
                                     const std::string& wanted) {
  std::vector<ErrorAnswer> answers;
  if (!code) {  // a name: use every row with its number
    for (const ErrorCode& row : tables.error_codes)
      if (lower(row.name) == wanted && (api.empty() || api == api_family(row)))
        return answers_for(tables, api_family(row), row.code, "");
    return answers;
  }
  for (const std::string_view one : {looked_at::cuda, looked_at::nvml}) {
    if (!api.empty() && api != one) continue;
    ErrorAnswer answer;
    answer.api = one;
    answer.code = *code;
    for (const ErrorCode& row : tables.error_codes) {
      if (row.code != *code || api_family(row) != one) continue;
      answer.names.push_back(row.name);
      if (!answer.meaning.empty() || row.meaning.empty()) continue;
      answer.meaning = sentence(row.meaning);
      answer.causes = row.causes;
      answer.next = row.next;
      answer.source = cited(row.source);
    }
    if (!answer.names.empty()) answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace

std::vector<ErrorAnswer> explain_errors(std::string_view word, const RuleInput& input) {
  const std::string low = lower(stripped(word));
  const auto colon = low.find(':');
  const std::string api = colon == std::string::npos ? "" : low.substr(0, colon);
  const std::string rest = colon == std::string::npos ? low : low.substr(colon + 1);
  const auto code = result::number_in<int>(rest);
  const bool is_name = !rest.empty() && std::all_of(rest.begin(), rest.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if ((!api.empty() && api != looked_at::cuda && api != looked_at::nvml) ||
      (colon != std::string::npos && api.empty()) || (!code && !is_name))
    throw result::UsageError(
        fmt::format("--error {}: give a number (803, nvml:18) or a name (cudaErrorNoDevice, "
                    "NVML_ERROR_GPU_IS_LOST)",
                    printable(word, 60)));
  std::vector<ErrorAnswer> answers = answers_for(input.tables, api, code, rest);
  const Findings findings = answers.empty() ? Findings{} : diagnose_stack(input);
  for (ErrorAnswer& answer : answers) {
    for (const Look& look : looks())
      if (look.api == answer.api && look.code == answer.code)
        look_at_machine(answer, look, input.inventory, findings);
  }
  return answers;
}

std::vector<ExplainedCode> codes_with_evidence() {
  std::vector<ExplainedCode> codes;
  for (const Look& look : looks()) codes.push_back({look.api, look.code});
  return codes;
}

}  // namespace gpugauge::stack
