// Measures cuBLAS products: rotation of matrices, candidates, verification, and the benchmarks' bodies.
#include "cublas/product.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include <cublasLt.h>
#include <cublas_v2.h>
#include <fmt/format.h>

#include "cublas/handle.hpp"
#include "kernels/gemm/tiling.hpp"
#include "kernels/support/element_fill.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/candidates_tried.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/kernels_seen.hpp"
#include "support/cuda/library_age.hpp"
#include "support/cuda/room.hpp"
#include "support/cuda/rotation.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::cublas {

namespace {

std::string version_text(std::size_t version) {
  // 130100 for 13.1.0; before 13, 120901 for 12.9.1.
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::optional<std::string> why_unusable() {
  const std::size_t loaded = cublasLtGetVersion();
  const std::size_t built = CUBLAS_VERSION;
  if (loaded / 10000 < built / 10000)
    return fmt::format(
        "The cuBLASLt that was loaded is {}, this build needs {} or later of the same major version: remove "
        "the older one from LD_LIBRARY_PATH.",
        version_text(loaded), version_text(built / 10000 * 10000));
  int cublas = 0;
  if (cublasGetProperty(MAJOR_VERSION, &cublas) == CUBLAS_STATUS_SUCCESS &&
      static_cast<std::size_t>(cublas) != loaded / 10000)
    return fmt::format("cuBLAS {} and cuBLASLt {} were loaded together: they must come from one package.",
                       cublas, version_text(loaded));
  // CUDA 12.8 is the first toolkit with code for 10.0 and 12.0 (docs/compatibility.md).
  constexpr std::size_t first = 120800;
  return cuda::older_than_blackwell("cuBLASLt", version_text(loaded), loaded >= first, version_text(first),
                                    cuda::device().compute_capability);
}

void describe(result::Facts& facts) {
  facts["cublas.version"] = version_text(cublasLtGetVersion());
  facts["cublas.built_with"] = version_text(CUBLAS_VERSION);
}

const bool registered = cuda::register_library({why_unusable, describe});

void verify_algorithm(Trial& trial, const Problem& problem, cuda::Candidates& candidates, std::size_t index,
                      const Matrices& first, std::vector<std::uint64_t> checksums, const std::string& who) {
  const cudaStream_t stream = candidates.stream();
  const cuda::DeviceValue<unsigned long long> sum;
  for (int repeat = 0; repeat < 3; ++repeat) {
    cuda::check(kernels::poison(first.c.get(), first.c.bytes(), stream), "poisoning C");
    candidates.run(index, 0);
    cuda::check(kernels::checksum(first.c.get(), first.c.bytes(), sum.get(), stream), "summing C");
    checksums.push_back(sum.read(stream));
  }
  const kernels::Comparison found = compare(problem, first, trial.data_seed(), stream);
  const bool exact = problem.arithmetic.c == Element::int32;
  cuda::verify(trial,
               fmt::format("largest error of {} over {} rows against fp64{}", who,
                           kernels::gemm::samples_for(problem.m), exact ? "" : ", relative to the norms"),
               found, problem.arithmetic.tolerance(problem.k));
  if (found.complete()) {
    const std::string suffix = candidates.suffix(index);
    const double error = cuda::error_of(found);
    if (problem.arithmetic.a == Element::fp32) cuda::note_numerics(trial, found, suffix);
    if (const std::string sums = is_fp8(problem.arithmetic) ? accumulation_of(error, problem.k) : "";
        !sums.empty())
      trial.note("accumulation" + suffix, sums);
  }
  trial.verify_deterministic(checksums);
}

/// Returns how many sets of matrices to rotate, and notes it. Skips the trial with a reason where they do not
/// fit.
std::size_t require_sets(Trial& trial, const Problem& problem) {
  const std::size_t set_bytes = problem.bytes_a() + problem.bytes_b() + problem.bytes_c();
  const bool on_the_bus = trial.instance().definition->metric_class == "hbm";
  std::size_t sets =
      (on_the_bus ? cuda::bus_rotation_sets : cuda::rotation_sets)(set_bytes, cuda::device().l2_bytes);
  // A large matrix that is read alone has one place in memory as long as the process lives. On an H200 five
  // processes gave two speeds, 8% apart (docs/records.md), probably by that place: with several places in each
  // process it would even out.
  constexpr std::size_t places = 4;
  while (on_the_bus && sets < places && cuda::card_has_room((sets + 1) * set_bytes + 2 * workspace_bytes))
    ++sets;
  cuda::require_room(trial, sets * set_bytes + 2 * workspace_bytes);
  trial.note("buffer_sets", std::to_string(sets));
  trial.note("layout", problem.layout == Layout::linear ? "weights as out x in" : "row-major");
  return sets;
}

std::vector<cuda::Candidate> candidates_of(const std::vector<Algorithm>& algorithms,
                                           cuda::Rotation<Matrices>& rotation) {
  for (const Algorithm& algorithm : algorithms)
    for (const auto& matrices : rotation)
      if (algorithm.prepare) algorithm.prepare(*matrices);
  std::vector<cuda::Candidate> candidates;
  candidates.reserve(algorithms.size());
  for (const Algorithm& algorithm : algorithms)
    candidates.push_back(
        {algorithm.description, [&rotation, run = algorithm.run](cudaStream_t stream, std::int64_t index) {
           try {
             run(rotation[index], stream);
           } catch (const CublasError& error) {
             const bool known = every_library_knows(cuda::device().compute_capability);
             if (is_refusal(error.status(), known)) throw cuda::Refused(error.what());
             throw;
           }
         }});
  return candidates;
}

/// Ends a trial whose product this library does not have; returns where every library has it, so that it is a fault.
void end_for_lack(Trial& trial, const Problem& problem, const std::string& none) {
  const Lack lack = lack_of(problem.arithmetic, cuda::device().compute_capability);
  if (lack == Lack::unavailable) trial.unavailable(none);
  if (lack == Lack::skipped) trial.skip(none);
}

/// Measures by `measure` what the library offers. Ends the trial for lack where it refuses all of it on a GPU that
/// not every library knows; elsewhere that is a fault.
template <typename Measure>
auto measure_offered(Trial& trial, const Problem& problem, const Measure& measure) {
  try {
    return measure();
  } catch (const cuda::AllRefused& refused) {
    if (every_library_knows(cuda::device().compute_capability)) throw;
    end_for_lack(trial, problem,
                 fmt::format("cuBLAS {} does not do this product on this GPU: {}",
                             version_text(cublasLtGetVersion()), refused.what()));
    throw;
  }
}

}  // namespace

std::vector<Algorithm> offered_by_lt(Trial& trial, const Problem& problem) {
  try {
    return lt_algorithms(problem);
  } catch (const CublasError& error) {
    if (error.status() != CUBLAS_STATUS_NOT_SUPPORTED) throw;
    const std::string version = version_text(cublasLtGetVersion());
    end_for_lack(trial, problem,
                 fmt::format("cuBLASLt {} has no algorithm for this product on this GPU", version));
    throw std::runtime_error(
        fmt::format("cuBLASLt {} offers no algorithm for a product in {}, which every cuBLASLt has for this "
                    "GPU: the library is not whole, or not made for this GPU",
                    version, problem.arithmetic.name));
  }
}

Matrices::Matrices(const Problem& problem, std::uint64_t seed)
    : a(problem.bytes_a()), b(problem.bytes_b()), c(problem.bytes_c()) {
  const Arithmetic& types = problem.arithmetic;
  cuda::check(kernels::fill_elements(a.get(), types.a, problem.elements_a() * problem.batch, seed, nullptr),
              "filling A");
  cuda::check(
      kernels::fill_elements(b.get(), types.b, problem.elements_b() * problem.batch, seed + 1, nullptr),
      "filling B");
  cuda::check(kernels::poison(c.get(), c.bytes(), nullptr), "poisoning C");
  cuda::check(cudaStreamSynchronize(nullptr), "filling the matrices");
}

kernels::gemm::Matrix matrix_a(const Problem& problem, const Matrices& matrices, int batch) {
  return {matrices.a.get() + batch * problem.elements_a() * size_of(problem.arithmetic.a),
          problem.arithmetic.a, problem.k, 1};
}

kernels::gemm::Matrix matrix_b(const Problem& problem, const Matrices& matrices, int batch) {
  const std::byte* const data =
      matrices.b.get() + batch * problem.elements_b() * size_of(problem.arithmetic.b);
  if (problem.layout == Layout::linear) return {data, problem.arithmetic.b, 1, problem.k};
  return {data, problem.arithmetic.b, problem.n, 1};
}

kernels::gemm::Matrix matrix_c(const Problem& problem, const Matrices& matrices, int batch) {
  return {matrices.c.get() + batch * problem.elements_c() * size_of(problem.arithmetic.c),
          problem.arithmetic.c, problem.n, 1};
}

kernels::Comparison compare(const Problem& problem, const Matrices& matrices, std::uint64_t seed,
                            cudaStream_t stream) {
  const auto samples = static_cast<int>(kernels::gemm::samples_for(problem.m));
  std::vector<kernels::Comparison> found;
  const cuda::DeviceComparison one;
  for (const int batch : std::set<int>{0, problem.batch / 2, problem.batch - 1}) {
    cuda::check(kernels::gemm::sampled_product_error(matrix_a(problem, matrices, batch),
                                                     matrix_b(problem, matrices, batch),
                                                     matrix_c(problem, matrices, batch), problem.m, problem.n,
                                                     problem.k, samples, seed, one.get(), stream),
                "comparing C with fp64");
    found.push_back(one.read(stream));
  }
  return *std::max_element(found.begin(), found.end(),
                           [](const kernels::Comparison& left, const kernels::Comparison& right) {
                             return cuda::error_of(left) < cuda::error_of(right);
                           });
}

void measure_product(Trial& trial, const Problem& problem, const std::vector<Algorithm>& algorithms) {
  if (problem.arithmetic.a == Element::fp64 && problem.work().flops > 1e12 &&
      !has_fast_fp64(cuda::device().compute_capability, cuda::device().name))
    trial.skip("fp64 is slow on this GPU by design: one product of this size would take seconds");
  const std::size_t sets = require_sets(trial, problem);
  cuda::Rotation<Matrices> rotation(sets, problem, trial.data_seed());
  cuda::Candidates measured(trial, candidates_of(algorithms, rotation));
  measure_offered(trial, problem, [&] { measured.measure(problem.work()); });

  // All sets hold the same inputs. Sets that the window did not reach compute their product now.
  const cuda::DeviceValue<unsigned long long> sum;
  std::vector<std::uint64_t> checksums;
  for (std::size_t set = 0; set < sets; ++set) {
    const auto operation = static_cast<std::int64_t>(set);
    const Matrices& matrices = rotation[operation];
    cuda::check(kernels::poison(matrices.c.get(), matrices.c.bytes(), measured.stream()), "poisoning C");
    measured.run(measured.first(), operation);
    cuda::check(kernels::checksum(matrices.c.get(), matrices.c.bytes(), sum.get(), measured.stream()),
                "summing C");
    checksums.push_back(sum.read(measured.stream()));
  }
  verify_algorithm(trial, problem, measured, measured.first(), rotation[0], checksums,
                   fmt::format("candidate {}", measured.first()));
  if (measured.best() != measured.first())
    verify_algorithm(trial, problem, measured, measured.best(), rotation[0], {},
                     fmt::format("candidate {}", measured.best()));
  cuda::note_kernels(trial, measured.stream(),
                     [&](cudaStream_t stream) { algorithms[measured.first()].run(rotation[0], stream); });
  if (measured.best() != measured.first())
    cuda::note_kernels(
        trial, measured.stream(),
        [&](cudaStream_t stream) { algorithms[measured.best()].run(rotation[0], stream); }, "_best");
}

void measure_beside(Trial& trial, const Problem& problem, const std::vector<Algorithm>& algorithms,
                    const Algorithm& other, const std::string& name) {
  cuda::Rotation<Matrices> rotation(require_sets(trial, problem), problem, trial.data_seed());
  std::vector<Algorithm> all = algorithms;
  all.push_back(other);
  cuda::Candidates measured(trial, candidates_of(all, rotation), {.offered = algorithms.size()});
  const Turns turns =
      measure_offered(trial, problem, [&] { return measured.best_beside(algorithms.size()); });
  result::Metric metric;
  metric.name = name + "_over_best";
  metric.unit = "1";
  metric.better = result::Direction::higher;
  metric.metric_class = problem.arithmetic.metric_class;
  metric.statistic = "ratio";
  metric.value = rounded(median(turns.first) / median(turns.second));
  metric.judged = false;
  metric.note = fmt::format(
      "of the medians of {} batches each, in turns; it falls as well where the library got faster",
      turns.first.size());
  trial.metric(std::move(metric));
  verify_algorithm(trial, problem, measured, measured.best(), rotation[0], {},
                   fmt::format("candidate {}", measured.best()));
  verify_algorithm(trial, problem, measured, algorithms.size(), rotation[0], {}, other.description);
  cuda::note_kernels(
      trial, measured.stream(),
      [&](cudaStream_t stream) { algorithms[measured.best()].run(rotation[0], stream); }, "_best");
}

std::vector<std::string> squares() {
  return {"1024x1024x1024", "2048x2048x2048", "4096x4096x4096", "8192x8192x8192", "16384x16384x16384"};
}

std::vector<std::string> squares_but(const std::string& measured) {
  std::vector<std::string> out = squares();
  std::erase(out, measured);
  return out;
}

Definition define_product(const char* op, const Arithmetic& arithmetic) {
  return define(GPUGAUGE_BENCH_FAMILY, op)
      .variant(arithmetic.name)
      .quantity(has_whole_numbers(arithmetic) ? Quantity::rate : Quantity::throughput,
                arithmetic.metric_class)
      .statistics({Statistic::median, Statistic::mean})
      .batch_seconds(5e-3)
      .requires_gpu(arithmetic.compute_capability)
      .deterministic()
      .from(Depth::deep);
}

void measure_lt(Trial& trial, const Arithmetic& arithmetic, Layout layout) {
  trial.note("library", "cublaslt");
  const Problem problem = sized({.arithmetic = arithmetic, .layout = layout}, trial.parameter("shape"));
  measure_product(trial, problem, offered_by_lt(trial, problem));
}

void measure_gemm_ex(Trial& trial, const Arithmetic& arithmetic, Layout layout) {
  trial.note("library", "cublas");
  Problem problem = sized({.arithmetic = arithmetic, .layout = layout}, trial.parameter("shape"));
  if (trial.instance().parameters.contains("batch")) problem.batch = static_cast<int>(trial.integer("batch"));
  measure_product(trial, problem, gemm_ex(problem));
}

void measure_batched(Trial& trial, const Arithmetic& arithmetic) {
  trial.note("library", "cublas");
  Problem problem = sized({.arithmetic = arithmetic}, trial.parameter("shape"));
  problem.batch = static_cast<int>(trial.integer("batch"));
  measure_product(trial, problem, gemm_batched(problem));
}

void measure_gemv(Trial& trial, const Arithmetic& arithmetic) {
  trial.note("library", "cublas");
  const Problem problem = sized({.arithmetic = arithmetic}, trial.parameter("shape"));
  measure_product(trial, problem, gemv(problem));
}

void measure_layer(Trial& trial, const Arithmetic& arithmetic) {
  trial.note("library", "cublaslt");
  const Problem problem = through_layer({.arithmetic = arithmetic}, trial.parameter("layer"),
                                        static_cast<int>(trial.integer("tokens")));
  measure_product(trial, problem, offered_by_lt(trial, problem));
}

}  // namespace gpugauge::bench::cublas
