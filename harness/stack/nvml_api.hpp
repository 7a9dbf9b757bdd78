// NVML's binary interface as far as GPUGauge uses it, after NVIDIA's nvml.h of CUDA 13.0: numbers, structures
// and entry points. Declared here so that no build needs that header; where set-up brought it,
// tests/unit/stack/nvml_api_test.cpp compares every declaration with it.
#pragma once

#include "stack/shared_object.hpp"

namespace gpugauge::stack::nvml {

using Device = struct nvmlDevice_st*;      ///< a GPU; owned by the library
using EventSet = struct nvmlEventSet_st*;  ///< what EventSetCreate made

// nvmlReturn_t
constexpr int success = 0;              ///< the answer holds
constexpr int invalid_argument = 2;     ///< a call does not accept this device or index
constexpr int not_supported = 3;        ///< this GPU, driver or system lacks it
constexpr int no_permission = 4;        ///< this user may not ask
constexpr int insufficient_size = 7;    ///< the buffer is too small; the count says how many there are
constexpr int function_not_found = 13;  ///< also: the library is too old to have the entry point
constexpr int gpu_is_lost = 15;         ///< fell off the bus, or does not answer
constexpr int version_mismatch = 25;    ///< the library does not know this version of a structure
constexpr int unknown_error = 999;      ///< an error of the driver itself

constexpr int clock_sm = 1;                  ///< nvmlClockType_t
constexpr int clock_memory = 2;              ///< nvmlClockType_t
constexpr int sensor_gpu = 0;                ///< nvmlTemperatureSensors_t
constexpr int uncorrected = 1;               ///< nvmlMemoryErrorType_t
constexpr int since_driver_load = 0;         ///< nvmlEccCounterType_t: the volatile counts
constexpr unsigned pstate_unknown = 32;      ///< nvmlPstates_t
constexpr unsigned nvlink_to_switch = 2;     ///< nvmlIntNvLinkDeviceType_t
constexpr unsigned long long event_xid = 8;  ///< nvmlEventTypeXidCriticalError
constexpr int virtualization_guest = 2;      ///< nvmlGpuVirtualizationMode_t: a vGPU in its guest
constexpr int virtualization_host = 3;       ///< nvmlGpuVirtualizationMode_t: the host's vGPU manager
constexpr int virtualization_host_shared =
    4;  ///< nvmlGpuVirtualizationMode_t: vSGA, without a driver in the guest
constexpr unsigned char fabric_completed = 3;  ///< nvmlGpuFabricState_t
/// NVLinks that any GPU is asked for: twice NVML_NVLINK_MAX_LINKS, which has grown from 4 (Pascal) to 18.
constexpr unsigned nvlinks_most = 36;

constexpr unsigned field_memory_temperature = 82;            ///< NVML_FI_DEV_MEMORY_TEMP, degrees Celsius
constexpr unsigned field_nvlink_megabytes_per_second = 164;  ///< of the link in `scope`, in one direction

constexpr unsigned type_unsigned_int = 1;        ///< nvmlValueType_t
constexpr unsigned type_unsigned_long = 2;       ///< nvmlValueType_t
constexpr unsigned type_unsigned_long_long = 3;  ///< nvmlValueType_t
constexpr unsigned type_signed_int = 5;          ///< nvmlValueType_t

/// nvmlPciInfo_t
struct PciInfo {
  char legacy_id[16];     ///< with four digits of the domain
  unsigned domain;        ///< number of the PCI domain
  unsigned bus;           ///< number of the bus
  unsigned device;        ///< number on the bus
  unsigned device_id;     ///< device and vendor
  unsigned subsystem_id;  ///< of the board
  char bus_id[32];        ///< "00000000:C1:00.0"
};
/// nvmlMemory_t
struct Memory {
  unsigned long long total;  ///< bytes
  unsigned long long free;   ///< bytes
  unsigned long long used;   ///< bytes
};
/// nvmlUtilization_t
struct Utilization {
  unsigned gpu;     ///< percent of the time with a kernel
  unsigned memory;  ///< percent of the time with memory traffic
};
/// nvmlProcessInfo_t since its second version
struct Process {
  unsigned pid;               ///< of the host's namespace
  unsigned long long bytes;   ///< all ones where it is not known
  unsigned gpu_instance;      ///< of MIG; all ones without
  unsigned compute_instance;  ///< of MIG; all ones without
};
/// nvmlProcessInfo_v1_t
struct ProcessV1 {
  unsigned pid;              ///< of the host's namespace
  unsigned long long bytes;  ///< all ones where it is not known
};
/// nvmlFieldValue_t: one field of nvmlDeviceGetFieldValues, and its answer.
struct FieldValue {
  unsigned field;       ///< which one, as field_memory_temperature
  unsigned scope;       ///< of which link
  long long timestamp;  ///< microseconds since 1970
  long long latency;    ///< microseconds
  unsigned type;        ///< which member of `value` holds the answer
  int code;             ///< result of this field; the call itself can succeed with a failed field
  union {
    double real;               ///< type 0
    int whole;                 ///< type_signed_int
    unsigned count;            ///< type_unsigned_int
    unsigned long long large;  ///< type_unsigned_long, type_unsigned_long_long
  } value;                     ///< the answer
};
/// nvmlEventData_t
struct Event {
  Device device;              ///< the GPU
  unsigned long long type;    ///< as event_xid
  unsigned long long data;    ///< of event_xid: its number
  unsigned gpu_instance;      ///< of MIG; all ones without
  unsigned compute_instance;  ///< of MIG; all ones without
};
/// nvmlConfComputeSystemState_t
struct ConfidentialState {
  unsigned environment;    ///< 0 none, 1 simulated, 2 production
  unsigned feature;        ///< 1: confidential computing is on
  unsigned devtools_mode;  ///< 1: on, with developer tools
};
/// nvmlTemperature_v1_t
struct Temperature {
  unsigned version = sizeof(Temperature) | 1U << 24U;  ///< set before the call
  int sensor = sensor_gpu;                             ///< set before the call
  int celsius = 0;                                     ///< the answer
};
/// nvmlGpuFabricInfo_t, deprecated since CUDA 13.0
struct FabricV1 {
  unsigned char cluster[16];  ///< UUID of the fabric
  int status;                 ///< an error; only of a completed registration
  unsigned clique;            ///< number within the fabric
  unsigned char state;        ///< nvmlGpuFabricState_t
};
/// nvmlGpuFabricInfo_v2_t, since CUDA 12.4
struct Fabric {
  unsigned version = sizeof(Fabric) | 2U << 24U;  ///< set before the call
  unsigned char cluster[16] = {};                 ///< UUID of the fabric
  int status = 0;                                 ///< an error; only of a completed registration
  unsigned clique = 0;                            ///< number within the fabric
  unsigned char state = 0;                        ///< nvmlGpuFabricState_t
  unsigned health = 0;                            ///< NVML_GPU_FABRIC_HEALTH_MASK_*
};
/// nvmlGridLicenseExpiry_t
struct LicenceExpiry {
  unsigned year;          ///< 2026
  unsigned short month;   ///< 1 to 12
  unsigned short day;     ///< 1 to 31
  unsigned short hour;    ///< 0 to 23
  unsigned short minute;  ///< 0 to 59
  unsigned short second;  ///< 0 to 59
  unsigned char status;   ///< whether there is an expiry
};
/// nvmlGridLicensableFeature_t
struct LicensableFeature {
  int code;               ///< which feature
  unsigned licensed;      ///< 1: it is licensed
  char information[128];  ///< text of the licence
  char product[128];      ///< name of the product
  unsigned enabled;       ///< 1: it is on
  LicenceExpiry expiry;   ///< when the licence ends
};
/// nvmlGridLicensableFeatures_t
struct LicensableFeatures {
  int supported;                  ///< 0: this GPU knows no licences
  unsigned count;                 ///< how many of `features` are filled
  LicensableFeature features[3];  ///< the features
};

using Word = int(Device, unsigned*);              ///< asks one number
using Words = int(Device, unsigned*, unsigned*);  ///< asks two numbers
using Numbered = int(Device, int, unsigned*);     ///< asks the number of one of several clocks or sensors
using Text = int(Device, char*, unsigned);        ///< asks a text, of so many bytes at most
using Mask = int(Device, unsigned long long*);    ///< asks a set of bits

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
