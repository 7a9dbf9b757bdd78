// What this family's benchmarks share: a graph's plans as candidates.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "cudnn/graph.hpp"
#include "support/cuda/candidates.hpp"
#include "support/cuda/resources.hpp"

namespace gpugauge::bench::cudnn {

/// Plans of the heuristic that are built and compared.
inline constexpr int most_plans = 10;

/// A graph with room for its largest workspace, and its plans as candidates of cuda::Candidates. Must outlive
/// them.
class Plans {
 public:
  /// The pointers of operation number `index`, in the graph's order.
  using Tensors = std::function<std::vector<void*>(std::int64_t index)>;

  Plans(Graph graph, Tensors tensors);
  std::vector<cuda::Candidate> candidates();
  /// Runs plan `plan` on the tensors of operation `index`. Throws cuda::Refused where cuDNN does not do it
  /// after all, CudnnError for anything else.
  void run(std::size_t plan, std::int64_t index, cudaStream_t stream);

 private:
  Graph graph_;
  Tensors tensors_;
  cuda::DeviceBuffer<std::byte> workspace_;
};

/// What `make` returns. Where cuDNN has no plan, and every healthy cuDNN that knows the GPU has one
/// (`always_planned`): throws CudnnError where this version surely knows the GPU, else ends the trial as
/// unavailable. Where not every one has a plan: skips the trial in cuDNN's words. A lost context is a
/// CudnnError always. Notes which plans were passed over for their workspace, "plans_left_out".
Graph planned(Trial& trial, bool always_planned, const std::function<Graph()>& make);

/// Notes which kernels the first candidate runs and, where it is another one, the best.
void note_plans(Trial& trial, Plans& plans, const cuda::Candidates& candidates);

}  // namespace gpugauge::bench::cudnn
