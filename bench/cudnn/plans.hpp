// Shared by this family's benchmarks: a graph's plans as candidates.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "cudnn/graph.hpp"
#include "support/cuda/candidates.hpp"
#include "support/cuda/resources.hpp"

namespace gpugauge::bench::cudnn {

/// Largest number of the heuristic's plans that are built and compared.
inline constexpr int most_plans = 10;

/// A graph with its largest workspace, and its plans as candidates for cuda::Candidates. Must outlive the
/// candidates.
class Plans {
 public:
  /// Returns the pointers of operation number `index`, in the graph's order.
  using Tensors = std::function<std::vector<void*>(std::int64_t index)>;

  Plans(Graph graph, Tensors tensors);
  std::vector<cuda::Candidate> candidates();
  /// How these candidates are measured.
  cuda::Candidates::Options options() const { return {.incomplete = graph_.cut_short()}; }
  /// Runs plan `plan` on the tensors of operation `index`. Throws cuda::Refused where cuDNN does not support
  /// it after all, CudnnError for anything else.
  void run(std::size_t plan, std::int64_t index, cudaStream_t stream);

 private:
  Graph graph_;
  Tensors tensors_;
  cuda::DeviceBuffer<std::byte> workspace_;
};

/// Returns what `make` returns, and handles a missing plan. If every healthy cuDNN that knows the GPU has a
/// plan (`always_planned`), it throws CudnnError where this version surely knows the GPU, and otherwise ends
/// the trial as unavailable. If not, it skips the trial with cuDNN's message. A lost context is always a
/// CudnnError. Notes the plans that were skipped for their workspace as "plans_left_out".
Graph planned(Trial& trial, bool always_planned, const std::function<Graph()>& make);

/// Notes which kernels the first candidate runs and, where another is best, those of the best.
void note_plans(Trial& trial, Plans& plans, const cuda::Candidates& candidates);

}  // namespace gpugauge::bench::cudnn
