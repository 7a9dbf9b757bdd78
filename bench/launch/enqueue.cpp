#include <vector>

#include "kernels/launch/arguments.hpp"
#include "launch/counted.hpp"
#include "launch/driver_api.hpp"
#include "support/cuda/blocker.hpp"
#include "support/cuda/operation_timer.hpp"

namespace gpugauge::bench::launch {
namespace {

/// Launches a kernel through one of the two interfaces, with the same grid and the same array of arguments.
class Launcher {
 public:
  Launcher(bool driver, const void* kernel, std::vector<void*> arguments)
      : kernel_(kernel), arguments_(std::move(arguments)) {
    if (!driver) return;
    launch_ = driver_launch();
    function_ = driver_function(kernel);
  }
  void operator()(unsigned threads, cudaStream_t stream) {
    if (launch_ != nullptr)
      cuda::check_driver(launch_(function_, 1, 1, 1, threads, 1, 1, 0, stream, arguments_.data(), nullptr),
                         "launching a kernel by the driver API");
    else
      cuda::check(cudaLaunchKernel(kernel_, dim3(1), dim3(threads), arguments_.data(), 0, stream),
                  "launching a kernel");
  }

 private:
  const void* kernel_;
  std::vector<void*> arguments_;
  LaunchKernel launch_ = nullptr;
  CUfunction function_ = nullptr;
};

// Verifies that every launch runs and every argument arrives in its place, by summing an order-dependent
// fold.
void verify_arguments(Trial& trial, bool driver, const void* kernel, std::vector<std::uint64_t> values,
                      cudaStream_t stream) {
  const cuda::DeviceValue<unsigned long long> sum;
  unsigned long long* address = sum.get();
  std::vector<void*> arguments{&address};
  std::uint64_t folded = 0;
  for (std::uint64_t& value : values) {
    arguments.push_back(&value);
    folded = kernels::launch::fold_argument(folded, value);
  }
  Launcher launcher(driver, kernel, std::move(arguments));
  constexpr std::uint64_t launches = 100;
  for (std::uint64_t i = 0; i < launches; ++i) launcher(1, stream);
  trial.verify("the fold of all arguments, summed over the launches", sum.read(stream) == folded * launches);
}

void enqueue(Trial& trial) {
  const bool driver = trial.parameter("api") == "driver";
  const int count = static_cast<int>(trial.integer("arguments"));
  std::vector<std::uint64_t> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0x1234'5678'9abcU + i * i;
  std::vector<void*> arguments;
  arguments.reserve(values.size());
  for (std::uint64_t& value : values) arguments.push_back(&value);

  const cuda::Stream stream;
  Launcher launcher(driver, kernels::launch::ignoring_kernel(count), arguments);
  cuda::OperationTimer timer([&] { launcher(32, stream.get()); }, [&] { stream.synchronize(); },
                             burst(cuda::queue().depth));
  trial.note("synchronous_launch", cuda::queue().synchronous ? "true" : "false");
  timer.watch_clock(cuda::spin_of_gpu());
  trial.time(timer);
  timer.add_metrics(trial, "launch", true);
  verify_launches(trial, stream.get());
  verify_arguments(trial, driver, kernels::launch::folding_kernel(count), values, stream.get());
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "Processor time to put a kernel of n arguments, 8 bytes each, that does nothing into a stream "
            "whose queue is not full, by the runtime API and by the driver API: the submission path on one "
            "core, and what the runtime adds to it")
        .bad_value("CUDA_LAUNCH_BLOCKING, an attached profiler or debugger, a slow or throttled processor, a "
                   "power-saving governor, a driver regression")
        .axis("api", {"runtime", "driver"})
        .axis("arguments", {"0", "4", "16", "32"})
        .from(Depth::smoke, "arguments", {"0"})
        .from(Depth::deep, "arguments", {"4", "16", "32"})
        .from(Depth::deep, "api", {"driver"})
        .quantity(Quantity::latency, "launch")
        .statistics({Statistic::median})
        .requires_gpu()
        .body(enqueue)};

}  // namespace
}  // namespace gpugauge::bench::launch
