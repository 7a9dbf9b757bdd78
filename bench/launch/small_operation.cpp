#include <algorithm>
#include <numeric>
#include <vector>

#include "launch/counted.hpp"
#include "support/cuda/blocker.hpp"
#include "support/cuda/operation_timer.hpp"

namespace gpugauge::bench::launch {
namespace {

constexpr std::size_t bytes = 4096;
constexpr int filling = 0x5a;

/// One operation of 4 KiB and the memory that it moves.
class Operation {
 public:
  explicit Operation(std::string kind)
      : kind_(std::move(kind)), pinned_(bytes), source_(bytes), target_(bytes) {}

  void operator()(cudaStream_t stream) const {
    if (kind_ == "memset")
      cuda::check(cudaMemsetAsync(target_.get(), filling, bytes, stream), "setting GPU memory");
    else if (kind_ == "host_to_device")
      cuda::check(cudaMemcpyAsync(target_.get(), pinned_.get(), bytes, cudaMemcpyHostToDevice, stream),
                  "copying to the GPU");
    else if (kind_ == "device_to_host")
      cuda::check(cudaMemcpyAsync(pinned_.get(), source_.get(), bytes, cudaMemcpyDeviceToHost, stream),
                  "copying from the GPU");
    else
      cuda::check(cudaMemcpyAsync(target_.get(), source_.get(), bytes, cudaMemcpyDeviceToDevice, stream),
                  "copying on the GPU");
  }

  /// Fills the source and the target with different patterns, runs the operation once, and counts the wrong
  /// bytes.
  std::size_t wrong_bytes(cudaStream_t stream) const {
    std::vector<unsigned char> pattern(bytes);
    std::iota(pattern.begin(), pattern.end(), static_cast<unsigned char>(7));
    const bool to_host = kind_ == "device_to_host";
    std::copy(pattern.begin(), pattern.end(), pinned_.get());
    cuda::check(cudaMemcpy(source_.get(), pattern.data(), bytes, cudaMemcpyHostToDevice), "filling");
    cuda::check(cudaMemset(target_.get(), 0xff, bytes), "poisoning");
    if (to_host) std::fill_n(pinned_.get(), bytes, static_cast<unsigned char>(0xff));
    cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
    (*this)(stream);
    cuda::check(cudaStreamSynchronize(stream), "waiting for the GPU");
    std::vector<unsigned char> found(bytes);
    if (to_host)
      std::copy_n(pinned_.get(), bytes, found.begin());
    else
      cuda::check(cudaMemcpy(found.data(), target_.get(), bytes, cudaMemcpyDeviceToHost), "reading back");
    if (kind_ == "memset") std::fill(pattern.begin(), pattern.end(), static_cast<unsigned char>(filling));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes; ++i) wrong += found[i] == pattern[i] ? 0 : 1;
    return wrong;
  }

 private:
  std::string kind_;
  cuda::PinnedBuffer<unsigned char> pinned_;
  cuda::DeviceBuffer<unsigned char> source_;
  cuda::DeviceBuffer<unsigned char> target_;
};

void small_operation(Trial& trial) {
  const cuda::Stream stream;
  const Operation operation(trial.parameter("kind"));
  cuda::OperationTimer timer([&] { operation(stream.get()); }, [&] { stream.synchronize(); },
                             burst(cuda::queue().depth));
  timer.watch_clock(cuda::spin_of_gpu());
  trial.time(timer);
  timer.add_metrics(trial, "launch", true);
  trial.verify("bytes that are wrong afterwards", static_cast<double>(operation.wrong_bytes(stream.get())),
               0);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "Processor time to put a memset or a copy of 4 KiB, pinned where it is the host's, into a stream "
            "whose queue is not full")
        .bad_value(
            "an attached tool, a slow or throttled processor, encrypted transfers (confidential computing), "
            "a driver regression")
        .axis("kind", {"memset", "host_to_device", "device_to_host", "device_to_device"})
        .from(Depth::deep)
        .quantity(Quantity::latency, "launch")
        .statistics({Statistic::median})
        .requires_gpu()
        .body(small_operation)};

}  // namespace
}  // namespace gpugauge::bench::launch
