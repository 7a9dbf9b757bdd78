// Kernels of the fake runtime: how nvcc's code registers and launches them, and the few that do their work,
// by a twin on the host. Every other kernel is launched and does nothing.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>

#include <cuda_runtime_api.h>

#include "fakes/runtime/plan.hpp"
#include "kernels/launch/arguments.hpp"
#include "kernels/launch/first.hpp"
#include "kernels/support/blocker.hpp"
#include "kernels/support/clock_stamp.hpp"
#include "kernels/support/comparison.hpp"

namespace {

using gpugauge::kernels::BlockerFlags;
using gpugauge::kernels::ClockStamp;

std::map<const void*, std::string>& names() {
  static std::map<const void*, std::string> registered;
  return registered;
}

std::uint64_t nanoseconds() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                    std::chrono::nanoseconds(1));
}

template <typename T>
T argument(void** arguments, int index) {
  return *static_cast<T*>(arguments[index]);
}

void counting(void** arguments, const std::string&) {
  *argument<unsigned long long*>(arguments, 0) += 1;
}

// How many values it takes stands in its name, as m each.
void folding(void** arguments, const std::string& name) {
  const auto first = name.find("IJ") + 2;
  const auto count = static_cast<int>(name.find('E', first) - first);
  std::uint64_t folded = 0;
  for (int i = 1; i <= count; ++i)
    folded = gpugauge::kernels::launch::fold_argument(folded, argument<std::uint64_t>(arguments, i));
  *argument<unsigned long long*>(arguments, 0) += folded;
}

// A launch is over when it returns, as with CUDA_LAUNCH_BLOCKING: nobody can let the holder go any more.
void block(void** arguments, const std::string&) {
  auto* const flags = argument<BlockerFlags*>(arguments, 0);
  if (flags->release == 0) flags->timed_out = 1;
}

// One SM of 1 GHz.
void stamp(void** arguments, const std::string&) {
  const std::uint64_t now = nanoseconds();
  argument<ClockStamp*>(arguments, 0)[0] = {now, now, argument<std::uint64_t>(arguments, 1)};
}

void spin(void** arguments, const std::string&) {
  const std::uint64_t end = nanoseconds() + argument<std::uint64_t>(arguments, 0);
  while (nanoseconds() < end) {
  }
}

// The first kilobyte of an array: the rest is never looked at.
void copy(void** arguments, const std::string&) {
  const std::size_t bytes = argument<std::size_t>(arguments, 2) * sizeof(float);
  std::memcpy(argument<float*>(arguments, 1), argument<const float*>(arguments, 0),
              std::min<std::size_t>(bytes, 1024));
}

void copy_pair(void** arguments, const std::string& name) {
  void* other[]{arguments[2], arguments[3], arguments[4]};
  void* one[]{arguments[0], arguments[1], arguments[4]};
  copy(one, name);
  copy(other, name);
}

void first(void** arguments, const std::string&) {
  auto* const values = argument<std::uint64_t*>(arguments, 0);
  for (int i = 0; i < gpugauge::kernels::launch::first_threads; ++i)
    values[i] = gpugauge::kernels::launch::first_value(static_cast<std::uint64_t>(i));
}

// Compares nothing: says that it came to every element and that each is right. Of a copy, which begins with
// its target, the first element is wrong where it is still poison.
void agree(void** arguments, const std::string& name) {
  auto* const found = argument<gpugauge::kernels::Comparison*>(arguments, 2);
  found->compared = argument<std::size_t>(arguments, 0);
  if (fake::runtime::is_called(name, "Copied") &&
      *argument<const std::uint32_t*>(arguments, 1) == 0xffffffffU)
    found->wrong = 1;
}

struct Twin {
  const char* kernel;
  void (*work)(void** arguments, const std::string& name);
};

constexpr Twin twins[]{{"counting_kernel", counting}, {"folding", folding},
                       {"blocker_kernel", block},     {"clock_stamp_kernel", stamp},
                       {"spin_kernel", spin},         {"compare_kernel", agree},
                       {"copy_kernel", copy},         {"copy_pair_kernel", copy_pair},
                       {"first_kernel", first}};

cudaError_t launch(const char* call, const void* kernel, void** arguments) {
  if (const cudaError_t told = fake::runtime::enter(call); told != cudaSuccess) return told;
  const auto found = names().find(kernel);
  if (found == names().end()) return fake::runtime::remember(cudaErrorInvalidDeviceFunction);
  if (!fake::runtime::enter_kernel(found->second)) return cudaSuccess;
  for (const Twin& twin : twins)
    if (fake::runtime::is_called(found->second, twin.kernel)) twin.work(arguments, found->second);
  return cudaSuccess;
}

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};
thread_local Configuration pushed;

}  // namespace

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier): nvcc's code calls them so
void** __cudaRegisterFatBinary(void* binary) {
  return static_cast<void**>(binary);
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {
  names()[host] = name;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
  pushed = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  *grid = pushed.grid;
  *block = pushed.block;
  *shared = pushed.shared;
  *static_cast<cudaStream_t*>(stream) = pushed.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3, void** arguments, std::size_t, cudaStream_t) {
  return launch("cudaLaunchKernel", kernel, arguments);
}
// NOLINTEND(bugprone-reserved-identifier)

cudaError_t cudaLaunchKernel(const void* kernel, dim3, dim3, void** arguments, std::size_t, cudaStream_t) {
  return launch("cudaLaunchKernel", kernel, arguments);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void* kernel, void** arguments) {
  return launch("cudaLaunchKernelExC", kernel, arguments);
}
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3, dim3, void** arguments, std::size_t,
                                        cudaStream_t) {
  return launch("cudaLaunchCooperativeKernel", kernel, arguments);
}

cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
  return fake::runtime::enter("cudaFuncSetAttribute");
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* code, const void*) {
  *code = {};
  const cudaError_t answer = fake::runtime::enter("cudaFuncGetAttributes");
  code->binaryVersion = fake::runtime::word() == "old" ? 70 : fake::runtime::capability();
  code->ptxVersion = code->binaryVersion;
  return answer;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int, std::size_t,
                                                                   unsigned) {
  *blocks = 1;
  return fake::runtime::enter("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags");
}
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void*, const cudaLaunchConfig_t*) {
  *clusters = 1;
  return fake::runtime::enter("cudaOccupancyMaxActiveClusters");
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void*) {
  *function = nullptr;
  const cudaError_t told = fake::runtime::enter("cudaGetFuncBySymbol");
  return told != cudaSuccess ? told : fake::runtime::remember(cudaErrorNotSupported);
}

}  // extern "C"
