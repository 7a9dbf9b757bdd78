// cuDNN's scaled dot-product attention: buffers, timing of the plans, and verification against fp64.
#include "cudnn/attention.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cudnn/attention_shape.hpp"
#include "cudnn/graph.hpp"
#include "cudnn/plans.hpp"
#include "kernels/support/element_fill.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/rotation.hpp"

namespace gpugauge::bench::cudnn {

namespace {

using kernels::attention::Errors;
using kernels::attention::Shape;

/// q, k, v, out, the rows' log-sum-exp, and for the backward pass the gradients.
struct Buffers {
  Buffers(const Shape& shape, kernels::Element type, bool backward, std::uint64_t seed)
      : bytes(static_cast<std::size_t>(shape.elements()) * size_of(type)),
        q(bytes),
        k(bytes),
        v(bytes),
        out(bytes),
        statistics(static_cast<std::size_t>(shape.batch) * shape.heads * shape.length),
        d_out(backward ? bytes : 1),
        d_q(backward ? bytes : 1),
        d_k(backward ? bytes : 1),
        d_v(backward ? bytes : 1) {
    for (auto* input : {&q, &k, &v, &d_out}) {
      if (input->bytes() == bytes)
        cuda::check(kernels::fill_elements(input->get(), type, static_cast<std::size_t>(shape.elements()),
                                           seed, nullptr),
                    "filling the inputs");
      ++seed;
    }
    poison(nullptr);
    cuda::check(kernels::poison(out.get(), out.bytes(), nullptr), "poisoning the output");
    cuda::check(cudaStreamSynchronize(nullptr), "filling the inputs");
  }
  /// Poisons the gradients.
  void poison(cudaStream_t stream) const {
    for (const auto* result : {&d_q, &d_k, &d_v})
      cuda::check(kernels::poison(result->get(), result->bytes(), stream), "poisoning the gradients");
  }
  std::vector<void*> forward(bool with_statistics) const {
    std::vector<void*> tensors{q.get(), k.get(), v.get(), out.get()};
    if (with_statistics) tensors.push_back(statistics.get());
    return tensors;
  }
  std::vector<void*> backward() const {
    return {q.get(),          k.get(),   v.get(),   out.get(), d_out.get(),
            statistics.get(), d_q.get(), d_k.get(), d_v.get()};
  }
  std::size_t bytes;
  cuda::DeviceBuffer<std::byte> q, k, v, out;
  cuda::DeviceBuffer<float> statistics;
  cuda::DeviceBuffer<std::byte> d_out, d_q, d_k, d_v;
};

void verify(Trial& trial, const Shape& shape, kernels::Element type, bool backward, const Buffers& buffers,
            std::size_t plan, cudaStream_t stream) {
  kernels::attention::Tensors tensors{.type = type,
                                      .q = buffers.q.get(),
                                      .k = buffers.k.get(),
                                      .v = buffers.v.get(),
                                      .out = buffers.out.get()};
  if (backward) {
    tensors.d_out = buffers.d_out.get();
    tensors.d_q = buffers.d_q.get();
    tensors.d_k = buffers.d_k.get();
    tensors.d_v = buffers.d_v.get();
  }
  const cuda::DeviceBuffer<double> scratch(kernels::attention::scratch_doubles(shape));
  const cuda::DeviceValue<Errors> errors;
  const double tolerance = kernels::attention::tolerance(rounding_of(type));
  const std::int64_t heads = static_cast<std::int64_t>(shape.batch) * shape.heads;
  for (const std::int64_t head : std::set<std::int64_t>{0, heads - 1}) {
    cuda::check(kernels::attention::head_errors(shape, tensors, head, trial.data_seed(), scratch.get(),
                                                errors.get(), stream),
                "comparing with fp64");
    const Errors found = errors.read(stream);
    const auto check = [&](const char* what, const kernels::Comparison& comparison) {
      cuda::verify(
          trial,
          fmt::format(
              "largest error of plan {}'s {} in {} of {} rows of head {} against fp64, relative to the terms",
              plan, what, kernels::attention::Rows::of(shape.length), shape.length, head),
          comparison, tolerance);
    };
    check("output", found.out);
    if (!backward) continue;
    check("gradient of q", found.d_q);
    check("gradient of k", found.d_k);
    check("gradient of v", found.d_v);
  }
}

}  // namespace

void measure_attention(Trial& trial, kernels::Element type, bool backward) {
  const Shape shape = parse_attention(trial.parameter("shape"), trial.parameter("mask") == "causal");
  const std::size_t tensor_bytes = static_cast<std::size_t>(shape.elements()) * size_of(type);
  const std::size_t set_bytes = (backward ? 8 : 4) * tensor_bytes;
  const std::size_t sets = cuda::rotation_sets(set_bytes, cuda::device().l2_bytes);
  // One more set: the backward pass accumulates in fp32 beside its inputs.
  cuda::require_room(trial, (sets + 1) * set_bytes);
  cuda::Rotation<Buffers> rotation(sets, shape, type, backward, trial.data_seed());
  trial.note("buffer_sets", std::to_string(sets));
  if (backward) {
    Plans forward(planned(trial, true,
                          [&] {
                            return attention_forward(shape, type, true, {1, sets * set_bytes});
                          }),
                  [&](std::int64_t index) { return rotation[index].forward(true); });
    for (std::size_t set = 0; set < sets; ++set) forward.run(0, static_cast<std::int64_t>(set), nullptr);
    cuda::check(cudaStreamSynchronize(nullptr), "waiting for the forward pass");
  }
  Graph graph = planned(trial, true, [&] {
    const PlanLimits limits{most_plans, sets * set_bytes};
    return backward ? attention_backward(shape, type, limits) : attention_forward(shape, type, false, limits);
  });
  if (!graph.node().empty()) trial.note("attention_node", graph.node());
  Plans plans(std::move(graph), [&](std::int64_t index) {
    return backward ? rotation[index].backward() : rotation[index].forward(false);
  });
  cuda::Candidates candidates(trial, plans.candidates(), plans.options());
  candidates.measure({.bytes = static_cast<double>(set_bytes),
                      .flops = backward ? kernels::attention::flops_backward(shape)
                                        : kernels::attention::flops_forward(shape)});

  const cudaStream_t stream = candidates.stream();
  const Buffers& first = rotation[0];
  std::vector<std::size_t> measured{candidates.first()};
  if (candidates.best() != candidates.first()) measured.push_back(candidates.best());
  for (const std::size_t plan : measured) {
    first.poison(stream);
    if (!backward) cuda::check(kernels::poison(first.out.get(), first.out.bytes(), stream), "poisoning");
    candidates.run(plan, 0);
    verify(trial, shape, type, backward, first, plan, stream);
  }
  note_plans(trial, plans, candidates);
}

Definition define_attention(const char* op, kernels::Element type, bool backward) {
  return define(GPUGAUGE_BENCH_FAMILY, op)
      .variant(name_of(type))
      .bad_value("another cuDNN, or one that fell back from its fused kernel; a lower SM clock")
      .axis("shape", type == kernels::Element::bf16 && !backward
                         ? std::vector<std::string>{"4x32x4096x128", "1x32x16384x128", "1x32x16384x64"}
                         : std::vector<std::string>{"4x32x4096x128"})
      .axis("mask", {"causal", "full"})
      .quantity(Quantity::throughput, "attention")
      .statistics({Statistic::median, Statistic::mean})
      .batch_seconds(5e-3)
      .requires_gpu(80)
      .from(Depth::deep)
      .body([type, backward](Trial& trial) { measure_attention(trial, type, backward); });
}

}  // namespace gpugauge::bench::cudnn
