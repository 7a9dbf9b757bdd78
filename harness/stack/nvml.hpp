// NVML, opened at run time, and the one list of what it is asked about a GPU. Every call may hang or crash
// with a broken driver.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/shared_object.hpp"

namespace gpugauge::stack {

/// NVML's handle of a device; owned by the library.
using NvmlDevice = struct nvmlDevice_st*;

// Codes that mean something of their own here (nvmlReturn_t).
constexpr int nvml_invalid_argument = 2;     ///< a call does not take this device or index
constexpr int nvml_not_supported = 3;        ///< this GPU, driver or system does not have it
constexpr int nvml_no_permission = 4;        ///< this user may not ask
constexpr int nvml_function_not_found = 13;  ///< also: the library is too old to have the entry point
constexpr int nvml_gpu_is_lost = 15;         ///< fell off the bus, or does not answer

/// "NVML_ERROR_LIB_RM_VERSION_MISMATCH"; "" for a code that is not known here.
std::string_view nvml_error_name(int code);

/// NVML's answer to one question; a library without the entry point is as one that answers
/// nvml_function_not_found.
struct NvmlFact {
  std::string fact;   ///< "power_limit_watt": the name in docs/inventory.md below `gpu.<n>`
  std::string call;   ///< "nvmlDeviceGetPowerManagementLimit"
  int code = 0;       ///< 0: `value` is the answer
  std::string value;  ///< "600"

  bool operator==(const NvmlFact&) const = default;  ///< member by member
};

/// The library, initialised; ended with the object.
class Nvml {
 public:
  /// Opens it and initialises it; library() and code() tell what came of that.
  explicit Nvml(const std::string& soname = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  const SharedObject& library() const { return library_; }  ///< also where it could not be opened
  /// Of its initialisation; 0 when it is ready. Meaningless unless it was opened.
  int code() const { return code_; }
  /// Opened and initialised: only then may the rest be asked.
  bool ready() const { return library_.opened().opened && code_ == 0; }

  std::string driver_version() const;  ///< "" where it does not say
  /// Count of GPUs; the error where there is none.
  NvmlFact device_count() const;
  /// `off`, `on` or `devtools`.
  NvmlFact confidential_computing() const;
  /// The GPU of an index or a UUID; nullptr with NVML's code in `code`.
  NvmlDevice by_index(unsigned index, int& code) const;
  NvmlDevice by_uuid(const std::string& uuid, int& code) const;  ///< `uuid` is "GPU-..." or "MIG-..."

 private:
  SharedObject library_;
  int code_ = nvml_function_not_found;
};

/// One fact that a single call answers with a single value; also "compute_mode_number" as NVML counts it.
NvmlFact ask_nvml_fact(const SharedObject& library, NvmlDevice device, std::string_view fact);
/// Names of all facts of that kind.
std::vector<std::string_view> nvml_facts();
/// ecc, mig, and what each will be after a reset: ecc_pending, mig_pending.
std::vector<NvmlFact> ask_nvml_modes(const SharedObject& library, NvmlDevice device);
/// These and all other facts that come several to a call or need more than one: PCI address, memory, limits,
/// remapped rows, throttle reasons, links, fabric, processes (process.<n> too).
std::vector<NvmlFact> ask_nvml_structures(const SharedObject& library, NvmlDevice device);
/// `yes` or `no`: a virtual GPU in a guest; and its licence: `licensed`, `unlicensed`, `unknown`.
NvmlFact ask_vgpu_guest(const SharedObject& library, NvmlDevice device);
NvmlFact ask_vgpu_licence(const SharedObject& library, NvmlDevice device);  ///< see above

/// `yes` or `no`: the GPU is shared out to guests by this host's vGPU manager.
NvmlFact ask_vgpu_host(const SharedObject& library, NvmlDevice device);
/// A vGPU that runs, and the driver in its guest as that reports it: "550.54.15".
struct VgpuInstance {
  unsigned id = 0;        ///< of the instance, as NVML counts them (nvmlVgpuInstance_t)
  NvmlFact guest_driver;  ///< value "" where the guest has not started its driver
};
/// At most 64 of a GPU; empty where none runs or the driver does not say.
std::vector<VgpuInstance> ask_vgpu_instances(const SharedObject& library, NvmlDevice device);

/// "00000000:C1:00.0" -> "0000:c1:00.0", as the kernel writes it.
std::string pci_address(std::string_view bus_id);

}  // namespace gpugauge::stack
