// NVML as it is declared in stack/nvml_api.hpp against NVIDIA's own header, where set-up brought that one.
#include "stack/nvml_api.hpp"

#include <cstddef>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>

#include <gmock/gmock.h>

#ifdef GPUGAUGE_NVML_HEADER
#define NVML_NO_UNVERSIONED_FUNC_DEFS  // the names are those of the library
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <nvml.h>
#endif

namespace gpugauge::stack {
namespace {

#ifndef GPUGAUGE_NVML_HEADER
TEST(NvmlApi, IsNvidias) {
  GTEST_SKIP() << "nvml.h was not found: run scripts/setup, or name its folder in GPUGAUGE_NVML_INCLUDE";
}
#else

template <typename T>
concept Sized = requires {
  sizeof(T);
};

/// The same in a register or on the stack: a pointer to something of the same size, or a number of one size.
template <typename Ours, typename Theirs>
constexpr bool is_same_parameter() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using Here = std::remove_pointer_t<Ours>;
    using There = std::remove_pointer_t<Theirs>;
    if constexpr (std::is_pointer_v<Here> || std::is_pointer_v<There>)
      return std::is_pointer_v<Here> == std::is_pointer_v<There>;
    else if constexpr (Sized<Here> && Sized<There>)
      return sizeof(Here) == sizeof(There) && std::is_const_v<Here> == std::is_const_v<There>;
    else
      return !Sized<Here> && !Sized<There>;
  } else {
    return !std::is_pointer_v<Ours> && !std::is_pointer_v<Theirs> && sizeof(Ours) == sizeof(Theirs) &&
           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;
  }
}

template <typename Ours, typename Theirs>
struct SameFunction : std::false_type {};
template <typename R, typename... A, typename S, typename... B>
struct SameFunction<R(A...), S(B...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A) != sizeof...(B))
      return false;
    else
      return is_same_parameter<R, S>() && (is_same_parameter<A, B>() && ...);
  }();
};

static_assert(SameFunction<int(unsigned, int*), nvmlReturn_t(int, unsigned*)>::value);
static_assert(!SameFunction<int(unsigned), int(unsigned long)>::value);
static_assert(!SameFunction<int(int*), int(long*)>::value);
static_assert(!SameFunction<int(int), int(int, int)>::value);

template <typename Function>
std::type_identity<Function> type_of(EntryPoint<Function>);

std::set<std::string>& compared() {
  static std::set<std::string> names;
  return names;
}

#define SAME(entry, theirs)                                                                              \
  static_assert(SameFunction<decltype(type_of(nvml::entry))::type, decltype(::theirs)>::value, #theirs); \
  EXPECT_STREQ(nvml::entry.name, #theirs);                                                               \
  compared().insert(#theirs)

TEST(NvmlApi, EveryEntryPointIsNvidias) {
  SAME(init, nvmlInit_v2);
  SAME(shutdown, nvmlShutdown);
  SAME(error_string, nvmlErrorString);
  SAME(driver_version, nvmlSystemGetDriverVersion);
  SAME(process_name, nvmlSystemGetProcessName);
  SAME(confidential_state, nvmlSystemGetConfComputeState);
  SAME(device_count, nvmlDeviceGetCount_v2);
  SAME(device_by_index, nvmlDeviceGetHandleByIndex_v2);
  SAME(device_by_uuid, nvmlDeviceGetHandleByUUID);
  SAME(uuid, nvmlDeviceGetUUID);
  SAME(name, nvmlDeviceGetName);
  SAME(vbios, nvmlDeviceGetVbiosVersion);
  SAME(serial, nvmlDeviceGetSerial);
  SAME(board_part, nvmlDeviceGetBoardPartNumber);
  SAME(gsp_version, nvmlDeviceGetGspFirmwareVersion);
  SAME(pci_info, nvmlDeviceGetPciInfo_v3);
  SAME(capability, nvmlDeviceGetCudaComputeCapability);
  SAME(brand, nvmlDeviceGetBrand);
  SAME(architecture, nvmlDeviceGetArchitecture);
  SAME(persistence, nvmlDeviceGetPersistenceMode);
  SAME(compute_mode, nvmlDeviceGetComputeMode);
  SAME(ecc_mode, nvmlDeviceGetEccMode);
  SAME(mig_mode, nvmlDeviceGetMigMode);
  SAME(power_limit, nvmlDeviceGetPowerManagementLimit);
  SAME(power_limit_default, nvmlDeviceGetPowerManagementDefaultLimit);
  SAME(power_limits, nvmlDeviceGetPowerManagementLimitConstraints);
  SAME(power_usage, nvmlDeviceGetPowerUsage);
  SAME(clock, nvmlDeviceGetClockInfo);
  SAME(clock_max, nvmlDeviceGetMaxClockInfo);
  SAME(application_clock, nvmlDeviceGetApplicationsClock);
  SAME(application_default, nvmlDeviceGetDefaultApplicationsClock);
  SAME(performance_state, nvmlDeviceGetPerformanceState);
  SAME(utilization, nvmlDeviceGetUtilizationRates);
  SAME(memory, nvmlDeviceGetMemoryInfo);
  SAME(field_values, nvmlDeviceGetFieldValues);
  SAME(temperature, nvmlDeviceGetTemperatureV);
  SAME(temperature_v1, nvmlDeviceGetTemperature);
  SAME(event_reasons, nvmlDeviceGetCurrentClocksEventReasons);
  SAME(throttle_reasons, nvmlDeviceGetCurrentClocksThrottleReasons);
  SAME(pcie_generation, nvmlDeviceGetCurrPcieLinkGeneration);
  SAME(pcie_width, nvmlDeviceGetCurrPcieLinkWidth);
  SAME(pcie_generation_max, nvmlDeviceGetMaxPcieLinkGeneration);
  SAME(pcie_width_max, nvmlDeviceGetMaxPcieLinkWidth);
  SAME(nvlink_state, nvmlDeviceGetNvLinkState);
  SAME(nvlink_other_end, nvmlDeviceGetNvLinkRemoteDeviceType);
  EXPECT_STREQ(nvml::fabric.name,
               "nvmlDeviceGetGpuFabricInfoV");  // a structure of any version, by its number
  compared().insert("nvmlDeviceGetGpuFabricInfoV");
  SAME(fabric_v1, nvmlDeviceGetGpuFabricInfo);
  SAME(remapped_rows, nvmlDeviceGetRemappedRows);
  SAME(retired_pending, nvmlDeviceGetRetiredPagesPendingStatus);
  SAME(ecc_errors, nvmlDeviceGetTotalEccErrors);
  SAME(event_set_create, nvmlEventSetCreate);
  SAME(event_set_free, nvmlEventSetFree);
  SAME(register_events, nvmlDeviceRegisterEvents);
  SAME(event_set_wait, nvmlEventSetWait_v2);
  SAME(processes, nvmlDeviceGetComputeRunningProcesses_v3);
  SAME(processes_v2, nvmlDeviceGetComputeRunningProcesses_v2);
  SAME(processes_v1, nvmlDeviceGetComputeRunningProcesses);
  SAME(virtualization, nvmlDeviceGetVirtualizationMode);
  SAME(active_vgpus, nvmlDeviceGetActiveVgpus);
  SAME(vgpu_driver, nvmlVgpuInstanceGetVmDriverVersion);
  SAME(licensable_features, nvmlDeviceGetGridLicensableFeatures_v4);

  std::ifstream file(GPUGAUGE_SOURCE_DIR "/harness/stack/nvml_api.hpp");
  std::stringstream text;
  text << file.rdbuf();
  const std::string declared = text.str();
  std::set<std::string> names;
  const std::regex quoted("\"(nvml[A-Za-z0-9_]+)\"");
  for (std::sregex_iterator at(declared.begin(), declared.end(), quoted), end; at != end; ++at)
    names.insert((*at)[1]);
  EXPECT_EQ(names, compared()) << "what is declared is compared";
}

#define SAME_PLACE(ours, member, theirs, their_member)                                      \
  static_assert(offsetof(nvml::ours, member) == offsetof(::theirs, their_member), #member); \
  static_assert(sizeof(nvml::ours::member) == sizeof(::theirs::their_member), #member)

TEST(NvmlApi, EveryStructureIsNvidias) {
  static_assert(sizeof(nvml::PciInfo) == sizeof(nvmlPciInfo_t));
  SAME_PLACE(PciInfo, bus_id, nvmlPciInfo_t, busId);
  static_assert(sizeof(nvml::Memory) == sizeof(nvmlMemory_t));
  SAME_PLACE(Memory, total, nvmlMemory_t, total);
  SAME_PLACE(Memory, free, nvmlMemory_t, free);
  SAME_PLACE(Memory, used, nvmlMemory_t, used);
  static_assert(sizeof(nvml::Utilization) == sizeof(nvmlUtilization_t));
  SAME_PLACE(Utilization, gpu, nvmlUtilization_t, gpu);
  SAME_PLACE(Utilization, memory, nvmlUtilization_t, memory);
  static_assert(sizeof(nvml::Process) == sizeof(nvmlProcessInfo_t));
  SAME_PLACE(Process, pid, nvmlProcessInfo_t, pid);
  SAME_PLACE(Process, bytes, nvmlProcessInfo_t, usedGpuMemory);
  static_assert(sizeof(nvml::ProcessV1) == sizeof(nvmlProcessInfo_v1_t));
  SAME_PLACE(ProcessV1, pid, nvmlProcessInfo_v1_t, pid);
  SAME_PLACE(ProcessV1, bytes, nvmlProcessInfo_v1_t, usedGpuMemory);
  static_assert(sizeof(nvml::FieldValue) == sizeof(nvmlFieldValue_t));
  SAME_PLACE(FieldValue, field, nvmlFieldValue_t, fieldId);
  SAME_PLACE(FieldValue, scope, nvmlFieldValue_t, scopeId);
  SAME_PLACE(FieldValue, type, nvmlFieldValue_t, valueType);
  SAME_PLACE(FieldValue, code, nvmlFieldValue_t, nvmlReturn);
  SAME_PLACE(FieldValue, value, nvmlFieldValue_t, value);
  static_assert(sizeof(nvml::Event) == sizeof(nvmlEventData_t));
  static_assert(offsetof(nvml::Event, device) == offsetof(::nvmlEventData_t, device));
  SAME_PLACE(Event, type, nvmlEventData_t, eventType);
  SAME_PLACE(Event, data, nvmlEventData_t, eventData);
  static_assert(sizeof(nvml::ConfidentialState) == sizeof(nvmlConfComputeSystemState_t));
  SAME_PLACE(ConfidentialState, environment, nvmlConfComputeSystemState_t, environment);
  SAME_PLACE(ConfidentialState, feature, nvmlConfComputeSystemState_t, ccFeature);
  SAME_PLACE(ConfidentialState, devtools_mode, nvmlConfComputeSystemState_t, devToolsMode);
  static_assert(sizeof(nvml::Temperature) == sizeof(nvmlTemperature_v1_t));
  SAME_PLACE(Temperature, sensor, nvmlTemperature_v1_t, sensorType);
  SAME_PLACE(Temperature, celsius, nvmlTemperature_v1_t, temperature);
  EXPECT_EQ(nvml::Temperature{}.version, nvmlTemperature_v1);
  static_assert(sizeof(nvml::FabricV1) == sizeof(nvmlGpuFabricInfo_t));
  SAME_PLACE(FabricV1, status, nvmlGpuFabricInfo_t, status);
  SAME_PLACE(FabricV1, clique, nvmlGpuFabricInfo_t, cliqueId);
  SAME_PLACE(FabricV1, state, nvmlGpuFabricInfo_t, state);
  static_assert(sizeof(nvml::Fabric) == sizeof(nvmlGpuFabricInfo_v2_t));
  SAME_PLACE(Fabric, cluster, nvmlGpuFabricInfo_v2_t, clusterUuid);
  SAME_PLACE(Fabric, status, nvmlGpuFabricInfo_v2_t, status);
  SAME_PLACE(Fabric, clique, nvmlGpuFabricInfo_v2_t, cliqueId);
  SAME_PLACE(Fabric, state, nvmlGpuFabricInfo_v2_t, state);
  SAME_PLACE(Fabric, health, nvmlGpuFabricInfo_v2_t, healthMask);
  EXPECT_EQ(nvml::Fabric{}.version, nvmlGpuFabricInfo_v2);
  static_assert(sizeof(nvml::LicensableFeatures) == sizeof(nvmlGridLicensableFeatures_t));
  SAME_PLACE(LicensableFeatures, supported, nvmlGridLicensableFeatures_t, isGridLicenseSupported);
  SAME_PLACE(LicensableFeatures, count, nvmlGridLicensableFeatures_t, licensableFeaturesCount);
  SAME_PLACE(LicensableFeatures, features, nvmlGridLicensableFeatures_t, gridLicensableFeatures);
  static_assert(sizeof(nvml::LicensableFeature) == sizeof(nvmlGridLicensableFeature_t));
  SAME_PLACE(LicensableFeature, licensed, nvmlGridLicensableFeature_t, featureState);
}

TEST(NvmlApi, EveryNumberIsNvidias) {
  EXPECT_EQ(nvml::success, NVML_SUCCESS);
  EXPECT_EQ(nvml::invalid_argument, NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvml::not_supported, NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvml::no_permission, NVML_ERROR_NO_PERMISSION);
  EXPECT_EQ(nvml::insufficient_size, NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(nvml::function_not_found, NVML_ERROR_FUNCTION_NOT_FOUND);
  EXPECT_EQ(nvml::gpu_is_lost, NVML_ERROR_GPU_IS_LOST);
  EXPECT_EQ(nvml::version_mismatch, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  EXPECT_EQ(nvml::unknown_error, NVML_ERROR_UNKNOWN);
  EXPECT_EQ(nvml::clock_sm, NVML_CLOCK_SM);
  EXPECT_EQ(nvml::clock_memory, NVML_CLOCK_MEM);
  EXPECT_EQ(nvml::sensor_gpu, NVML_TEMPERATURE_GPU);
  EXPECT_EQ(nvml::uncorrected, NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
  EXPECT_EQ(nvml::since_driver_load, NVML_VOLATILE_ECC);
  EXPECT_EQ(nvml::pstate_unknown, NVML_PSTATE_UNKNOWN);
  EXPECT_EQ(nvml::nvlink_to_switch, NVML_NVLINK_DEVICE_TYPE_SWITCH);
  EXPECT_EQ(nvml::event_xid, nvmlEventTypeXidCriticalError);
  EXPECT_EQ(nvml::virtualization_guest, NVML_GPU_VIRTUALIZATION_MODE_VGPU);
  EXPECT_EQ(nvml::virtualization_host, NVML_GPU_VIRTUALIZATION_MODE_HOST_VGPU);
  EXPECT_EQ(nvml::virtualization_host_shared, NVML_GPU_VIRTUALIZATION_MODE_HOST_VSGA);
  EXPECT_EQ(nvml::fabric_completed, NVML_GPU_FABRIC_STATE_COMPLETED);
  EXPECT_GE(nvml::nvlinks_most, NVML_NVLINK_MAX_LINKS);
  EXPECT_EQ(nvml::field_memory_temperature, NVML_FI_DEV_MEMORY_TEMP);
  EXPECT_EQ(nvml::field_nvlink_megabytes_per_second, NVML_FI_DEV_NVLINK_GET_SPEED);
  EXPECT_EQ(nvml::type_unsigned_int, NVML_VALUE_TYPE_UNSIGNED_INT);
  EXPECT_EQ(nvml::type_unsigned_long, NVML_VALUE_TYPE_UNSIGNED_LONG);
  EXPECT_EQ(nvml::type_unsigned_long_long, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
  EXPECT_EQ(nvml::type_signed_int, NVML_VALUE_TYPE_SIGNED_INT);
}

#endif

}  // namespace
}  // namespace gpugauge::stack
