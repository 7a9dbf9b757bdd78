#include "cudnn/plans.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cudnn/first_version.hpp"
#include "cudnn/refusal.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/kernels_seen.hpp"
#include "support/cuda/library_age.hpp"
#include "support/environment.hpp"

namespace gpugauge::bench::cudnn {

namespace {

std::string version_text(std::size_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::optional<std::string> why_unusable() {
  if (loaded_version() / 10000 < built_version() / 10000)
    return fmt::format("The cuDNN that was loaded is {}, this build needs {} or later.",
                       version_text(loaded_version()), version_text(built_version() / 10000 * 10000));
  const int gpu = cuda::device().compute_capability;
  if (loaded_version() >= no_earlier_version(gpu)) return std::nullopt;
  return cuda::older_than_gpu("cuDNN", version_text(loaded_version()), version_text(no_earlier_version(gpu)),
                              gpu);
}

void describe(result::Facts& facts) {
  facts["cudnn.version"] = version_text(loaded_version());
  facts["cudnn.built_with"] = version_text(built_version());
}

const bool registered = cuda::register_library({why_unusable, describe});

std::size_t largest_workspace(const Graph& graph) {
  std::size_t largest = 1;
  for (std::size_t plan = 0; plan < graph.plans(); ++plan)
    largest = std::max(largest, graph.workspace_bytes(plan));
  return largest;
}

}  // namespace

Plans::Plans(Graph graph, Tensors tensors)
    : graph_(std::move(graph)), tensors_(std::move(tensors)), workspace_(largest_workspace(graph_)) {}

std::vector<cuda::Candidate> Plans::candidates() {
  std::vector<cuda::Candidate> all;
  all.reserve(graph_.plans());
  for (std::size_t plan = 0; plan < graph_.plans(); ++plan)
    all.push_back(
        {fmt::format("cuDNN plan {}; workspace {} bytes", graph_.name(plan), graph_.workspace_bytes(plan)),
         [this, plan](cudaStream_t stream, std::int64_t index) { run(plan, index, stream); }});
  return all;
}

void Plans::run(std::size_t plan, std::int64_t index, cudaStream_t stream) {
  try {
    graph_.run(plan, tensors_(index), workspace_.get(), stream);
  } catch (const CudnnError& error) {
    if (is_refusal(error.what())) throw cuda::Refused(error.what());
    throw;
  }
}

Graph planned(Trial& trial, bool always_planned, const std::function<Graph()>& make) {
  try {
    Graph made = make();
    if (const std::string left_out = made.left_out(); !left_out.empty())
      trial.note("plans_left_out", left_out);
    return made;
  } catch (const NoPlan& none) {
    // A context in error has no plan for anything.
    if (const auto& lost = environment().lost)
      if (const auto reason = lost()) throw CudnnError(fmt::format("{}; {}", none.what(), *reason));
    if (always_planned && surely_plans(loaded_version(), cuda::device().compute_capability))
      throw CudnnError(fmt::format(
          "{}; every healthy cuDNN 9 has one here: are NVRTC and all libcudnn_engines libraries there, "
          "and of one version?",
          none.what()));
    if (always_planned)
      trial.unavailable(fmt::format(
          "{}; it is not known which cuDNN is the first with one for compute capability {}, and {} may be "
          "too old: install a newer cuDNN",
          none.what(), cuda::capability_text(cuda::device().compute_capability),
          version_text(loaded_version())));
    trial.skip(none.what());
  }
}

void note_plans(Trial& trial, Plans& plans, const cuda::Candidates& candidates) {
  const auto note = [&](std::size_t plan) {
    cuda::note_kernels(
        trial, candidates.stream(), [&](cudaStream_t on) { plans.run(plan, 0, on); },
        candidates.suffix(plan));
  };
  note(candidates.first());
  if (candidates.best() != candidates.first()) note(candidates.best());
}

}  // namespace gpugauge::bench::cudnn
