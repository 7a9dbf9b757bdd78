#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "support/cuda/operation_timer.hpp"
#include "support/cuda/resources.hpp"

namespace gpugauge::bench::launch {
namespace {

constexpr std::size_t bytes = std::size_t{2} << 20U;

/// A pool that keeps freed memory for as long as this object lives. The GPU's default pool is left unchanged,
/// because that would affect later benchmarks.
class WarmPool {
 public:
  WarmPool() {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.handleTypes = cudaMemHandleTypeNone;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    cuda::check(cudaMemPoolCreate(&pool_, &properties), "making a memory pool");
    std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
    const cudaError_t status = cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &threshold);
    if (status != cudaSuccess) cudaMemPoolDestroy(pool_);
    cuda::check(status, "setting the memory pool's threshold");
  }
  WarmPool(const WarmPool&) = delete;
  WarmPool& operator=(const WarmPool&) = delete;
  ~WarmPool() { cudaMemPoolDestroy(pool_); }
  cudaMemPool_t get() const { return pool_; }

 private:
  cudaMemPool_t pool_ = nullptr;
};

/// Allocates and frees memory in one of the three ways.
class Allocator {
 public:
  /// `pool` is for the way of that name, and may be nullptr for others.
  Allocator(const std::string& way, cudaMemPool_t pool, cudaStream_t stream)
      : way_(way), pool_(pool), stream_(stream) {}

  void* take() const {
    void* memory = nullptr;
    if (way_ == "pool")
      cuda::check_allocation(cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_),
                             "allocating GPU memory from the pool", bytes);
    else if (way_ == "device")
      cuda::check_allocation(cudaMalloc(&memory, bytes), "allocating GPU memory", bytes);
    else
      cuda::check_pinned(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault),
                         "allocating pinned host memory");
    return memory;
  }
  void give_back(void* memory) const {
    if (way_ == "pool")
      cuda::check(cudaFreeAsync(memory, stream_), "giving GPU memory back to the pool");
    else if (way_ == "device")
      cuda::check(cudaFree(memory), "giving GPU memory back");
    else
      cuda::check(cudaFreeHost(memory), "giving pinned host memory back");
  }

 private:
  std::string way_;
  cudaMemPool_t pool_;
  cudaStream_t stream_;
};

// Verifies that every byte of two blocks held at once can be written and keeps its own value.
void verify_memory(Trial& trial, const Allocator& allocator, cudaStream_t stream) {
  void* const blocks[2] = {allocator.take(), allocator.take()};
  std::size_t wrong = 0;
  for (int i = 0; i < 2; ++i)
    cuda::check(cudaMemsetAsync(blocks[i], 0x11 * (i + 1), bytes, stream), "writing");
  std::vector<unsigned char> found(bytes);
  for (int i = 0; i < 2; ++i) {
    cuda::check(cudaMemcpyAsync(found.data(), blocks[i], bytes, cudaMemcpyDefault, stream), "reading back");
    cuda::check(cudaStreamSynchronize(stream), "waiting for the GPU");
    for (const unsigned char byte : found) wrong += byte == 0x11 * (i + 1) ? 0 : 1;
  }
  for (void* const block : blocks) allocator.give_back(block);
  cuda::check(cudaStreamSynchronize(stream), "waiting for the GPU");
  trial.verify("bytes of two blocks of allocated memory that lost their value", static_cast<double>(wrong),
               0);
}

void allocate(Trial& trial) {
  const std::string& way = trial.parameter("way");
  std::optional<WarmPool> pool;
  if (way == "pool") {
    int supported = 0;
    cuda::check(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0),
                "asking for memory pools");
    if (supported == 0) trial.skip("this GPU, as it is used here, has no memory pools");
    pool.emplace();
  }
  const cuda::Stream stream;
  const Allocator allocator(way, pool ? pool->get() : nullptr, stream.get());
  cuda::OperationTimer timer([&] { allocator.give_back(allocator.take()); }, [&] { stream.synchronize(); },
                             way == "pool" ? 64 : 0);
  trial.note("bytes", std::to_string(bytes));
  timer.watch_clock(cuda::spin_of_gpu());
  trial.time(timer);
  timer.add_metrics(trial, "alloc", true);
  verify_memory(trial, allocator, stream.get());
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Taking 2 MiB of memory and giving it back: cudaMallocFromPoolAsync and cudaFreeAsync with "
                  "a pool "
                  "that keeps its memory, cudaMalloc and cudaFree, cudaHostAlloc and cudaFreeHost")
        .bad_value(
            "device and pinned: a slow IOMMU, a busy or virtualised host, many other allocations, a slow "
            "kernel module; pool: a pool that returns its memory to the system, an attached tool")
        .axis("way", {"pool", "device", "pinned"})
        .from(Depth::quick, "way", {"pool"})
        .from(Depth::deep, "way", {"device", "pinned"})
        .quantity(Quantity::latency, "alloc")
        .statistics({Statistic::median, Statistic::mean})
        .requires_gpu()
        .body(allocate)};

}  // namespace
}  // namespace gpugauge::bench::launch
