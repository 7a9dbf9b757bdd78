#include "judge/products.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "result/facts.hpp"
#include "result/metric_key.hpp"

namespace gpugauge::judge {
namespace {

/// Sizes divisible by this allow vector loads of every number format: 16 bytes of 8-bit numbers.
constexpr unsigned aligned_to = 16;

/// Whether every number in the text ("8192x8192x8192") is a multiple of aligned_to.
bool multiples(std::string_view text) {
  unsigned value = 0;
  for (const char letter : text) {
    const bool digit = letter >= '0' && letter <= '9';
    if (!digit && value % aligned_to != 0) return false;
    // Only the remainder matters.
    value = digit ? (value * 10 + static_cast<unsigned>(letter - '0')) % aligned_to : 0;
  }
  return value % aligned_to == 0;
}

bool has_tcgen05(std::string_view capability) {
  return capability.starts_with("10.") || capability.starts_with("11.");
}

/// The products of a layer by its id: gemm16 for "cudnn/fprop/bf16/stage3_3x3/nhwc"; "" for fp32, or an id
/// that does not show it.
std::string_view products_of_layer(std::string_view benchmark) {
  const auto names = [&](std::string_view word) { return benchmark.find(word) != std::string_view::npos; };
  if (names("/bf16/") || names("/fp16/")) return "gemm16";
  return names("/tf32/") ? "gemmtf32" : "";
}

/// True for channels last, except the first layer, whose images have three channels.
bool suits_tensor_cores(std::string_view layer, std::string_view benchmark) {
  return layer != "conv" || (benchmark.find("/nhwc") != std::string_view::npos &&
                             benchmark.find("/stem") == std::string_view::npos);
}

/// Why the notes show that CUDA cores did the work; "" if they do not.
std::string why_on_cuda_cores(const result::BenchmarkResult& benchmark, std::string_view products) {
  const bool fp32 = products == "gemmtf32" && result::fact(benchmark.notes, "numerics") == "fp32";
  std::string why = fp32 ? "the error is that of fp32" : "";
  if (result::fact(benchmark.notes, "kernel_path") != "simt") return why;
  const std::string kernel = short_name(result::fact(benchmark.notes, "kernel"));
  return fmt::format("{}kernel {}", fp32 ? why + ", " : "", kernel.empty() ? "without Tensor Cores" : kernel);
}

}  // namespace

std::string_view products_of(std::string_view metric_class, std::string_view benchmark) {
  if (metric_class != "gemm8") return metric_class;
  return benchmark.find("int8") != std::string_view::npos ? "int8" : "fp8";
}

bool aligned_sizes(const result::BenchmarkResult& benchmark) {
  return multiples(result::fact(benchmark.parameters, "shape")) &&
         multiples(result::fact(benchmark.parameters, "tokens"));
}

bool own_kernels(std::string_view benchmark) {
  constexpr std::array<std::string_view, 3> families{"gemm", "peak", "sustained"};
  return std::find(families.begin(), families.end(), result::family_of(benchmark)) != families.end();
}

bool from_registers(std::string_view benchmark) {
  return result::family_of(benchmark) == "peak";
}

bool own_kernels_tell(std::string_view capability, std::string_view products, std::string_view benchmark) {
  if (has_tcgen05(capability)) return benchmark.find("/tcgen05") != std::string_view::npos;
  const bool emulated =
      capability == "9.0" && products == "fp8" && benchmark.find("wgmma") == std::string_view::npos;
  return !emulated;
}

std::string_view faster_than_mma_sync(std::string_view capability, std::string_view products,
                                      std::string_view benchmark) {
  if (products == "gemm64" || benchmark.find("/mma_sync") == std::string_view::npos) return "";
  if (capability == "9.0") return "wgmma";
  return has_tcgen05(capability) ? "tcgen05" : "";
}

bool usual_product(const MetricValues& metric) {
  return metric.judged() && metric.form.statistic == "median" && !metric.form.name.ends_with("_best") &&
         (metric.form.unit == "flop/second" || metric.form.unit == "operation/second");
}

bool of_kind(const MetricValues& metric, const TensorWork& work) {
  if (!usual_product(metric) || own_kernels(metric.benchmark) != (work.maker == Maker::own)) return false;
  if (work.layer.empty()) return products_of(metric.form.metric_class, metric.benchmark) == work.products;
  return metric.form.metric_class == work.layer && products_of_layer(metric.benchmark) == work.products &&
         suits_tensor_cores(work.layer, metric.benchmark);
}

bool large_of_kind(const MetricValues& metric, const TensorWork& work) {
  return of_kind(metric, work) && (metric.flops >= least_product_flops || from_registers(metric.benchmark));
}

std::vector<OnCudaCores> on_cuda_cores(const Collected& collected, const result::Run& run,
                                       const TensorWork& work) {
  std::map<std::string, const MetricValues*> large;
  if (work.maker == Maker::library)
    for (const auto& [key, metric] : collected.metrics)
      if (large_of_kind(metric, work)) large.emplace(metric.benchmark, &metric);
  struct Told {
    std::string why;  // from the first process with such a note
    int processes = 0, of = 0;
  };
  std::map<std::string, Told> told;
  for (const result::Process& process : run.processes) {
    if (!process.samples) continue;
    for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
      if (!large.contains(benchmark.id) || (work.layer.empty() && !aligned_sizes(benchmark))) continue;
      Told& one = told[benchmark.id];
      ++one.of;
      std::string why = why_on_cuda_cores(benchmark, work.products);
      if (why.empty()) continue;
      ++one.processes;
      if (one.why.empty()) one.why = std::move(why);
    }
  }
  std::vector<OnCudaCores> out;
  for (auto& [benchmark, one] : told) {
    if (one.processes == 0) continue;
    if (one.processes < one.of) one.why += fmt::format(", in {} of {} processes", one.processes, one.of);
    out.push_back({benchmark, std::move(one.why), large.at(benchmark)});
  }
  return out;
}

std::string short_name(std::string name) {
  constexpr std::size_t longest = 120;  // the run file holds the full name
  if (name.size() > longest) name = name.substr(0, longest) + "...";
  return name;
}

}  // namespace gpugauge::judge
