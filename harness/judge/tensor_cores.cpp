// Collects the evidence on Tensor Cores and words one verdict per kind of work.
#include "judge/tensor_cores.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/peaks.hpp"
#include "judge/physical_verdict.hpp"
#include "judge/products.hpp"
#include "judge/statistics.hpp"
#include "result/counted.hpp"
#include "result/facts.hpp"
#include "result/number.hpp"

namespace gpugauge::judge {
namespace {

constexpr std::array<std::string_view, 4> tensor_products{"gemmtf32", "gemm16", "fp8", "int8"};
constexpr std::array layers{TensorWork{"gemmtf32", Maker::library, "conv"},
                            TensorWork{"gemm16", Maker::library, "conv"},
                            TensorWork{"gemm16", Maker::library, "attention"}};

/// Pairs of products with a known ratio of Tensor Core peaks, and the share of that ratio below which the
/// evidence conflicts. Libraries' fp8 reaches 1.6 to 1.8 times bf16 where the table says 2; instructions
/// alone come nearer.
struct Ratio {
  std::string_view numerator, denominator;
  double least_share;
};
constexpr std::array ratios{Ratio{"gemm16", "gemm32", .4}, Ratio{"gemmtf32", "gemm32", .4},
                            Ratio{"fp8", "gemm16", .6}, Ratio{"int8", "gemm16", .6}};

struct Fastest {
  const MetricValues* metric = nullptr;
  double value = 0;  ///< operations a second
};

Fastest fastest_of(const Collected& collected, const TensorWork& work) {
  Fastest out;
  for (const auto& [key, metric] : collected.metrics) {
    if (!large_of_kind(metric, work)) continue;
    const double value = median(metric.values);
    if (value > out.value) out = {&metric, value};
  }
  return out;
}

bool has_clock(const MetricValues& metric) {
  return !metric.sm_clock_hz.empty() && median(metric.sm_clock_hz) > 0;
}

/// Rate per clock, or the plain rate if a clock was not recorded, since a power cap slows the faster class
/// more.
double rate_of(const Fastest& fastest, bool per_clock) {
  return per_clock ? fastest.value / median(fastest.metric->sm_clock_hz) : fastest.value;
}

std::string kernel_text(const result::Facts& notes) {
  std::string text = short_name(result::fact(notes, "kernel"));
  const std::string path = result::fact(notes, "kernel_path");
  const std::string architecture = result::fact(notes, "kernel_architecture");
  if (path.empty() || text.empty()) return text;
  return fmt::format("{} ({}{})", text,
                     path == "simt"     ? "CUDA cores"
                     : path == "tensor" ? "Tensor Cores"
                                        : path,
                     architecture.empty() || architecture == "unknown" ? "" : ", " + architecture);
}

/// All evidence for one verdict: one kind of work of one maker.
class Proof {
 public:
  Proof(const TensorWork& work, const Fastest& fastest, const Collected& collected, const result::Run& run)
      : work_(work),
        fastest_(fastest),
        collected_(collected),
        run_(run),
        device_(run, fastest.metric->benchmark),
        capability_(device_.text("gpu.compute_capability")),
        sms_(device_.number("gpu.sm_count")),
        share_(tensor_core_share(device_.text("gpu.name"), work.products)),
        most_(peak(capability_, work.products)),
        // Layers have fp32 sums.
        cuda_cores_(cuda_core_rate(capability_, work.layer.empty() ? work.products : "gemmtf32")),
        on_cuda_cores_(on_cuda_cores(collected, run, work)),
        why_no_witness_(why_no_witness()),
        why_not_told_(why_no_witness_.empty() ? why_near() : why_no_witness_) {
    witnesses_ = witnesses();
  }

  Verdict verdict() const {
    if (!cuda_cores_ || sms_ <= 0)
      return objected(unknown(
          fmt::format("nothing is known of {} on compute capability '{}'", work_.products, capability_)));
    if (!has_clock(*fastest_.metric)) return objected(unknown("the SM clock was not recorded"));
    Verdict out = blank();
    const double rate = per_clock(*fastest_.metric);
    const std::string seen =
        fmt::format("{:.0f} operations a clock and SM where CUDA cores alone reach at most {:.0f} ({})", rate,
                    *cuda_cores_, fastest_.metric->benchmark);
    if (rate > *cuda_cores_) {
      out.reason = fmt::format("rate: {}; {}", seen, witnesses_);
      return objected(std::move(out));
    }
    if (!why_not_told_.empty()) return objected(unknown(seen + ", and " + why_not_told_));
    if (work_.products == "gemmtf32" && near_cuda_cores()) {
      out.kind = VerdictKind::inconclusive;
      out.reason = fmt::format(
          "Tensor Cores did not do the work, or run at half of their rate or less: {}; {}", seen, witnesses_);
      return objected(std::move(out));
    }
    out.kind = VerdictKind::failed;
    out.reason = fmt::format("Tensor Cores did not do the work, or run at a fraction of their rate: {}; {}",
                             seen, witnesses_);
    return out;
  }

 private:
  Verdict blank() const {
    Verdict out = physical_verdict(
        fmt::format("tensor_cores/{}{}{}", work_.layer.empty() ? "" : fmt::format("{}/", work_.layer),
                    work_.products, work_.maker == Maker::own ? "/hardware" : ""),
        VerdictKind::ok, "");
    out.metric_class = fastest_.metric->form.metric_class;
    out.unit = "flop/clock";
    if (has_clock(*fastest_.metric) && sms_ > 0) out.value = per_clock(*fastest_.metric);
    return out;
  }

  Verdict unknown(const std::string& why) const {
    Verdict out = blank();
    out.kind = VerdictKind::inconclusive;
    out.advisory = true;
    out.reason = fmt::format("not proven by rate: {}; {}", why, witnesses_);
    return out;
  }

  double per_clock(const MetricValues& metric) const {
    return median(metric.values) / (sms_ * median(metric.sm_clock_hz));
  }

  /// Whether CUDA cores reach half of the model's Tensor Core rate or more. Needs both rates.
  bool near_cuda_cores() const { return 2 * *cuda_cores_ >= share_ * most_->operations_per_clock_per_sm; }

  /// Why rate and ratio are no evidence here; "" if they are.
  std::string why_no_witness() const {
    const std::string name = device_.text("gpu.name");
    if (share_ == 0) return "this model has no Tensor Cores";
    // A MIG slice has its own SMs.
    if (shared_card(name) && name.find("MIG ") == std::string::npos)
      return "this is a share of a virtual GPU, whose time others may use";
    if (old_int8_kernels() && capability_.starts_with("10."))
      return "cuBLASLt may use kernels of 8.0 for int8 on this GPU";
    if (!most_ || !cuda_cores_ || most_->operations_per_clock_per_sm <= *cuda_cores_)
      return fmt::format("no source says what Tensor Cores of compute capability {} do of {}", capability_,
                         work_.products);
    if (work_.maker == Maker::own &&
        !own_kernels_tell(capability_, work_.products, fastest_.metric->benchmark))
      return "the suite's own kernel does not use this GPU's fast instruction";
    return "";
  }

  /// Why a rate that CUDA cores may reach proves nothing, because Tensor Cores are hardly faster; "" if it
  /// does. Needs both rates.
  std::string why_near() const {
    if (share_ * most_->operations_per_clock_per_sm <= *cuda_cores_)
      return "this model's Tensor Cores are cut to what CUDA cores do";
    if (work_.products == "int8" && near_cuda_cores())
      return "no source says how much less than that CUDA cores do of int8";
    if (!work_.layer.empty() && near_cuda_cores())
      return "such work need not reach half of the Tensor Cores' rate";
    return "";
  }

  /// Whether a CUDA core kernel is a finding: this GPU has Tensor Cores for such products.
  bool names_tell() const {
    constexpr double first_with_tensor_cores = 7;
    if (share_ == 0) return false;
    return known_capability(capability_)
               ? most_.has_value()
               : result::number_in<double>(capability_).value_or(0) >= first_with_tensor_cores;
  }

  /// Changes a verdict to failed if a kernel lost Tensor Cores, or to inconclusive if other evidence
  /// conflicts.
  Verdict objected(Verdict out) const {
    if (!names_tell()) return out;
    std::vector<std::string> objections;
    std::vector<std::string> lost;
    if (const std::string ratio = ratio_objection(); out.kind == VerdictKind::ok && !ratio.empty())
      objections.push_back("the ratio is " + ratio);
    for (const OnCudaCores& one : on_cuda_cores_) {
      const bool known = cuda_cores_ && sms_ > 0 && has_clock(*one.metric);
      const bool faster = known && per_clock(*one.metric) > *cuda_cores_;
      if (known && !faster && why_not_told_.empty())
        lost.push_back(fmt::format("{} ({}; {:.0f} operations a clock and SM)", one.benchmark, one.why,
                                   per_clock(*one.metric)));
      else
        objections.push_back(
            fmt::format("{} ran without Tensor Cores by its notes ({}){}", one.benchmark, one.why,
                        faster && work_.layer.empty() ? " and is faster than CUDA cores can be" : ""));
    }
    if (!lost.empty() || !objections.empty()) out.advisory = false;
    if (!lost.empty()) {
      out.kind = VerdictKind::failed;
      out.reason = fmt::format("CUDA cores did the work that Tensor Cores should do in {}; of the others: {}",
                               fmt::join(lost, ", "), out.reason);
    } else if (!objections.empty()) {
      out.kind = VerdictKind::inconclusive;
      out.reason = fmt::format("witnesses disagree: {}; {}", fmt::join(objections, ", and "), out.reason);
    }
    return out;
  }

  /// True if cuBLASLt's int8 may use kernels made for 8.0, which do not reach this GPU's rate (seen on 10.3
  /// with CUDA 13.2: pytorch/pytorch issue 187094).
  bool old_int8_kernels() const {
    return work_.maker == Maker::library && work_.products == "int8" && capability_ != "7.5" &&
           !capability_.starts_with("8.");
  }

  /// The objection of the ratio to other products of the same maker; "" if it agrees, or is not known.
  std::string ratio_objection() const {
    if (old_int8_kernels() || !work_.layer.empty() || !why_no_witness_.empty()) return "";
    // Reduced models have another ratio.
    if (share_ != 1 || tensor_core_share(device_.text("gpu.name"), "gemm16") != 1) return "";
    for (const Ratio& row : ratios) {
      if (row.numerator != work_.products) continue;
      const Fastest other = fastest_of(collected_, {row.denominator, work_.maker});
      const auto above = peak(capability_, row.numerator);
      const auto below = peak(capability_, row.denominator);
      if (other.metric == nullptr || !above || !below) return "";
      const bool clocks = has_clock(*fastest_.metric) && has_clock(*other.metric);
      const double expected = above->operations_per_clock_per_sm / below->operations_per_clock_per_sm;
      const double ratio = rate_of(fastest_, clocks) / rate_of(other, clocks);
      if (ratio >= row.least_share * expected) return "";
      return fmt::format("{:.1f} times {} ({}){} where the peaks are {:.0f} to 1", ratio, row.denominator,
                         other.metric->benchmark, clocks ? " a clock" : "", expected);
    }
    return "";
  }

  std::string witnesses() const {
    Fastest fp32 = fastest_of(collected_, {"gemm32", work_.maker});
    if (fp32.metric == nullptr)
      fp32 = fastest_of(collected_, {"gemm32", work_.maker == Maker::own ? Maker::library : Maker::own});
    std::set<std::string> benchmarks;
    for (const auto& [key, metric] : collected_.metrics)
      if (of_kind(metric, work_)) benchmarks.insert(metric.benchmark);
    std::set<std::string> kernels;  // kernels of the fastest product, with path and architecture if noted
    std::set<std::string> simt;     // benchmarks whose kernels use no Tensor Cores, of any size
    std::size_t checks = 0;
    for (const result::Process& process : run_.processes) {
      if (!process.samples) continue;
      for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
        if (!benchmarks.contains(benchmark.id)) continue;
        checks += benchmark.verifications.size();
        if (std::string text = kernel_text(benchmark.notes);
            benchmark.id == fastest_.metric->benchmark && !text.empty())
          kernels.insert(std::move(text));
        if (result::fact(benchmark.notes, "kernel_path") == "simt") simt.insert(benchmark.id);
      }
    }
    return fmt::format("ratio: {}; kernels: {}{}; numerics: {}",
                       fp32.metric != nullptr
                           ? fmt::format("{:.1f} times the fp32 product ({})", fastest_.value / fp32.value,
                                         fp32.metric->benchmark)
                           : "no fp32 product measured",
                       kernels.empty() ? "names not recorded" : fmt::format("{}", fmt::join(kernels, ", ")),
                       simt.empty() ? "" : fmt::format("; no Tensor Cores in {}", fmt::join(simt, ", ")),
                       checks > 0 ? result::counted(checks, "result") + " verified" : "no result verified");
  }

  TensorWork work_;
  Fastest fastest_;
  const Collected& collected_;
  const result::Run& run_;
  DeviceFacts device_;
  std::string capability_;
  double sms_;
  double share_;  ///< share of its compute capability's rate that the model reaches
  std::optional<Peak> most_;
  std::optional<double> cuda_cores_;
  std::vector<OnCudaCores> on_cuda_cores_;
  std::string why_no_witness_;
  std::string why_not_told_;
  std::string witnesses_;
};

}  // namespace

std::vector<Verdict> judge_tensor_cores(const Collected& collected, const result::Run& run) {
  std::vector<Verdict> out;
  for (const std::string_view products : tensor_products) {
    bool hardware_works = false;
    for (const Maker maker : {Maker::own, Maker::library}) {
      const TensorWork work{products, maker};
      const Fastest fastest = fastest_of(collected, work);
      if (fastest.metric == nullptr) continue;
      Verdict verdict = Proof(work, fastest, collected, run).verdict();
      if (maker == Maker::own)
        hardware_works = verdict.kind == VerdictKind::ok;
      else if (hardware_works && verdict.kind == VerdictKind::failed)
        verdict.reason +=
            "; the suite's own kernels do use Tensor Cores on this GPU: look at the library and its settings";
      out.push_back(std::move(verdict));
    }
  }
  for (const TensorWork& work : layers)
    if (const Fastest fastest = fastest_of(collected, work); fastest.metric != nullptr)
      out.push_back(Proof(work, fastest, collected, run).verdict());
  return out;
}

}  // namespace gpugauge::judge
