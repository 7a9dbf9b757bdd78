// Measures cuFFT transforms and verifies them by plane waves, a round trip and repeats.
#include "cufft/transform.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cufft/size.hpp"
#include "cufft/status.hpp"
#include "kernels/fft/work.hpp"
#include "kernels/support/element_fill.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/gpu_timer.hpp"
#include "support/cuda/kernels_seen.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/rotation.hpp"

namespace gpugauge::bench::cufft {

using kernels::Element;

namespace {

std::string version_text(int version) {
  return fmt::format("{}.{}.{}", version / 1000, version / 100 % 10, version % 100);
}

std::optional<std::string> why_unusable() {
  int loaded = 0;
  if (const cufftResult status = cufftGetVersion(&loaded); status != CUFFT_SUCCESS)
    return fmt::format("cuFFT does not tell its version: {}", explain(status));
  if (loaded / 1000 >= CUFFT_VERSION / 1000) return std::nullopt;
  return fmt::format("The cuFFT that was loaded is {}, this build needs {} or later.", version_text(loaded),
                     version_text(CUFFT_VERSION / 1000 * 1000));
}

void describe(result::Facts& facts) {
  int loaded = 0;
  if (cufftGetVersion(&loaded) == CUFFT_SUCCESS) facts["cufft.version"] = version_text(loaded);
  facts["cufft.built_with"] = version_text(CUFFT_VERSION);
}

const bool registered = cuda::register_library({why_unusable, describe});

std::size_t bytes_of(const kernels::fft::Shape& shape) {
  return static_cast<std::size_t>(shape.points()) * shape.batch * 2 * size_of(shape.type);
}

struct Signals {
  Signals(const kernels::fft::Shape& shape, std::uint64_t seed) : in(bytes_of(shape)), out(bytes_of(shape)) {
    cuda::check(kernels::fill_elements(in.get(), shape.type, in.bytes() / size_of(shape.type), seed, nullptr),
                "filling the input");
    cuda::check(kernels::poison(out.get(), out.bytes(), nullptr), "poisoning the output");
    cuda::check(cudaStreamSynchronize(nullptr), "filling the signals");
  }
  cuda::DeviceBuffer<std::byte> in, out;
};

void verify(Trial& trial, const kernels::fft::Shape& shape, const Plan& plan, Signals& signals,
            cudaStream_t stream) {
  const double roundoff = shape.type == Element::fp64 ? 0x1p-53 : 0x1p-24;
  const double tolerance = kernels::fft::tolerance(shape.points(), roundoff);
  const std::uint64_t seed = trial.data_seed();

  const cuda::DeviceValue<unsigned long long> sum;
  std::vector<std::uint64_t> checksums;
  for (int repeat = 0; repeat < 3; ++repeat) {
    cuda::check(kernels::poison(signals.out.get(), signals.out.bytes(), stream), "poisoning the output");
    plan.run(signals.in.get(), signals.out.get(), CUFFT_FORWARD);
    cuda::check(kernels::checksum(signals.out.get(), signals.out.bytes(), sum.get(), stream), "summing");
    checksums.push_back(sum.read(stream));
  }
  trial.verify_deterministic(checksums);

  cuda::check(kernels::poison(signals.in.get(), signals.in.bytes(), stream), "poisoning the input");
  plan.run(signals.out.get(), signals.in.get(), CUFFT_INVERSE);
  struct Sums {
    double off, all;
  };
  const cuda::DeviceValue<Sums> sums;
  cuda::check(kernels::fft::round_trip_sums(signals.in.get(), shape, seed,
                                            reinterpret_cast<double*>(sums.get()), stream),
              "comparing with the input");
  const Sums found = sums.read(stream);
  trial.verify("forth and back, error relative to the input in Euclidean norms",
               std::sqrt(found.off / found.all), 2 * tolerance);

  cuda::check(kernels::fft::fill_plane_waves(signals.in.get(), shape, seed, stream), "filling plane waves");
  cuda::check(kernels::poison(signals.out.get(), signals.out.bytes(), stream), "poisoning the output");
  plan.run(signals.in.get(), signals.out.get(), CUFFT_FORWARD);
  const cuda::DeviceComparison error;
  cuda::check(kernels::fft::spectrum_error(signals.out.get(), shape, seed, error.get(), stream),
              "comparing the spectrum");
  cuda::verify(trial, "plane waves become one peak each, largest error of a bin over the peak", error, stream,
               tolerance);
}

}  // namespace

Plan::Plan(const kernels::fft::Shape& shape, int rank) : shape_(shape) {
  int sizes[3] = {};
  for (int i = 0; i < rank; ++i) sizes[i] = shape.n[3 - rank + i];
  const int distance = static_cast<int>(shape.points());
  check(cufftPlanMany(&handle_, rank, sizes, nullptr, 1, distance, nullptr, 1, distance,
                      shape.type == Element::fp64 ? CUFFT_Z2Z : CUFFT_C2C, shape.batch),
        "planning a transform");
}

Plan::~Plan() {
  cufftDestroy(handle_);
}

void Plan::set_stream(cudaStream_t stream) const {
  check(cufftSetStream(handle_, stream), "setting cuFFT's stream");
}

void Plan::run(void* in, void* out, int direction) const {
  if (shape_.type == Element::fp64)
    check(cufftExecZ2Z(handle_, static_cast<cufftDoubleComplex*>(in), static_cast<cufftDoubleComplex*>(out),
                       direction),
          "transforming");
  else
    check(cufftExecC2C(handle_, static_cast<cufftComplex*>(in), static_cast<cufftComplex*>(out), direction),
          "transforming");
}

std::size_t Plan::workspace_bytes() const {
  std::size_t bytes = 0;
  check(cufftGetSize(handle_, &bytes), "asking cuFFT for its workspace");
  return bytes;
}

void measure_transform(Trial& trial, Element type) {
  const std::string& size = trial.parameter("size");
  const kernels::fft::Shape shape = parse_size(size, type);
  const std::size_t sets = cuda::rotation_sets(2 * bytes_of(shape), cuda::device().l2_bytes);
  // cuFFT's own workspace is at most about as large as one operation's data.
  cuda::require_room(trial, (sets + 1) * 2 * bytes_of(shape));
  const Plan plan(shape, rank_of(size));
  cuda::Rotation<Signals> rotation(sets, shape, trial.data_seed());
  cuda::GpuTimer timer(trial,
                       [&](cudaStream_t, std::int64_t i) {
                         plan.run(rotation[i].in.get(), rotation[i].out.get(), CUFFT_FORWARD);
                       },
                       {.launches_per_operation = 6});
  plan.set_stream(timer.stream());
  trial.note("buffer_sets", std::to_string(sets));
  trial.note("batch", std::to_string(shape.batch));
  trial.note("workspace_bytes", std::to_string(plan.workspace_bytes()));
  trial.work(
      {.bytes = shape.batch * kernels::fft::bytes(shape.points(), static_cast<std::int64_t>(size_of(type))),
       .flops = shape.batch * kernels::fft::flops(shape.points())});
  trial.time(timer);
  verify(trial, shape, plan, rotation[0], timer.stream());
  cuda::note_kernels(trial, timer.stream(), [&](cudaStream_t) {
    plan.run(rotation[0].in.get(), rotation[0].out.get(), CUFFT_FORWARD);
  });
}

Definition define_transform(const char* op, Element type) {
  return define(GPUGAUGE_BENCH_FAMILY, op)
      .variant(name_of(type))
      .bad_value(
          "lower memory bandwidth, which most sizes are bound by; another cuFFT; for fp64 a GPU that has "
          "few fp64 units by design")
      .quantity(Quantity::throughput, "fft")
      .statistics({Statistic::median, Statistic::mean})
      .batch_seconds(5e-3)
      .requires_gpu()
      .deterministic()
      .from(Depth::deep)
      .body([type](Trial& trial) { measure_transform(trial, type); });
}

}  // namespace gpugauge::bench::cufft
