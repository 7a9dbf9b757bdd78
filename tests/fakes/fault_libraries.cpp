// The functions of cuBLAS and CUPTI that faults of bench/faults meet, as far as it takes to see what they do.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

int math_mode = 0;
struct Subscriber {
  void (*callback)(void*, int, std::uint32_t, const void*) = nullptr;
  bool domains[3] = {};
  bool kernels = false;
  bool buffers = false;
} subscriber;

/// Where a test asks for it, CUPTI refuses, as where another profiler has it.
int answer() {
  constexpr int multiple_subscribers = 39;
  return std::getenv("FAKE_CUPTI_REFUSES") != nullptr ? multiple_subscribers : 0;
}

}  // namespace

extern "C" {

int cublasSetMathMode(void*, int mode) {
  math_mode = mode;
  return 0;
}
int cublasGetMathMode(void*, int* mode) {
  *mode = math_mode;
  return 0;
}

int cuptiSubscribe(void** handle, void (*callback)(void*, int, std::uint32_t, const void*), void*) {
  *handle = &subscriber;
  subscriber.callback = callback;
  return answer();
}
int cuptiEnableDomain(std::uint32_t enable, void* handle, int domain) {
  if (handle != &subscriber || domain < 1 || domain > 2) return 1;
  subscriber.domains[domain] = enable != 0;
  return 0;
}
int cuptiActivityRegisterCallbacks(void (*give)(std::uint8_t**, std::size_t*, std::size_t*),
                                   void (*take)(void*, std::uint32_t, std::uint8_t*, std::size_t,
                                                std::size_t)) {
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0, records = 1;
  give(&buffer, &size, &records);
  subscriber.buffers = buffer != nullptr && size > 0 && records == 0;
  take(nullptr, 0, buffer, size, 0);
  return 0;
}
int cuptiActivityEnable(int kind) {
  subscriber.kernels = kind == 10;
  return 0;
}

/// Calls the subscriber as a call of the runtime would, and says whether all that it asked for is on.
int fake_cupti_works() {
  if (subscriber.callback == nullptr) return 0;
  subscriber.callback(nullptr, 2, 1, nullptr);
  return subscriber.domains[1] && subscriber.domains[2] && subscriber.kernels && subscriber.buffers ? 1 : 0;
}
}
