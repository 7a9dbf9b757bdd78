#include <array>
#include <vector>

#include <fmt/format.h>

#include "launch/counted.hpp"
#include "launch/fit_metrics.hpp"
#include "support/cuda/gpu_timer.hpp"
#include "support/measure.hpp"

namespace gpugauge::bench::launch {
namespace {

// Graph sizes of the fit. A graph of one node is left out: it takes the time of a plain launch, and as the
// shortest it would have most of the weight.
constexpr std::array sizes{4, 16, 64, 200};
/// Queue entries allowed per graph launch beyond those of its nodes. CUDA documents no number; this allowance
/// keeps the queue from filling behind the blocking kernel.
constexpr int entries_of_a_graph = 3;

/// An executable graph of what `enqueue` puts into a stream `nodes` times.
class Chain {
 public:
  Chain(int nodes, cudaStream_t stream, const std::function<void(cudaStream_t)>& enqueue) {
    cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a capture");
    for (int i = 0; i < nodes; ++i) enqueue(stream);
    cudaGraph_t graph = nullptr;
    cuda::check(cudaStreamEndCapture(stream, &graph), "ending a capture");
    const cuda::Owned<cudaGraph_t> owned(graph);
    cudaGraphExec_t ready = nullptr;
    cuda::check(cudaGraphInstantiate(&ready, graph, 0), "instantiating a graph");
    ready_.reset(ready);
    cuda::check(cudaGraphUpload(ready, stream), "uploading a graph");
    cuda::check(cudaStreamSynchronize(stream), "uploading a graph");
  }
  void launch(cudaStream_t stream) const {
    cuda::check(cudaGraphLaunch(ready_.get(), stream), "launching a graph");
  }

 private:
  cuda::Owned<cudaGraphExec_t> ready_;
};

void graph_replay(Trial& trial) {
  const cuda::Stream capture;
  // Loaded before capture, because some capture modes do not allow loading.
  cuda::check(kernels::launch::launch_empty(capture.get()), "launching an empty kernel");
  verify_launches(trial, capture.get());
  Window window = trial.window();
  constexpr auto windows = static_cast<double>(sizes.size() + 2);  // one node; p90 and p99 of the largest
  window.seconds /= windows;
  window.budget_seconds /= windows;
  const auto replay = [&](int size) {
    const Chain chain(size, capture.get(), [](cudaStream_t stream) {
      cuda::check(kernels::launch::launch_empty(stream), "launching an empty kernel");
    });
    cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) { chain.launch(stream); },
                         {.launches_per_operation = size + entries_of_a_graph});
    const double taken = seconds_per_operation(measure(timer, window), Statistic::median);
    if (size == sizes.back())
      add_tail(trial, timer, window, fmt::format("replay_of_{}_nodes", size), "launch");
    return taken;
  };
  trial.metric(seconds_metric("replay_of_1_node", "launch", "median", replay(1)));
  std::vector<double> nodes;
  std::vector<double> seconds;
  nodes.reserve(sizes.size());
  seconds.reserve(sizes.size());
  for (const int size : sizes) {
    nodes.push_back(size);
    seconds.push_back(replay(size));
    trial.note(fmt::format("replay_of_{}_nodes", size), fmt::format("{:.6f} us", seconds.back() * 1e6));
  }
  add_fit(trial, "launch", "per_node", nodes, seconds);
  trial.note("timer", "cuda_event");

  constexpr int replays = 20;
  verify_count(trial, capture.get(), static_cast<unsigned long long>(replays) * sizes.back(),
               [](cudaStream_t stream, unsigned long long* counter) {
                 const Chain chain(sizes.back(), stream, [&](cudaStream_t on) {
                   cuda::check(kernels::launch::launch_counting(counter, on), "launching a counting kernel");
                 });
                 for (int i = 0; i < replays; ++i) chain.launch(stream);
                 cuda::check(cudaStreamSynchronize(stream), "waiting for the GPU");
               });
}

const Registration registered{define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
                                  .isolates("GPU time to replay a graph of n empty kernels one after "
                                            "another: of one, which takes the time of a plain launch, "
                                            "of 4 to 200 as a fixed part and a part for each node, and "
                                            "p90 and p99 of the largest")
                                  .bad_value("a low SM clock, serialising tools (profiler, sanitizer), a "
                                             "driver that no longer uploads graphs as a "
                                             "whole")
                                  .custom_metrics({"launch"})
                                  .requires_gpu()
                                  .body(graph_replay)};

}  // namespace
}  // namespace gpugauge::bench::launch
