// Fault that CUDA itself loads (CUDA_INJECTION64_PATH), as it loads profilers. It watches every runtime and
// driver call and every kernel through CUPTI, keeps no records, and never detaches.
//
// CUPTI is opened at run time, from the file that GPUGAUGE_FAULT_CUPTI names. Its functions and numbers are
// declared in cupti_callbacks.h and cupti_activity.h of CUDA 12 and 13.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <dlfcn.h>
#include <time.h>

#include "faults/fault.hpp"

namespace {

enum Domain : int { driver_api = 1, runtime_api = 2 };
constexpr int concurrent_kernel = 10;  // CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
constexpr std::size_t buffer_bytes = std::size_t{1} << 20U;

/// What a profiler would record for each call: its begin and its end.
struct Watched {
  std::uint64_t calls;
  timespec last;
};
Watched watched;

using Callback = void (*)(void*, int, std::uint32_t, const void*);
using GiveBuffer = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using TakeBuffer = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

void watch(void*, int, std::uint32_t, const void*) {
  ++watched.calls;
  clock_gettime(CLOCK_MONOTONIC, &watched.last);
}

void give(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;
}

void take(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t) {
  std::free(buffer);
}

template <typename Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

/// Returns true where CUPTI watches from now on.
bool subscribe() {
  const char* const file = std::getenv("GPUGAUGE_FAULT_CUPTI");
  void* const library = file == nullptr ? nullptr : dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  const auto subscribe_to = find<int (*)(void**, Callback, void*)>(library, "cuptiSubscribe");
  const auto enable = find<int (*)(std::uint32_t, void*, int)>(library, "cuptiEnableDomain");
  const auto buffers = find<int (*)(GiveBuffer, TakeBuffer)>(library, "cuptiActivityRegisterCallbacks");
  const auto record = find<int (*)(int)>(library, "cuptiActivityEnable");
  if (subscribe_to == nullptr || enable == nullptr || buffers == nullptr || record == nullptr) return false;
  void* subscriber = nullptr;
  return subscribe_to(&subscriber, &watch, nullptr) == 0 && enable(1, subscriber, driver_api) == 0 &&
         enable(1, subscriber, runtime_api) == 0 && buffers(&give, &take) == 0 &&
         record(concurrent_kernel) == 0;
}

}  // namespace

// The driver calls this at start-up and continues whatever it returns.
GPUGAUGE_FAULT_EXPORT int InitializeInjection() {
  if (gpugauge::faults::in_a_family() && subscribe()) gpugauge::faults::mark();
  return 1;
}
