// A libcuda.so.1 for tests. Keys: driver_version (12080), version_result, init_result, count_result,
// device_result, devices, name, name.N, capability (90), pci.N, mig (1: each device is a MIG instance), hang,
// crash, exit, noise. CUDA_VISIBLE_DEVICES set to nothing hides every device, as with the real one.
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
  const std::string common = fake::text("name", "NVIDIA Fake 1000");
  fake::copy(fake::text("name." + std::to_string(device), common), name, static_cast<std::size_t>(size));
  return 0;
}

int cuDeviceGetUuid(Uuid* uuid, int device) {
  return fill_uuid(uuid, device, 0xaa);
}

int cuDeviceGetUuid_v2(Uuid* uuid, int device) {
  return fill_uuid(uuid, device, fake::number("mig", 0) == 1 ? 0xbb : 0xaa);
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  const int capability = fake::number("capability", 90);
  if (attribute == 75) return *value = capability / 10, 0;
  if (attribute == 76) return *value = capability % 10, 0;
  return 1;
}

int cuDeviceGetPCIBusId(char* id, int size, int device) {
  fake::copy(fake::text("pci." + std::to_string(device), "0000:0" + std::to_string(device + 1) + ":00.0"), id,
             static_cast<std::size_t>(size));
  return 0;
}

}  // extern "C"
