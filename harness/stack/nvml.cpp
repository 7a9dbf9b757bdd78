#include "stack/nvml.hpp"

#include <algorithm>
#include <array>

#include "result/text.hpp"

namespace gpugauge::stack {
namespace {

struct ErrorName {
  int code;
  std::string_view name;
};
constexpr std::array error_names{
    ErrorName{0, "NVML_SUCCESS"},
    ErrorName{1, "NVML_ERROR_UNINITIALIZED"},
    ErrorName{2, "NVML_ERROR_INVALID_ARGUMENT"},
    ErrorName{3, "NVML_ERROR_NOT_SUPPORTED"},
    ErrorName{4, "NVML_ERROR_NO_PERMISSION"},
    ErrorName{5, "NVML_ERROR_ALREADY_INITIALIZED"},
    ErrorName{6, "NVML_ERROR_NOT_FOUND"},
    ErrorName{7, "NVML_ERROR_INSUFFICIENT_SIZE"},
    ErrorName{8, "NVML_ERROR_INSUFFICIENT_POWER"},
    ErrorName{9, "NVML_ERROR_DRIVER_NOT_LOADED"},
    ErrorName{10, "NVML_ERROR_TIMEOUT"},
    ErrorName{11, "NVML_ERROR_IRQ_ISSUE"},
    ErrorName{12, "NVML_ERROR_LIBRARY_NOT_FOUND"},
    ErrorName{13, "NVML_ERROR_FUNCTION_NOT_FOUND"},
    ErrorName{14, "NVML_ERROR_CORRUPTED_INFOROM"},
    ErrorName{15, "NVML_ERROR_GPU_IS_LOST"},
    ErrorName{16, "NVML_ERROR_RESET_REQUIRED"},
    ErrorName{17, "NVML_ERROR_OPERATING_SYSTEM"},
    ErrorName{18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH"},
    ErrorName{19, "NVML_ERROR_IN_USE"},
    ErrorName{20, "NVML_ERROR_MEMORY"},
    ErrorName{21, "NVML_ERROR_NO_DATA"},
    ErrorName{22, "NVML_ERROR_VGPU_ECC_NOT_SUPPORTED"},
    ErrorName{23, "NVML_ERROR_INSUFFICIENT_RESOURCES"},
    ErrorName{24, "NVML_ERROR_FREQ_NOT_SUPPORTED"},
    ErrorName{25, "NVML_ERROR_ARGUMENT_VERSION_MISMATCH"},
    ErrorName{26, "NVML_ERROR_DEPRECATED"},
    ErrorName{27, "NVML_ERROR_NOT_READY"},
    ErrorName{28, "NVML_ERROR_GPU_NOT_FOUND"},
    ErrorName{29, "NVML_ERROR_INVALID_STATE"},
    ErrorName{30, "NVML_ERROR_RESET_TYPE_NOT_SUPPORTED"},
    ErrorName{999, "NVML_ERROR_UNKNOWN"},
};

// nvmlConfComputeSystemState_t of NVIDIA's nvml.h.
struct ConfidentialState {
  unsigned environment, feature, devtools_mode;
};

}  // namespace

std::string_view nvml_error_name(int code) {
  const auto found = std::find_if(error_names.begin(), error_names.end(),
                                  [&](const ErrorName& entry) { return entry.code == code; });
  return found == error_names.end() ? "" : found->name;
}

Nvml::Nvml(const std::string& soname) : library_(soname) {
  auto* const init = library_.find<int()>("nvmlInit_v2");
  if (init != nullptr) code_ = init();
}

Nvml::~Nvml() {
  auto* const shutdown = library_.find<int()>("nvmlShutdown");
  if (ready() && shutdown != nullptr) shutdown();
}

std::string Nvml::driver_version() const {
  std::array<char, 96> version{};
  auto* const get = library_.find<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  return get != nullptr && get(version.data(), version.size() - 1) == 0 ? version.data() : "";
}

NvmlFact Nvml::device_count() const {
  NvmlFact answer{"devices", "nvmlDeviceGetCount_v2", nvml_function_not_found, ""};
  auto* const get = library_.find<int(unsigned*)>("nvmlDeviceGetCount_v2");
  unsigned count = 0;
  if (get != nullptr) answer.code = get(&count);
  if (answer.code == 0) answer.value = std::to_string(count);
  return answer;
}

NvmlFact Nvml::confidential_computing() const {
  NvmlFact answer{"confidential_computing", "nvmlSystemGetConfComputeState", nvml_function_not_found, ""};
  auto* const get = library_.find<int(ConfidentialState*)>("nvmlSystemGetConfComputeState");
  ConfidentialState state{};
  if (get != nullptr) answer.code = get(&state);
  if (answer.code == 0)
    answer.value = state.devtools_mode != 0 ? "devtools" : state.feature != 0 ? "on" : "off";
  return answer;
}

NvmlDevice Nvml::by_index(unsigned index, int& code) const {
  auto* const get = library_.find<int(unsigned, NvmlDevice*)>("nvmlDeviceGetHandleByIndex_v2");
  NvmlDevice device = nullptr;
  code = get == nullptr ? nvml_function_not_found : get(index, &device);
  return code == 0 ? device : nullptr;
}

NvmlDevice Nvml::by_uuid(const std::string& uuid, int& code) const {
  auto* const get = library_.find<int(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByUUID");
  NvmlDevice device = nullptr;
  code = get == nullptr ? nvml_function_not_found : get(uuid.c_str(), &device);
  return code == 0 ? device : nullptr;
}

std::string pci_address(std::string_view bus_id) {
  // NVML writes eight digits of the domain, the kernel four if they suffice.
  while (bus_id.find(':') != std::string_view::npos && bus_id.find(':') > 4 && bus_id.front() == '0')
    bus_id.remove_prefix(1);
  return result::lower(bus_id);
}

}  // namespace gpugauge::stack
