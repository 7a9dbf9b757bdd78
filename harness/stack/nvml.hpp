// NVML, opened at run time, and the only list of questions about a GPU. Every call may hang or crash with a
// broken driver.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/nvml_api.hpp"
#include "stack/shared_object.hpp"

namespace gpugauge::stack {

/// "NVML_ERROR_LIB_RM_VERSION_MISMATCH"; "" for an unknown code.
std::string_view nvml_error_name(int code);

/// NVML's answer to one question. A missing entry point counts as the answer nvml::function_not_found.
struct NvmlFact {
  std::string fact;   ///< "power_limit_watt": its name in docs/inventory.md below `gpu.<n>`
  std::string call;   ///< "nvmlDeviceGetPowerManagementLimit"
  int code = 0;       ///< 0: `value` is the answer
  std::string value;  ///< "600"

  bool operator==(const NvmlFact&) const = default;  ///< member by member
};

/// The initialised library; the destructor shuts it down.
class Nvml {
 public:
  /// Opens and initialises the library; library() and code() give the result.
  explicit Nvml(const std::string& soname = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  const SharedObject& library() const { return library_; }  ///< also if it could not be opened
  /// Result of the initialisation; 0 when ready. Meaningless if the library was not opened.
  int code() const { return code_; }
  /// True if opened and initialised. The functions below need this.
  bool ready() const { return library_.opened().opened && code_ == 0; }

  std::string driver_version() const;  ///< "" if it does not say
  /// Number of GPUs, or the error.
  NvmlFact device_count() const;
  /// `off`, `on` or `devtools`.
  NvmlFact confidential_computing() const;
  /// The GPU with that index; nullptr on an error, which `code` receives.
  nvml::Device by_index(unsigned index, int& code) const;
  nvml::Device by_uuid(const std::string& uuid, int& code) const;  ///< `uuid` is "GPU-..." or "MIG-..."

 private:
  SharedObject library_;
  int code_ = nvml::function_not_found;
};

/// Calls an entry point; nvml::function_not_found where the library lacks it.
template <typename... Parameters, typename... Arguments>
int call_nvml(const SharedObject& library, EntryPoint<int(Parameters...)> entry, Arguments... arguments) {
  auto* const function = library.find(entry);
  return function == nullptr ? nvml::function_not_found : function(arguments...);
}

/// A GPU's temperature.
struct NvmlTemperature {
  const char* call = nvml::temperature_v1.name;  ///< the call that answered
  int code = nvml::function_not_found;           ///< 0: `celsius` is the answer
  int celsius = 0;                               ///< degrees
};
/// Asks by the older call, which every driver has had, and by its successor where that one is gone.
NvmlTemperature nvml_temperature(const SharedObject& library, nvml::Device device);

/// Why the GPU's clock is held down now.
struct NvmlReasons {
  const char* call = nvml::event_reasons.name;  ///< the call that answered
  int code = nvml::function_not_found;          ///< 0: `bits` is the answer
  unsigned long long bits = 0;                  ///< result/throttle_reasons.hpp
};
/// Asks by the newer call, and by its older name where the library lacks that.
NvmlReasons nvml_throttle_reasons(const SharedObject& library, nvml::Device device);

/// Asks one fact that a single call answers with a single value; also "compute_mode_number", NVML's number.
NvmlFact ask_nvml_fact(const SharedObject& library, nvml::Device device, std::string_view fact);
/// Names of all facts that ask_nvml_fact() knows.
std::vector<std::string_view> nvml_facts();
/// fabric_state; fabric_health, if the driver is of CUDA 12.4 or newer and the GPU has joined a fabric.
std::vector<NvmlFact> ask_nvml_fabric(const SharedObject& library, nvml::Device device);
/// Facts ecc and mig, and their values after a reset: ecc_pending, mig_pending.
std::vector<NvmlFact> ask_nvml_modes(const SharedObject& library, nvml::Device device);
/// ask_nvml_modes() and all facts that share a call or need several calls: PCI address, memory, limits,
/// remapped rows, throttle reasons, links, fabric, processes (including process.<n>).
std::vector<NvmlFact> ask_nvml_structures(const SharedObject& library, nvml::Device device);
/// Tells whether this is a virtual GPU in a guest: `yes` or `no`.
NvmlFact ask_vgpu_guest(const SharedObject& library, nvml::Device device);
/// Its licence: `licensed`, `unlicensed`, `unknown`.
NvmlFact ask_vgpu_licence(const SharedObject& library, nvml::Device device);

/// Tells whether this host's vGPU manager shares the GPU out to guests: `yes` or `no`.
NvmlFact ask_vgpu_host(const SharedObject& library, nvml::Device device);
/// A running vGPU, and the driver that its guest reports: "550.54.15".
struct VgpuInstance {
  unsigned id = 0;        ///< NVML's number of the instance (nvmlVgpuInstance_t)
  NvmlFact guest_driver;  ///< value "" until the guest has started its driver
};
/// At most 64 per GPU; empty if none runs or the driver does not say.
std::vector<VgpuInstance> ask_vgpu_instances(const SharedObject& library, nvml::Device device);

/// "00000000:C1:00.0" -> "0000:c1:00.0", the kernel's form.
std::string pci_address(std::string_view bus_id);

}  // namespace gpugauge::stack
