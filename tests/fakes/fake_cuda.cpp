// A libcuda.so.1 for tests; its keys are in scenario.hpp. mig=1: the device is a MIG instance.
// CUDA_VISIBLE_DEVICES set to nothing hides every device, as with the real one.
#include <cstdint>
#include <string>

#include "scenario.hpp"

namespace {

int devices() {
  return fake::number("devices", 1);
}

bool hidden() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible != nullptr && (std::string(visible).empty() || std::string(visible) == "-1");
}

struct Uuid {
  std::uint8_t bytes[16];
};

int fill_uuid(Uuid* uuid, int device, std::uint8_t first) {
  for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<std::uint8_t>(i);
  uuid->bytes[0] = first;
  uuid->bytes[15] = static_cast<std::uint8_t>(device);
  return 0;
}

}  // namespace

extern "C" {

int cuInit(unsigned flags) {
  fake::misbehave("cuInit");
  if (flags != 0) return 1;
  const int result = fake::number("init_result", 0);
  if (result != 0) return result;
  return hidden() || devices() == 0 ? 100 : 0;
}

int cuDriverGetVersion(int* version) {
  fake::misbehave("cuDriverGetVersion");
  *version = fake::number("driver_version", 13000);
  return fake::number("version_result", 0);
}

int cuDeviceGetCount(int* count) {
  *count = devices();
  return fake::number("count_result", 0);
}

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal < devices() ? fake::number("device_result", 0) : 101;
}

int cuDeviceGetName(char* name, int size, int device) {
  fake::copy(fake::name_of(device), name, static_cast<std::size_t>(size));
  return 0;
}

int cuDeviceGetUuid(Uuid* uuid, int device) {
  return fill_uuid(uuid, device, 0xaa);
}

int cuDeviceGetUuid_v2(Uuid* uuid, int device) {
  return fill_uuid(uuid, device, fake::number_of(device, "mig", 0) == 1 ? 0xbb : 0xaa);
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const int capability = fake::number_of(device, "capability", 90);
  if (attribute == 16) return *value = fake::number_of(device, "sm_count", 132), 0;
  if (attribute == 108) return *value = fake::number_of(device, "l2_persisting", 0), 0;
  if (attribute == 75) return *value = capability / 10, 0;
  if (attribute == 76) return *value = capability % 10, 0;
  return 1;
}

int cuDeviceGetPCIBusId(char* id, int size, int device) {
  fake::copy(fake::pci_of(device), id, static_cast<std::size_t>(size));
  return 0;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  *bytes = static_cast<std::size_t>(fake::number_of(device, "memory_mib", 0)) << 20U;
  return 0;
}

int cuGetErrorName(int code, const char** name) {
  struct ErrorName {
    int code;
    const char* name;
  };
  constexpr ErrorName names[]{{3, "CUDA_ERROR_NOT_INITIALIZED"},
                              {34, "CUDA_ERROR_STUB_LIBRARY"},
                              {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
                              {100, "CUDA_ERROR_NO_DEVICE"},
                              {101, "CUDA_ERROR_INVALID_DEVICE"},
                              {304, "CUDA_ERROR_OPERATING_SYSTEM"},
                              {802, "CUDA_ERROR_SYSTEM_NOT_READY"},
                              {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
                              {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
                              {999, "CUDA_ERROR_UNKNOWN"}};
  for (const ErrorName& entry : names) {
    if (entry.code == code) return *name = entry.name, 0;
  }
  return 1;
}

}  // extern "C"
