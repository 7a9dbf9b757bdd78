// The made device, and errors. Its name, size and address are those of the fake driver's scenario
// (fakes/scenario.hpp).
#include <cstring>
#include <utility>

#include <cuda_runtime_api.h>

#include "fakes/runtime/plan.hpp"
#include "fakes/scenario.hpp"

using fake::runtime::capability;
using fake::runtime::current;
using fake::runtime::enter;
using fake::runtime::enter_waiting;
using fake::runtime::remember;

namespace {

constexpr int sm_count = 4;
constexpr std::size_t memory_bytes = std::size_t{4} << 30U;

std::size_t memory(int device) {
  const int mebibytes = fake::number_of(device, "memory_mib", 0);
  return mebibytes > 0 ? static_cast<std::size_t>(mebibytes) << 20U : memory_bytes;
}

/// Bytes of L2 that somebody left set aside.
std::size_t& l2_set_aside() {
  static auto bytes = static_cast<std::size_t>(fake::number_of(0, "l2_set_aside", 0));
  return bytes;
}

/// How the context waits.
unsigned& context_flags() {
  static unsigned flags = cudaDeviceScheduleAuto;
  return flags;
}

cudaError_t driver_entry(const char* name, void** address, cudaDriverEntryPointQueryResult* found) {
  *address = fake::runtime::driver_function == nullptr ? nullptr : fake::runtime::driver_function(name);
  *found = *address == nullptr ? cudaDriverEntryPointSymbolNotFound : cudaDriverEntryPointSuccess;
  return enter("cudaGetDriverEntryPoint");
}

}  // namespace

void* (*fake::runtime::driver_function)(std::string_view name) = nullptr;

int fake::runtime::capability() {
  return fake::number_of(0, "capability", 90);
}

extern "C" {

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = fake::number("driver_version", 13000);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = fake::number("runtime_devices", 1);
  return enter("cudaGetDeviceCount");
}
cudaError_t cudaInitDevice(int, unsigned flags, unsigned) {
  context_flags() = flags;
  return enter("cudaInitDevice");
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = context_flags();
  return enter("cudaGetDeviceFlags");
}
cudaError_t cudaSetDevice(int device) {
  const int before = std::exchange(current(), device);
  cudaError_t told = enter("cudaSetDevice");
  if (told == cudaSuccess && (device < 0 || device >= fake::number("runtime_devices", 1)))
    told = remember(cudaErrorInvalidDevice);
  if (told != cudaSuccess) current() = before;
  return told;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current();
  return enter("cudaGetDevice");
}
cudaError_t cudaDeviceCanAccessPeer(int* possible, int, int) {
  const cudaError_t told = enter("cudaDeviceCanAccessPeer");
  *possible = fake::runtime::word() == "zero" ? 0 : 1;
  return told;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return enter("cudaDeviceEnablePeerAccess");
}
cudaError_t cudaDeviceDisablePeerAccess(int) {
  return enter("cudaDeviceDisablePeerAccess");
}
cudaError_t cudaDeviceSynchronize() {
  return enter_waiting("cudaDeviceSynchronize");
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (const cudaError_t told = enter("cudaGetDeviceProperties"); told != cudaSuccess) return told;
  *properties = cudaDeviceProp{};
  // Whatever the scenario calls it: nobody may take what was "measured" here for a GPU's.
  fake::copy(fake::name_of(0) + " (made for tests, no GPU)", properties->name, sizeof properties->name);
  for (int i = 0; i < 16; ++i) properties->uuid.bytes[i] = static_cast<char>(i);  // as fake_cuda.cpp has it
  properties->uuid.bytes[0] = static_cast<char>(0xaa);
  properties->uuid.bytes[15] = static_cast<char>(fake::number("runtime_uuid_end", 0) + device);
  properties->major = capability() / 10;
  properties->minor = capability() % 10;
  properties->multiProcessorCount = sm_count;
  properties->totalGlobalMem = memory(device);
  properties->l2CacheSize = 8 << 20;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = 0;
  if (attribute == cudaDevAttrComputeCapabilityMajor) *value = capability() / 10;
  if (attribute == cudaDevAttrComputeCapabilityMinor) *value = capability() % 10;
  if (attribute == cudaDevAttrMultiProcessorCount) *value = sm_count;
  if (attribute == cudaDevAttrMemoryPoolsSupported) *value = 1;
  if (attribute == cudaDevAttrComputeMode)
    *value = fake::number_of(0, "compute_mode", cudaComputeModeDefault);
  if (attribute == cudaDevAttrMaxPersistingL2CacheSize) *value = fake::number_of(0, "l2_persisting", 0);
  return enter("cudaDeviceGetAttribute");
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int size, int) {
  fake::copy(fake::pci_of(0), id, static_cast<std::size_t>(size));
  return enter("cudaDeviceGetPCIBusId");
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitPersistingL2CacheSize ? l2_set_aside() : 0;
  return enter("cudaDeviceGetLimit");
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  if (limit == cudaLimitPersistingL2CacheSize) l2_set_aside() = value;
  return enter("cudaDeviceSetLimit");
}
cudaError_t cudaCtxResetPersistingL2Cache() {
  return enter("cudaCtxResetPersistingL2Cache");
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = memory(current());
  *free = *total - (static_cast<std::size_t>(fake::number_of(current(), "memory_held_mib", 0)) << 20U);
  return enter("cudaMemGetInfo");
}

cudaError_t cudaGetLastError() {
  return fake::runtime::take_last();
}
const char* cudaGetErrorName(cudaError_t) {
  return "an error of the fake CUDA runtime";
}
const char* cudaGetErrorString(cudaError_t) {
  return "a sentence of the fake CUDA runtime";
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** address, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
  return driver_entry(name, address, found);
}
cudaError_t cudaGetDriverEntryPoint(const char* name, void** address, unsigned long long,
                                    cudaDriverEntryPointQueryResult* found) {
  return driver_entry(name, address, found);
}

}  // extern "C"
