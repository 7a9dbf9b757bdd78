#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cudnn/graph.hpp"
#include "cudnn/plans.hpp"
#include "kernels/normalization/layer_norm_check.hpp"
#include "kernels/support/element_fill.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/rotation.hpp"
#include "support/definition.hpp"

namespace gpugauge::bench::cudnn {
namespace {

constexpr double epsilon = 1e-5;
constexpr std::int64_t sampled_rows = 256;
constexpr std::int64_t elements = 1 << 27;

struct Buffers {
  Buffers(kernels::Element type, std::int64_t columns, std::uint64_t seed)
      : x(elements * size_of(type)),
        y(elements * size_of(type)),
        scale(static_cast<std::size_t>(columns)),
        bias(static_cast<std::size_t>(columns)) {
    cuda::check(kernels::fill_elements(x.get(), type, elements, seed, nullptr), "filling x");
    cuda::check(kernels::fill_uniform(scale.get(), scale.count(), seed + 1, nullptr), "filling the scale");
    cuda::check(kernels::fill_uniform(bias.get(), bias.count(), seed + 2, nullptr), "filling the bias");
    cuda::check(kernels::poison(y.get(), y.bytes(), nullptr), "poisoning y");
    cuda::check(cudaStreamSynchronize(nullptr), "filling the tensors");
  }
  cuda::DeviceBuffer<std::byte> x, y;
  cuda::DeviceBuffer<float> scale, bias;
};

void measure_layer_norm(Trial& trial, kernels::Element type) {
  const std::int64_t columns = trial.integer("columns");
  const std::int64_t rows = elements / columns;
  const std::size_t set_bytes = 2 * elements * size_of(type) + 2 * static_cast<std::size_t>(columns) * 4;
  const std::size_t sets = cuda::bus_rotation_sets(set_bytes, cuda::device().l2_bytes);
  cuda::require_room(trial, sets * set_bytes);
  cuda::Rotation<Buffers> rotation(sets, type, columns, trial.data_seed());
  trial.note("buffer_sets", std::to_string(sets));
  Plans plans(planned(trial, true,
                      [&] {
                        return layer_norm(rows, columns, type, epsilon, {most_plans, sets * set_bytes});
                      }),
              [&](std::int64_t index) {
                const Buffers& set = rotation[index];
                return std::vector<void*>{set.x.get(), set.scale.get(), set.bias.get(), set.y.get()};
              });
  cuda::Candidates candidates(trial, plans.candidates(), plans.options());
  candidates.measure({.bytes = static_cast<double>(set_bytes)});

  const cudaStream_t stream = candidates.stream();
  const Buffers& first = rotation[0];
  std::vector<std::size_t> measured{candidates.first()};
  if (candidates.best() != candidates.first()) measured.push_back(candidates.best());
  for (const std::size_t plan : measured) {
    cuda::check(kernels::poison(first.y.get(), first.y.bytes(), stream), "poisoning y");
    candidates.run(plan, 0);
    const cuda::DeviceComparison error;
    cuda::check(
        kernels::normalization::layer_norm_error({.type = type,
                                                  .x = first.x.get(),
                                                  .y = first.y.get(),
                                                  .scale = first.scale.get(),
                                                  .bias = first.bias.get(),
                                                  .rows = rows,
                                                  .columns = columns,
                                                  .epsilon = epsilon},
                                                 sampled_rows, trial.data_seed(), error.get(), stream),
        "comparing with fp64");
    cuda::verify(trial, fmt::format("largest error of plan {} over {} rows against fp64", plan, sampled_rows),
                 error, stream, kernels::normalization::layer_norm_tolerance());
  }
  note_plans(trial, plans, candidates);
}

Definition of_type(const char* name, kernels::Element type) {
  Definition made = define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP);
  made.variant(name)
      .isolates(fmt::format(
          "Layer normalisation of long rows in {}, one read and one write of each element: memory bandwidth "
          "decides; cuDNN's own first plan, and the best of the first ten",
          name))
      .bad_value("lower memory bandwidth; another cuDNN that fell back from its fused kernel")
      .axis("columns", {"8192"})
      .quantity(Quantity::bandwidth, "hbm")
      .statistics({Statistic::median, Statistic::mean})
      .requires_gpu(80)
      .from(Depth::deep)
      .body([type](Trial& trial) { measure_layer_norm(trial, type); });
  return made;
}

const Registration with_bf16{of_type("bf16", kernels::Element::bf16)};
const Registration with_fp16{of_type("fp16", kernels::Element::fp16)};
const Registration with_fp32{of_type("fp32", kernels::Element::fp32)};

}  // namespace
}  // namespace gpugauge::bench::cudnn
