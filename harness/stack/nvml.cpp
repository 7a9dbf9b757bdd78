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

}  // namespace

std::string_view nvml_error_name(int code) {
  const auto found = std::find_if(error_names.begin(), error_names.end(),
                                  [&](const ErrorName& entry) { return entry.code == code; });
  return found == error_names.end() ? "" : found->name;
}

Nvml::Nvml(const std::string& soname) : library_(soname) {
  if (library_.opened().opened) code_ = call_nvml(library_, nvml::init);
}

Nvml::~Nvml() {
  if (ready()) call_nvml(library_, nvml::shutdown);
}

std::string Nvml::driver_version() const {
  std::array<char, 96> version{};
  const int code =
      call_nvml(library_, nvml::driver_version, version.data(), static_cast<unsigned>(version.size() - 1));
  return code == nvml::success ? version.data() : "";
}

NvmlFact Nvml::device_count() const {
  unsigned count = 0;
  const int code = call_nvml(library_, nvml::device_count, &count);
  return {"devices", nvml::device_count.name, code, code == nvml::success ? std::to_string(count) : ""};
}

NvmlFact Nvml::confidential_computing() const {
  nvml::ConfidentialState state{};
  const int code = call_nvml(library_, nvml::confidential_state, &state);
  const char* const word = state.devtools_mode != 0 ? "devtools" : state.feature != 0 ? "on" : "off";
  return {"confidential_computing", nvml::confidential_state.name, code, code == nvml::success ? word : ""};
}

nvml::Device Nvml::by_index(unsigned index, int& code) const {
  nvml::Device device = nullptr;
  code = call_nvml(library_, nvml::device_by_index, index, &device);
  return code == nvml::success ? device : nullptr;
}

nvml::Device Nvml::by_uuid(const std::string& uuid, int& code) const {
  nvml::Device device = nullptr;
  code = call_nvml(library_, nvml::device_by_uuid, uuid.c_str(), &device);
  return code == nvml::success ? device : nullptr;
}

std::string pci_address(std::string_view bus_id) {
  // NVML writes eight digits of the domain, the kernel four if they suffice.
  while (bus_id.find(':') != std::string_view::npos && bus_id.find(':') > 4 && bus_id.front() == '0')
    bus_id.remove_prefix(1);
  return result::lower(bus_id);
}

}  // namespace gpugauge::stack
