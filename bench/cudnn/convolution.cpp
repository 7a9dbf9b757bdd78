#include "cudnn/convolution.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cudnn/graph.hpp"
#include "cudnn/plans.hpp"
#include "kernels/convolution/reference.hpp"
#include "kernels/support/element_fill.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/rotation.hpp"

namespace gpugauge::bench::cudnn {

namespace {

using kernels::convolution::Pass;
using kernels::convolution::Shape;
using kernels::convolution::Tensor;

constexpr std::int64_t samples = 4096;

/// A tensor's sizes and strides; the data is set later.
Tensor laid_out(kernels::Element type, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d,
                bool channels_last) {
  if (channels_last) return {nullptr, type, {a, b, c, d}, {b * c * d, 1, d * b, b}};
  return {nullptr, type, {a, b, c, d}, {b * c * d, c * d, d, 1}};
}

/// Image, other and result of a pass; see kernels::convolution::reference.
struct Roles {
  Roles(const Shape& of, Pass pass, kernels::Element type, bool channels_last) {
    const Tensor x = laid_out(type, of.n, of.c, of.h, of.w, channels_last);
    const Tensor w = laid_out(type, of.k, of.c, of.r, of.s, channels_last);
    const Tensor y = laid_out(type, of.n, of.k, of.p(), of.q(), channels_last);
    image = pass == Pass::data_gradient ? y : x;
    other = pass == Pass::filter_gradient ? y : w;
    result = pass == Pass::forward ? y : pass == Pass::data_gradient ? x : w;
  }
  static std::size_t bytes(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.count()) * size_of(tensor.type);
  }
  std::size_t bytes() const { return bytes(image) + bytes(other) + bytes(result); }
  Tensor image, other, result;
};

struct Buffers {
  Buffers(const Roles& roles, std::uint64_t seed)
      : image(Roles::bytes(roles.image)),
        other(Roles::bytes(roles.other)),
        result(Roles::bytes(roles.result)) {
    cuda::check(kernels::fill_elements(image.get(), roles.image.type,
                                       static_cast<std::size_t>(roles.image.count()), seed, nullptr),
                "filling the image");
    cuda::check(kernels::fill_elements(other.get(), roles.other.type,
                                       static_cast<std::size_t>(roles.other.count()), seed + 1, nullptr),
                "filling the filter");
    cuda::check(kernels::poison(result.get(), result.bytes(), nullptr), "poisoning the result");
    cuda::check(cudaStreamSynchronize(nullptr), "filling the tensors");
  }
  cuda::DeviceBuffer<std::byte> image, other, result;
};

kernels::Comparison compare(const Shape& shape, Pass pass, Roles roles, const Buffers& buffers,
                            std::uint64_t seed, cudaStream_t stream) {
  roles.image.data = buffers.image.get();
  roles.other.data = buffers.other.get();
  roles.result.data = buffers.result.get();
  const cuda::DeviceComparison found;
  cuda::check(
      kernels::convolution::sampled_error(shape, pass, roles.image, roles.other, roles.result,
                                          std::min(samples, roles.result.count()), seed, found.get(), stream),
      "comparing with fp64");
  return found.read(stream);
}

/// The id of the same convolution in NHWC, for one in NCHW.
std::string in_nhwc(const Instance& instance) {
  const std::string_view own = "nchw";
  return instance.id.ends_with(own) ? instance.id.substr(0, instance.id.size() - own.size()) + "nhwc" : "";
}

}  // namespace

void measure_convolution(Trial& trial, Pass pass, const Arithmetic& arithmetic) {
  const Shape& shape = layer_shape(trial.parameter("layer"));
  const bool channels_last = trial.parameter("layout") == "nhwc";
  const Roles roles(shape, pass, arithmetic.type, channels_last);
  const std::size_t sets = cuda::rotation_sets(roles.bytes(), cuda::device().l2_bytes);
  cuda::require_room(trial, sets * roles.bytes());
  cuda::Rotation<Buffers> rotation(sets, roles, trial.data_seed());
  trial.note("buffer_sets", std::to_string(sets));
  Plans plans(planned(trial,
                      always_planned(arithmetic, trial.parameter("layer"), channels_last,
                                     cuda::device().compute_capability),
                      [&] {
                        return convolution(shape, pass, arithmetic.type, channels_last,
                                           arithmetic.tensor_cores, {most_plans, sets * roles.bytes()});
                      }),
              [&](std::int64_t index) {
                const Buffers& set = rotation[index];
                return std::vector<void*>{set.image.get(), set.other.get(), set.result.get()};
              });
  cuda::Candidates candidates(trial, plans.candidates(), plans.options());
  candidates.measure(
      {.bytes = static_cast<double>(roles.bytes()), .flops = kernels::convolution::flops(shape)});

  const cudaStream_t stream = candidates.stream();
  const Buffers& first = rotation[0];
  std::vector<std::size_t> measured{candidates.first()};
  if (candidates.best() != candidates.first()) measured.push_back(candidates.best());
  for (const std::size_t plan : measured) {
    cuda::check(kernels::poison(first.result.get(), first.result.bytes(), stream), "poisoning the result");
    candidates.run(plan, 0);
    const kernels::Comparison found = compare(shape, pass, roles, first, trial.data_seed(), stream);
    cuda::verify(trial,
                 fmt::format("largest error of plan {} in {} results against fp64, relative to the norms",
                             plan, std::min(samples, roles.result.count())),
                 found, arithmetic.tolerance(kernels::convolution::products(shape, pass)));
    if (arithmetic.type == kernels::Element::fp32) cuda::note_numerics(trial, found, candidates.suffix(plan));
  }
  note_plans(trial, plans, candidates);
}

Definition define_convolution(const char* op, Pass pass, const Arithmetic& arithmetic) {
  // bf16 covers every layer; the other types cover one. No network needs the gradient of the images
  // themselves.
  std::vector<std::string> names;
  for (const Layer& layer : layers)
    if (std::string_view(arithmetic.name) == bf16.name ? pass != Pass::data_gradient || layer.shape.c > 3
                                                       : layer.name == representative)
      names.emplace_back(layer.name);
  return define(GPUGAUGE_BENCH_FAMILY, op)
      .variant(arithmetic.name)
      .bad_value(
          "another cuDNN; where only throughput falls and throughput_best does not, its heuristic chose "
          "worse; nchw far below nhwc: data is converted before Tensor Cores can take it")
      .axis("layer", names)
      .axis("layout", {"nhwc", "nchw"})
      .quantity(Quantity::throughput, "conv")
      .statistics({Statistic::median, Statistic::mean})
      .requires_gpu(arithmetic.compute_capability)
      .from(Depth::deep)
      .beside("nhwc", in_nhwc)
      .body([pass, arithmetic](Trial& trial) { measure_convolution(trial, pass, arithmetic); });
}

}  // namespace gpugauge::bench::cudnn
