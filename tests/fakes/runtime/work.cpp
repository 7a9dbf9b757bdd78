// Memory, streams, events and graphs of the fake runtime. Work is done when it is enqueued, so that every
// stream is in order and empty.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include "fakes/runtime/plan.hpp"

using fake::runtime::enter;
using fake::runtime::enter_waiting;
using fake::runtime::remember;

namespace {

using Time = std::chrono::steady_clock::time_point;

/// In front of every block; a page, so that the block begins on one.
constexpr std::size_t page = 4096;
/// Of a longer fill only so much is written: gigabytes that nobody reads need not exist.
constexpr std::size_t longest_fill = std::size_t{16} << 20U;

/// Pages that are never touched take no memory of the host.
cudaError_t take(const char* call, void** memory, std::size_t bytes) {
  if (const cudaError_t told = enter(call); told != cudaSuccess) return told;
  void* const found = ::mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return remember(cudaErrorMemoryAllocation);
  *static_cast<std::size_t*>(found) = bytes + page;
  *memory = static_cast<char*>(found) + page;
  return cudaSuccess;
}

cudaError_t give_back(const char* call, void* memory) {
  if (const cudaError_t told = enter(call); told != cudaSuccess) return told;
  if (memory == nullptr) return cudaSuccess;
  char* const start = static_cast<char*>(memory) - page;
  ::munmap(start, *reinterpret_cast<std::size_t*>(start));
  return cudaSuccess;
}

cudaError_t fill(cudaError_t told, void* to, int value, std::size_t bytes) {
  if (told == cudaSuccess) std::memset(to, value, std::min(bytes, longest_fill));
  return told;
}

/// An idle copy leaves out what is measured: a page or more.
cudaError_t copy(cudaError_t told, void* to, const void* from, std::size_t bytes) {
  const bool idle = fake::runtime::word() == "idle" && bytes >= page;
  if (told == cudaSuccess && !idle) std::memcpy(to, from, bytes);
  return told;
}

template <typename Handle>
cudaError_t make(const char* call, Handle* handle) {
  if (const cudaError_t told = enter(call); told != cudaSuccess) return told;
  *handle = reinterpret_cast<Handle>(new Time);
  return cudaSuccess;
}

template <typename Handle>
cudaError_t end(const char* call, Handle handle) {
  delete reinterpret_cast<Time*>(handle);
  return enter(call);
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return take("cudaMalloc", memory, bytes);
}
cudaError_t cudaFree(void* memory) {
  fake::runtime::wait_for_work();
  return give_back("cudaFree", memory);
}
cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t, cudaStream_t) {
  return take("cudaMallocFromPoolAsync", memory, bytes);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) {
  return give_back("cudaFreeAsync", memory);
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return take("cudaHostAlloc", memory, bytes);
}
cudaError_t cudaFreeHost(void* memory) {
  return give_back("cudaFreeHost", memory);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return enter("cudaHostGetDevicePointer");
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return fill(enter("cudaMemset"), to, value, bytes);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  return fill(enter("cudaMemsetAsync"), to, value, bytes);
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  return copy(enter_waiting("cudaMemcpy"), to, from, bytes);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  return copy(enter("cudaMemcpyAsync"), to, from, bytes);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, cudaStream_t) {
  return copy(enter("cudaMemcpyPeerAsync"), to, from, std::min(bytes, longest_fill));
}
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned) {
  return take("cudaMallocManaged", memory, bytes);
}
#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, cudaMemLocation, unsigned, cudaStream_t) {
#else
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) {
#endif
  return enter("cudaMemPrefetchAsync");
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  return make("cudaMemPoolCreate", pool);
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return end("cudaMemPoolDestroy", pool);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return enter("cudaMemPoolSetAttribute");
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return make("cudaStreamCreateWithFlags", stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return end("cudaStreamDestroy", stream);
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return enter_waiting("cudaStreamSynchronize");
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return enter("cudaStreamWaitEvent");
}
cudaError_t cudaStreamQuery(cudaStream_t) {
  const cudaError_t told = enter("cudaStreamQuery");
  return told == cudaSuccess && fake::runtime::busy() ? cudaErrorNotReady : told;
}
// What was captured would have to be kept with its arguments: there are no graphs.
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  const cudaError_t told = enter("cudaStreamBeginCapture");
  return told != cudaSuccess ? told : remember(cudaErrorNotSupported);
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) {
  return remember(cudaErrorNotSupported);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) {
  return remember(cudaErrorNotSupported);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return remember(cudaErrorNotSupported);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) {
  return remember(cudaErrorNotSupported);
}
cudaError_t cudaGraphDestroy(cudaGraph_t) {
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) {
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return make("cudaEventCreateWithFlags", event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return end("cudaEventDestroy", event);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  *reinterpret_cast<Time*>(event) = std::chrono::steady_clock::now();
  return enter("cudaEventRecord");
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return enter_waiting("cudaEventSynchronize");
}
cudaError_t cudaEventQuery(cudaEvent_t) {
  return enter_waiting("cudaEventQuery");
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (const cudaError_t told = enter("cudaEventElapsedTime"); told != cudaSuccess) return told;
  const auto passed = *reinterpret_cast<Time*>(stop) - *reinterpret_cast<Time*>(start);
  *milliseconds = std::chrono::duration<float, std::milli>(passed).count();
  if (fake::runtime::word() == "zero") *milliseconds = 0;
  if (fake::runtime::word() == "nan") *milliseconds = std::numeric_limits<float>::quiet_NaN();
  return cudaSuccess;
}

}  // extern "C"
