// Preloaded fault: sets aside the most L2 that the GPU allows for persisting data, fills it, and sets it
// again whenever it is given back. It imitates a program that shares the process and never cleans up.
#include <atomic>
#include <cstddef>

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "faults/fault.hpp"

namespace {

constexpr long poll_nanoseconds = 100'000'000;

__global__ void read_all(const uint4* data, std::size_t count, unsigned* never) {
  unsigned seen = 0;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x)
    seen |= data[i].x | data[i].w;
  if (seen != 0) *never = seen;  // never true, but keeps the compiler from removing the loads
}

/// Whether the family already has a context: this library must not be the one that makes it.
bool context_is_there() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return false;
  using State = CUresult (*)(CUdevice, unsigned*, int*);
  const auto state = reinterpret_cast<State>(dlsym(driver, "cuDevicePrimaryCtxGetState"));
  unsigned flags = 0;
  int active = 0;
  const bool there = state != nullptr && state(0, &flags, &active) == CUDA_SUCCESS && active != 0;
  dlclose(driver);
  return there;
}

/// The data that stays in L2, and the stream whose reads keep it there.
class Kept {
 public:
  /// Sets the part aside where it is not, and reads the data once more. Returns false where the GPU refuses.
  bool renew() {
    if (!made_ && !make()) return false;
    std::size_t limit = 0;
    if (cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize) != cudaSuccess) return false;
    if (limit == 0 && cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most_) != cudaSuccess) return false;
    read_all<<<blocks_, threads, 0, stream_>>>(static_cast<const uint4*>(data_), bytes_ / sizeof(uint4),
                                               never_);
    return cudaGetLastError() == cudaSuccess && cudaStreamSynchronize(stream_) == cudaSuccess;
  }

 private:
  static constexpr int threads = 256;

  bool make() {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;  // the family may be capturing a graph
    int window = 0, most = 0;
    if (cudaThreadExchangeStreamCaptureMode(&mode) != cudaSuccess || cudaSetDevice(0) != cudaSuccess ||
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0) != cudaSuccess ||
        cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, 0) != cudaSuccess ||
        cudaDeviceGetAttribute(&blocks_, cudaDevAttrMultiProcessorCount, 0) != cudaSuccess || most <= 0 ||
        window <= 0)
      return false;
    most_ = static_cast<std::size_t>(most);
    bytes_ = static_cast<std::size_t>(most < window ? most : window);
    if (cudaMalloc(&data_, bytes_) != cudaSuccess || cudaMalloc(&never_, sizeof *never_) != cudaSuccess ||
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) != cudaSuccess ||
        cudaMemsetAsync(data_, 0, bytes_, stream_) != cudaSuccess)
      return false;
    cudaStreamAttrValue policy{};
    policy.accessPolicyWindow.base_ptr = data_;
    policy.accessPolicyWindow.num_bytes = bytes_;
    policy.accessPolicyWindow.hitRatio = 1;
    policy.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    policy.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    made_ = cudaStreamSetAttribute(stream_, cudaStreamAttributeAccessPolicyWindow, &policy) == cudaSuccess;
    return made_;
  }

  void* data_ = nullptr;
  unsigned* never_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::size_t most_ = 0, bytes_ = 0;
  int blocks_ = 1;
  bool made_ = false;
};

pthread_t keeper;
pid_t kept_by = 0;  // a forked process has no such thread to wait for
std::atomic<bool> ending = false;

void* keep(void*) {
  Kept kept;
  const timespec pause{0, poll_nanoseconds};
  while (!ending) {
    if (context_is_there()) {
      if (!kept.renew()) return nullptr;
      gpugauge::faults::mark();
    }
    nanosleep(&pause, nullptr);
  }
  return nullptr;
}

__attribute__((constructor)) void begin() {
  if (gpugauge::faults::in_a_family() && pthread_create(&keeper, nullptr, &keep, nullptr) == 0)
    kept_by = ::getpid();
}

__attribute__((destructor)) void end() {
  ending = true;
  if (kept_by == ::getpid()) pthread_join(keeper, nullptr);
}

}  // namespace
