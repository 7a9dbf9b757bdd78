#include <climits>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "result/build.hpp"
#include "result/error.hpp"
#include "stack/conclude.hpp"
#include "stack/environment.hpp"
#include "stack/gpu_report.hpp"
#include "stack/patience.hpp"

namespace gpugauge::stack {
namespace {

bool fabric_manager_runs(const Tree& tree) {
  for (const std::string& entry : tree.list("/proc")) {
    if (entry.front() < '0' || entry.front() > '9') continue;
    if (tree.read("/proc/" + entry + "/comm").text.starts_with("nv-fabricmanag"))
      return true;  // ps cuts names at 15 characters
  }
  return false;
}

std::vector<std::string> own_probe(const std::string& root) {
  std::vector<std::string> command{"/proc/self/exe", "probe", "devices"};
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  // So that ps shows a name; the file may have been replaced since.
  if (!error) command.front() = self.string();
  if (error || !std::filesystem::exists(self, error)) command.front() = "/proc/self/exe";
  if (root != "/") command.insert(command.end(), {"--root", root});
  return command;
}

}  // namespace

GpuReport probe_gpus_here(const std::string& root) {
  const Tree tree(root);
  const Environment environment = current_environment();
  Evidence evidence;
  evidence.hardware = find_hardware(tree);
  evidence.container = container_kind(tree, environment.contains("KUBERNETES_SERVICE_HOST"));
  evidence.visible_devices = value_of(environment, "CUDA_VISIBLE_DEVICES");
  evidence.container_devices = value_of(environment, "NVIDIA_VISIBLE_DEVICES");
  evidence.build_cuda = result::build().cuda;
  evidence.minimum_driver = result::build().minimum_driver;
  evidence.cuda = ask_cuda();
  evidence.nvml = ask_nvml(evidence.cuda.gpus);
  if (evidence.cuda.code == 802) evidence.fabric_manager_seen = fabric_manager_runs(tree);
  return conclude(evidence);
}

GpuReport probe_gpus(const ProbeOptions& options) {
  const auto command = options.command.empty() ? own_probe(options.root) : options.command;
  const double limit_seconds = start_limit(Tree(options.root), options.timeout_seconds);
  const ChildResult child = run_child(command, limit_seconds);
  if (child.exit_code == 0) {
    try {
      return gpu_report_from_json(last_line(child.out));  // a preloaded library may have printed before it
    } catch (const result::FormatError&) {                // reported below, with what was printed instead
    }
  }
  return conclude_without_answer(find_hardware(Tree(options.root)), child, limit_seconds);
}

bool any_nvidia_hardware(const std::string& root) {
  return find_hardware(Tree(root)).any();
}

}  // namespace gpugauge::stack
