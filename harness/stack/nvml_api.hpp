// NVML's binary interface as far as GPUGauge uses it, after NVIDIA's nvml.h of CUDA 13.0: numbers, structures
// and entry points. Declared here so that no build needs that header; where set-up brought it,
// tests/unit/stack/nvml_api_test.cpp compares every declaration with it.
#pragma once

#include "stack/shared_object.hpp"

namespace gpugauge::stack::nvml {

using Device = struct nvmlDevice_st*;      ///< a GPU; owned by the library
using EventSet = struct nvmlEventSet_st*;  ///< what EventSetCreate made

// nvmlReturn_t
constexpr int success = 0;
constexpr int invalid_argument = 2;     ///< a call does not accept this device or index
constexpr int not_supported = 3;        ///< this GPU, driver or system lacks it
constexpr int no_permission = 4;        ///< this user may not ask
constexpr int insufficient_size = 7;    ///< the buffer is too small; the count says how many there are
constexpr int function_not_found = 13;  ///< also: the library is too old to have the entry point
constexpr int gpu_is_lost = 15;         ///< fell off the bus, or does not answer
constexpr int version_mismatch = 25;    ///< the library does not know this version of a structure
constexpr int unknown_error = 999;

constexpr int clock_sm = 1;                    // nvmlClockType_t
constexpr int clock_memory = 2;                // nvmlClockType_t
constexpr int sensor_gpu = 0;                  // nvmlTemperatureSensors_t
constexpr int uncorrected = 1;                 // nvmlMemoryErrorType_t
constexpr int since_driver_load = 0;           // nvmlEccCounterType_t: the volatile counts
constexpr unsigned pstate_unknown = 32;        // nvmlPstates_t
constexpr unsigned nvlink_to_switch = 2;       // nvmlIntNvLinkDeviceType_t
constexpr unsigned long long event_xid = 8;    // nvmlEventTypeXidCriticalError
constexpr int virtualization_guest = 2;        // nvmlGpuVirtualizationMode_t: a vGPU in its guest
constexpr int virtualization_host = 3;         // the same: the host's vGPU manager
constexpr int virtualization_host_shared = 4;  // the same: vSGA, whose guest has no NVIDIA driver
constexpr unsigned char fabric_completed = 3;  // nvmlGpuFabricState_t
/// NVLinks that any GPU is asked for: twice NVML_NVLINK_MAX_LINKS, which has grown from 4 (Pascal) to 18.
constexpr unsigned nvlinks_most = 36;

constexpr unsigned field_memory_temperature = 82;
constexpr unsigned field_nvlink_megabytes_per_second = 164;  ///< of the link in `scope`, in one direction

// nvmlValueType_t
constexpr unsigned type_unsigned_int = 1;
constexpr unsigned type_unsigned_long = 2;
constexpr unsigned type_unsigned_long_long = 3;
constexpr unsigned type_signed_int = 5;

/// nvmlPciInfo_t
struct PciInfo {
  char legacy_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
/// nvmlMemory_t, bytes
struct Memory {
  unsigned long long total, free, used;
};
/// nvmlUtilization_t, percent
struct Utilization {
  unsigned gpu, memory;
};
/// nvmlProcessInfo_t since its second version; `bytes` is all ones where it is not known.
struct Process {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};
/// nvmlProcessInfo_v1_t
struct ProcessV1 {
  unsigned pid;
  unsigned long long bytes;
};
/// nvmlFieldValue_t: one field of nvmlDeviceGetFieldValues, and its answer.
struct FieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp, latency;
  unsigned type;  ///< which member of `value` holds the answer
  int code;       ///< result of this field; the call itself can succeed with a failed field
  union {
    double real;
    int whole;
    unsigned count;
    unsigned long long large;
  } value;
};
/// nvmlEventData_t
struct Event {
  Device device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};
/// nvmlConfComputeSystemState_t
struct ConfidentialState {
  unsigned environment, feature, devtools_mode;
};
/// nvmlTemperature_v1_t. Set `version` and `sensor` before the call.
struct Temperature {
  unsigned version = sizeof(Temperature) | 1U << 24U;
  int sensor = sensor_gpu;
  int celsius = 0;
};
/// nvmlGpuFabricInfo_t, deprecated since CUDA 13.0.
struct FabricV1 {
  unsigned char cluster[16];
  int status;  ///< only if completed
  unsigned clique;
  unsigned char state;
};
/// nvmlGpuFabricInfo_v2_t, since CUDA 12.4.
struct Fabric {
  unsigned version = sizeof(Fabric) | 2U << 24U;
  unsigned char cluster[16] = {};
  int status = 0;  ///< only if completed
  unsigned clique = 0;
  unsigned char state = 0;
  unsigned health = 0;  ///< NVML_GPU_FABRIC_HEALTH_MASK_*
};
/// nvmlGridLicenseExpiry_t
struct LicenceExpiry {
  unsigned year;
  unsigned short month, day, hour, minute, second;
  unsigned char status;
};
/// nvmlGridLicensableFeature_t
struct LicensableFeature {
  int code;
  unsigned licensed;
  char information[128], product[128];
  unsigned enabled;
  LicenceExpiry expiry;
};
/// nvmlGridLicensableFeatures_t
struct LicensableFeatures {
  int supported;
  unsigned count;
  LicensableFeature features[3];
};

using Word = int(Device, unsigned*);
using Words = int(Device, unsigned*, unsigned*);
using Numbered = int(Device, int, unsigned*);  ///< of one of several clocks or sensors
using Text = int(Device, char*, unsigned);
using Mask = int(Device, unsigned long long*);

constexpr EntryPoint<int()> init{"nvmlInit_v2"};
constexpr EntryPoint<int()> shutdown{"nvmlShutdown"};
constexpr EntryPoint<const char*(int)> error_string{"nvmlErrorString"};
constexpr EntryPoint<int(char*, unsigned)> driver_version{"nvmlSystemGetDriverVersion"};
constexpr EntryPoint<int(unsigned, char*, unsigned)> process_name{"nvmlSystemGetProcessName"};
constexpr EntryPoint<int(ConfidentialState*)> confidential_state{"nvmlSystemGetConfComputeState"};

constexpr EntryPoint<int(unsigned*)> device_count{"nvmlDeviceGetCount_v2"};
constexpr EntryPoint<int(unsigned, Device*)> device_by_index{"nvmlDeviceGetHandleByIndex_v2"};
constexpr EntryPoint<int(const char*, Device*)> device_by_uuid{"nvmlDeviceGetHandleByUUID"};

constexpr EntryPoint<Text> uuid{"nvmlDeviceGetUUID"};
constexpr EntryPoint<Text> name{"nvmlDeviceGetName"};
constexpr EntryPoint<Text> vbios{"nvmlDeviceGetVbiosVersion"};
constexpr EntryPoint<Text> serial{"nvmlDeviceGetSerial"};
constexpr EntryPoint<Text> board_part{"nvmlDeviceGetBoardPartNumber"};
constexpr EntryPoint<int(Device, char*)> gsp_version{"nvmlDeviceGetGspFirmwareVersion"};
constexpr EntryPoint<int(Device, PciInfo*)> pci_info{"nvmlDeviceGetPciInfo_v3"};
constexpr EntryPoint<int(Device, int*, int*)> capability{"nvmlDeviceGetCudaComputeCapability"};
constexpr EntryPoint<Word> brand{"nvmlDeviceGetBrand"};
constexpr EntryPoint<Word> architecture{"nvmlDeviceGetArchitecture"};

constexpr EntryPoint<Word> persistence{"nvmlDeviceGetPersistenceMode"};
constexpr EntryPoint<Word> compute_mode{"nvmlDeviceGetComputeMode"};
constexpr EntryPoint<Words> ecc_mode{"nvmlDeviceGetEccMode"};
constexpr EntryPoint<Words> mig_mode{"nvmlDeviceGetMigMode"};
constexpr EntryPoint<Word> power_limit{"nvmlDeviceGetPowerManagementLimit"};                 ///< mW
constexpr EntryPoint<Word> power_limit_default{"nvmlDeviceGetPowerManagementDefaultLimit"};  ///< mW
constexpr EntryPoint<Words> power_limits{"nvmlDeviceGetPowerManagementLimitConstraints"};    ///< mW

constexpr EntryPoint<Word> power_usage{"nvmlDeviceGetPowerUsage"};                            ///< mW
constexpr EntryPoint<Numbered> clock{"nvmlDeviceGetClockInfo"};                               ///< MHz
constexpr EntryPoint<Numbered> clock_max{"nvmlDeviceGetMaxClockInfo"};                        ///< MHz
constexpr EntryPoint<Numbered> application_clock{"nvmlDeviceGetApplicationsClock"};           ///< MHz
constexpr EntryPoint<Numbered> application_default{"nvmlDeviceGetDefaultApplicationsClock"};  ///< MHz
constexpr EntryPoint<Word> performance_state{"nvmlDeviceGetPerformanceState"};
constexpr EntryPoint<int(Device, Utilization*)> utilization{"nvmlDeviceGetUtilizationRates"};
constexpr EntryPoint<int(Device, Memory*)> memory{"nvmlDeviceGetMemoryInfo"};
constexpr EntryPoint<int(Device, int, FieldValue*)> field_values{"nvmlDeviceGetFieldValues"};
constexpr EntryPoint<int(Device, Temperature*)> temperature{"nvmlDeviceGetTemperatureV"};
constexpr EntryPoint<Numbered> temperature_v1{"nvmlDeviceGetTemperature"};  ///< deprecated since CUDA 13.0
constexpr EntryPoint<Mask> event_reasons{"nvmlDeviceGetCurrentClocksEventReasons"};
/// Its older name, deprecated since CUDA 13.0.
constexpr EntryPoint<Mask> throttle_reasons{"nvmlDeviceGetCurrentClocksThrottleReasons"};

constexpr EntryPoint<Word> pcie_generation{"nvmlDeviceGetCurrPcieLinkGeneration"};
constexpr EntryPoint<Word> pcie_width{"nvmlDeviceGetCurrPcieLinkWidth"};
/// What GPU and slot support together.
constexpr EntryPoint<Word> pcie_generation_max{"nvmlDeviceGetMaxPcieLinkGeneration"};
constexpr EntryPoint<Word> pcie_width_max{"nvmlDeviceGetMaxPcieLinkWidth"};
constexpr EntryPoint<int(Device, unsigned, unsigned*)> nvlink_state{"nvmlDeviceGetNvLinkState"};
constexpr EntryPoint<int(Device, unsigned, unsigned*)> nvlink_other_end{
    "nvmlDeviceGetNvLinkRemoteDeviceType"};
constexpr EntryPoint<int(Device, Fabric*)> fabric{"nvmlDeviceGetGpuFabricInfoV"};
constexpr EntryPoint<int(Device, FabricV1*)> fabric_v1{"nvmlDeviceGetGpuFabricInfo"};

/// Corrected rows, uncorrected rows, whether remapping is pending, whether it failed.
constexpr EntryPoint<int(Device, unsigned*, unsigned*, unsigned*, unsigned*)> remapped_rows{
    "nvmlDeviceGetRemappedRows"};
constexpr EntryPoint<Word> retired_pending{"nvmlDeviceGetRetiredPagesPendingStatus"};
constexpr EntryPoint<int(Device, int, int, unsigned long long*)> ecc_errors{"nvmlDeviceGetTotalEccErrors"};
constexpr EntryPoint<int(EventSet*)> event_set_create{"nvmlEventSetCreate"};
constexpr EntryPoint<int(EventSet)> event_set_free{"nvmlEventSetFree"};
constexpr EntryPoint<int(Device, unsigned long long, EventSet)> register_events{"nvmlDeviceRegisterEvents"};
constexpr EntryPoint<int(EventSet, Event*, unsigned)> event_set_wait{"nvmlEventSetWait_v2"};  ///< limit in ms

constexpr EntryPoint<int(Device, unsigned*, Process*)> processes{"nvmlDeviceGetComputeRunningProcesses_v3"};
constexpr EntryPoint<int(Device, unsigned*, Process*)> processes_v2{
    "nvmlDeviceGetComputeRunningProcesses_v2"};
constexpr EntryPoint<int(Device, unsigned*, ProcessV1*)> processes_v1{"nvmlDeviceGetComputeRunningProcesses"};

constexpr EntryPoint<int(Device, int*)> virtualization{"nvmlDeviceGetVirtualizationMode"};
constexpr EntryPoint<Words> active_vgpus{"nvmlDeviceGetActiveVgpus"};  ///< count, instances
constexpr EntryPoint<int(unsigned, char*, unsigned)> vgpu_driver{"nvmlVgpuInstanceGetVmDriverVersion"};
constexpr EntryPoint<int(Device, LicensableFeatures*)> licensable_features{
    "nvmlDeviceGetGridLicensableFeatures_v4"};

}  // namespace gpugauge::stack::nvml
