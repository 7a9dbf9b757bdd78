#include "judge/tensor_cores.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/peaks.hpp"
#include "judge/statistics.hpp"
#include "result/facts.hpp"

namespace gpugauge::judge {
namespace {

constexpr std::array tensor_classes{"gemmtf32", "gemm16", "gemm8"};
/// Smaller products do not fill the device.
constexpr double least_flops = 1e10;

/// How much faster a class is than another on Tensor Cores, by the table of peaks; the share of that ratio
/// below which the two witnesses disagree. fp8 and int8 reach 1.6 to 1.8 times bf16 where the table says 2.
struct Ratio {
  std::string_view numerator, denominator;
  double least_share;
};
constexpr std::array ratios{Ratio{"gemm16", "gemm32", .4}, Ratio{"gemmtf32", "gemm32", .4},
                            Ratio{"gemm8", "gemm16", .6}};

struct Fastest {
  const MetricValues* metric = nullptr;
  double value = 0;  ///< flop/second
};

Fastest fastest_product(const Collected& collected, std::string_view metric_class) {
  Fastest out;
  for (const auto& [key, metric] : collected.metrics) {
    if (!metric.judged() || metric.form.metric_class != metric_class || metric.form.unit != "flop/second")
      continue;
    const double value = median(metric.values);
    if (metric.flops >= least_flops && value > out.value) out = {&metric, value};
  }
  return out;
}

/// Rate a clock, or as it is where a clock was not recorded: a power cap slows the faster class more.
double rate_of(const Fastest& fastest, bool per_clock) {
  return per_clock ? fastest.value / median(fastest.metric->sm_clock_hz) : fastest.value;
}

bool has_clock(const MetricValues& metric) {
  return !metric.sm_clock_hz.empty() && median(metric.sm_clock_hz) > 0;
}

/// What the ratio to the other class says against the rate; "" where it agrees, or nothing is known.
std::string ratio_objection(const std::string& metric_class, const Fastest& fastest,
                            const Collected& collected, const std::string& capability) {
  for (const Ratio& row : ratios) {
    if (row.numerator != metric_class) continue;
    const Fastest other = fastest_product(collected, row.denominator);
    const auto above = peak(capability, row.numerator);
    const auto below = peak(capability, row.denominator);
    if (other.metric == nullptr || !above || !below) return "";
    const bool per_clock = has_clock(*fastest.metric) && has_clock(*other.metric);
    const double expected = above->operations_per_clock_per_sm / below->operations_per_clock_per_sm;
    const double ratio = rate_of(fastest, per_clock) / rate_of(other, per_clock);
    if (ratio >= row.least_share * expected) return "";
    return fmt::format("{:.1f} times {} ({}){} where the peaks are {:.0f} to 1", ratio, row.denominator,
                       other.metric->benchmark, per_clock ? " a clock" : "", expected);
  }
  return "";
}

/// A name of a library's kernel can fill a page; the run file holds all of it.
constexpr std::size_t longest_name = 120;

/// What the benchmarks of the class noted of their kernels, and how many results were verified.
struct Noted {
  std::set<std::string> kernels;  ///< of the fastest product, with path and architecture where they are noted
  std::set<std::string> simt;     ///< benchmarks whose kernels use no Tensor Cores
  int checks = 0;
  bool fastest_simt = false;  ///< the fastest product itself noted a kernel without Tensor Cores
};

std::string kernel_text(const result::Facts& notes) {
  std::string text = result::fact(notes, "kernel");
  if (text.size() > longest_name) text = text.substr(0, longest_name) + "...";
  const std::string path = result::fact(notes, "kernel_path");
  const std::string architecture = result::fact(notes, "kernel_architecture");
  if (path.empty() || text.empty()) return text;
  return fmt::format("{} ({}{})", text,
                     path == "simt"     ? "CUDA cores"
                     : path == "tensor" ? "Tensor Cores"
                                        : path,
                     architecture.empty() || architecture == "unknown" ? "" : ", " + architecture);
}

Noted noted(const Collected& collected, const result::Run& run, std::string_view metric_class,
            const std::string& fastest) {
  std::set<std::string> benchmarks;
  for (const auto& [key, metric] : collected.metrics)
    if (metric.form.metric_class == metric_class) benchmarks.insert(metric.benchmark);
  Noted out;
  for (const result::Process& process : run.processes) {
    if (!process.samples) continue;
    for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
      if (!benchmarks.contains(benchmark.id)) continue;
      out.checks += static_cast<int>(benchmark.verifications.size());
      if (benchmark.id == fastest)
        if (std::string text = kernel_text(benchmark.notes); !text.empty())
          out.kernels.insert(std::move(text));
      const auto path = benchmark.notes.find("kernel_path");
      if (path != benchmark.notes.end() && path->second == "simt") out.simt.insert(benchmark.id);
      out.fastest_simt = out.fastest_simt || out.simt.contains(fastest);
    }
  }
  return out;
}

std::string witnesses(const Collected& collected, const result::Run& run, std::string_view metric_class,
                      const Fastest& fastest) {
  const Fastest fp32 = fastest_product(collected, "gemm32");
  const Noted seen = noted(collected, run, metric_class, fastest.metric->benchmark);
  return fmt::format(
      "ratio: {}; kernels: {}{}; numerics: {}",
      fp32.metric != nullptr ? fmt::format("{:.1f} times the fp32 product", fastest.value / fp32.value)
                             : "no fp32 product measured",
      seen.kernels.empty() ? "names not recorded" : fmt::format("{}", fmt::join(seen.kernels, ", ")),
      seen.simt.empty() ? "" : fmt::format("; no Tensor Cores in {}", fmt::join(seen.simt, ", ")),
      seen.checks > 0 ? fmt::format("{} results verified", seen.checks) : "no result verified");
}

Verdict judge_class(const std::string& metric_class, const Fastest& fastest, const Collected& collected,
                    const result::Run& run) {
  Verdict verdict;
  verdict.judge = Judge::physical;
  verdict.metric = "tensor_cores/" + metric_class;
  verdict.metric_class = metric_class;
  verdict.unit = "flop/clock";
  verdict.rounds = 1;
  const std::string others = witnesses(collected, run, metric_class, fastest);
  const auto unknown = [&](const std::string& why) {
    verdict.kind = VerdictKind::inconclusive;
    verdict.advisory = true;
    verdict.reason = fmt::format("not proven by rate: {}; {}", why, others);
    return verdict;
  };
  const DeviceFacts device(run, fastest.metric->benchmark);
  const auto cuda_cores = cuda_core_rate(device.text("gpu.compute_capability"), metric_class);
  const double sms = device.number("gpu.sm_count");
  if (!cuda_cores || sms <= 0)
    return unknown(fmt::format("nothing is known of {} on compute capability '{}'", metric_class,
                               device.text("gpu.compute_capability")));
  if (fastest.metric->sm_clock_hz.empty() || !(median(fastest.metric->sm_clock_hz) > 0))
    return unknown("the SM clock was not recorded");
  verdict.value = fastest.value / (sms * median(fastest.metric->sm_clock_hz));
  const std::string rate =
      fmt::format("{:.0f} operations a clock and SM where CUDA cores alone reach at most {:.0f} ({})",
                  *verdict.value, *cuda_cores, fastest.metric->benchmark);
  if (*verdict.value > *cuda_cores) {
    verdict.kind = VerdictKind::ok;
    verdict.reason = fmt::format("rate: {}; {}", rate, others);
    std::vector<std::string> objections;
    const std::string ratio =
        cut_tensor_cores(device.text("gpu.name"))
            ? ""
            : ratio_objection(metric_class, fastest, collected, device.text("gpu.compute_capability"));
    if (!ratio.empty()) objections.push_back("the ratio is " + ratio);
    if (noted(collected, run, metric_class, fastest.metric->benchmark).fastest_simt)
      objections.emplace_back("the fastest product names a kernel of the CUDA cores");
    if (objections.empty()) return verdict;
    verdict.kind = VerdictKind::inconclusive;
    verdict.reason =
        fmt::format("witnesses disagree: {}; {}", fmt::join(objections, ", and "), verdict.reason);
    return verdict;
  }
  if (cut_tensor_cores(device.text("gpu.name")))
    return unknown(rate + ", and this model's Tensor Cores are cut");
  verdict.kind = VerdictKind::failed;
  verdict.reason = fmt::format("Tensor Cores did not do the work, or run at a fraction of their rate: {}; {}",
                               rate, others);
  return verdict;
}

}  // namespace

std::vector<Verdict> judge_tensor_cores(const Collected& collected, const result::Run& run) {
  std::vector<Verdict> out;
  for (const char* metric_class : tensor_classes) {
    const Fastest fastest = fastest_product(collected, metric_class);
    if (fastest.metric != nullptr) out.push_back(judge_class(metric_class, fastest, collected, run));
  }
  return out;
}

}  // namespace gpugauge::judge
