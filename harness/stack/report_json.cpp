#include <array>

#include <nlohmann/json.hpp>

#include "result/object_reader.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::stack {
namespace {

using result::ObjectReader;
using result::Place;

struct StateName {
  GpuState state;
  std::string_view name;
};
constexpr std::array states{
    StateName{GpuState::usable, "usable"},
    StateName{GpuState::no_hardware, "no_hardware"},
    StateName{GpuState::no_driver, "no_driver"},
    StateName{GpuState::no_library, "no_library"},
    StateName{GpuState::driver_too_old, "driver_too_old"},
    StateName{GpuState::no_device, "no_device"},
    StateName{GpuState::error, "error"},
};

GpuState state_from(const std::string& word, const Place& place) {
  for (const StateName& entry : states) {
    if (entry.name == word) return entry.state;
  }
  place.refuse("\"" + word + "\" is not a state");
}

Gpu gpu_from(const nlohmann::json& value, const Place& place) {
  ObjectReader reader(value, place);
  Gpu gpu;
  gpu.index = reader.small_integer("index");
  gpu.uuid = reader.text("uuid");
  gpu.name = reader.text("name");
  gpu.pci_bus_id = reader.text("pci_bus_id");
  gpu.compute_capability = reader.text("compute_capability");
  gpu.settings = reader.text_map("settings");
  gpu.told = reader.text_map("told");
  gpu.card = reader.text("card");
  reader.done();
  return gpu;
}

}  // namespace

std::string_view to_string(GpuState state) {
  for (const StateName& entry : states) {
    if (entry.state == state) return entry.name;
  }
  return "unknown";
}

std::string to_json(const GpuReport& report) {
  nlohmann::ordered_json gpus = nlohmann::ordered_json::array();
  for (const Gpu& gpu : report.gpus) {
    gpus.push_back({{"index", gpu.index},
                    {"uuid", gpu.uuid},
                    {"name", gpu.name},
                    {"pci_bus_id", gpu.pci_bus_id},
                    {"compute_capability", gpu.compute_capability},
                    {"settings", gpu.settings},
                    {"told", gpu.told},
                    {"card", gpu.card}});
  }
  const nlohmann::ordered_json json{{"state", to_string(report.state)},
                                    {"gpus", gpus},
                                    {"driver_version", report.driver_version},
                                    {"driver_cuda_version", report.driver_cuda_version},
                                    {"explanation", report.explanation},
                                    {"nvidia_hardware", report.nvidia_hardware},
                                    {"code", report.code},
                                    {"kernel_module_version", report.kernel_module_version},
                                    {"kernel_module_kind", report.kernel_module_kind},
                                    {"libcuda_path", report.libcuda_path},
                                    {"libcuda_version", report.libcuda_version}};
  // A path or a GPU's name need not be UTF-8.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

GpuReport gpu_report_from_json(const std::string& text) {
  const Place place{"the answer of the GPU probe", ""};
  const nlohmann::json json = result::parse_json(text, place.origin);
  ObjectReader reader(json, place);
  GpuReport report;
  report.state = state_from(reader.text("state"), place.key("state"));
  reader.each("gpus",
              [&](const nlohmann::json& gpu, const Place& at) { report.gpus.push_back(gpu_from(gpu, at)); });
  report.driver_version = reader.text("driver_version");
  report.driver_cuda_version = reader.text("driver_cuda_version");
  report.explanation = reader.text("explanation");
  report.nvidia_hardware = reader.boolean("nvidia_hardware");
  report.code = reader.small_integer("code");
  report.kernel_module_version = reader.text("kernel_module_version");
  report.kernel_module_kind = reader.text("kernel_module_kind");
  report.libcuda_path = reader.text("libcuda_path");
  report.libcuda_version = reader.text("libcuda_version");
  reader.done();
  return report;
}

}  // namespace gpugauge::stack
