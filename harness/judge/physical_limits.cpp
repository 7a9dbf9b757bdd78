// Judges metrics against the limits of memory, links and SMs.
#include "judge/physical_limits.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "judge/device_limits.hpp"
#include "judge/floors.hpp"
#include "judge/peaks.hpp"
#include "judge/per_clock.hpp"
#include "judge/physical_verdict.hpp"
#include "judge/products.hpp"
#include "judge/reasons.hpp"
#include "judge/statistics.hpp"
#include "result/gpu_model.hpp"

namespace gpugauge::judge {
namespace {

using result::Direction;

/// More than clocks and rounding explain.
constexpr double above_limit = 1.05;
/// Smaller products leave many SMs of a large GPU idle: no floor.
constexpr double least_saturating_flops = 1e11;
/// Smaller copies over the link mostly wait.
constexpr double least_copied_bytes = 3e7;

/// Whether a floor applies: the metric is declared saturating and is the median, and the GPU's compute
/// capability is in the table of peaks. The run must have the whole chip, since a slice or virtual GPU does
/// not show its share.
bool has_floor(const MetricValues& metric, const result::Run& run) {
  if (!metric.saturating || metric.form.statistic != "median") return false;
  const DeviceFacts device(run, metric.benchmark);
  if (!peak(device.text("gpu.compute_capability"), "gemm32")) return false;
  return !part_of_gpu(run, device);
}

Verdict not_held(const std::string& key, const MetricValues& metric, std::string reason) {
  Verdict verdict = physical_verdict(key, metric);
  verdict.kind = VerdictKind::inconclusive;
  verdict.advisory = true;
  verdict.reason = std::move(reason);
  return verdict;
}

Verdict against_limit(const std::string& key, const MetricValues& metric, const result::Limit& limit) {
  Verdict verdict = physical_verdict(key, metric);
  const double share =
      metric.form.better == Direction::higher ? *verdict.value / limit.value : limit.value / *verdict.value;
  const double floor = limit.saturating ? limit.floor.value_or(declared_floor) : 0;
  verdict.share = share;
  if (share > above_limit) {
    verdict.kind = VerdictKind::failed;
    verdict.reason = fmt::format("{} of what is possible: the measurement or the limit is wrong ({})",
                                 whole_percent(share), limit.source);
  } else if (share < floor) {
    verdict.kind = VerdictKind::failed;
    verdict.reason = fmt::format("{} of the limit, and a healthy machine reaches at least {} ({})",
                                 whole_percent(share), whole_percent(floor), limit.source);
  } else {
    verdict.reason = fmt::format("{} of the limit ({})", whole_percent(share), limit.source);
  }
  return verdict;
}

/// The host takes part in a copy, so a slow one is counted but not failed.
Verdict slow_copy(const std::string& key, const MetricValues& metric, const result::Limit& limit) {
  Verdict verdict = physical_verdict(key, metric);
  verdict.kind = VerdictKind::inconclusive;
  verdict.share = *verdict.value / limit.value;
  verdict.reason = fmt::format(
      "{:.0f}% of the link ({}), where a large copy reaches {:.0f}% or more: confidential computing, an "
      "IOMMU, a "
      "shared switch or the memory of the other socket explain it, a fault of the link does, too",
      100 * *verdict.share, limit.source, 100 * link_floor);
  return verdict;
}

Verdict against_memory_bus(const std::string& key, const MetricValues& metric, const result::Run& run) {
  if (integrated_gpu(DeviceFacts(run, metric.benchmark)))
    return not_held(key, metric,
                    "not held against the memory's bus: an integrated GPU does not report the clock of the "
                    "host's memory");
  const auto floor = has_floor(metric, run) ? std::optional(memory_floor) : std::nullopt;
  if (const auto limit = memory_limit(run, metric.benchmark, floor))
    return against_limit(key, metric, *limit);
  return not_held(key, metric,
                  "not held against the memory's bus: the process did not record gpu.memory_clock_max_hz and "
                  "gpu.memory_bus_bits");
}

/// A primitive moves what it declares between the memory and the SMs, and faster than the bus is impossible.
/// Some compute more than they move, so that there is no floor; nothing is said where the bus is not known.
std::optional<Verdict> within_memory_bus(const std::string& key, const MetricValues& metric,
                                         const result::Run& run) {
  if (integrated_gpu(DeviceFacts(run, metric.benchmark))) return std::nullopt;
  const auto limit = memory_limit(run, metric.benchmark, std::nullopt);
  if (!limit) return std::nullopt;
  return against_limit(key, metric, *limit);
}

Verdict against_link(const std::string& key, const MetricValues& metric, const result::Run& run) {
  if (integrated_gpu(DeviceFacts(run, metric.benchmark)))
    return not_held(key, metric,
                    "not held against a link: an integrated GPU copies within the host's memory");
  const auto limit = link_limit(run, metric.link_directions);
  if (!limit)
    return not_held(
        key, metric,
        "not held against the link: telemetry did not see its generation and width, or no rate of that "
        "generation is known");
  const double share = median(metric.values) / limit->value;
  if (metric.bytes >= least_copied_bytes && has_floor(metric, run) && share < link_floor)
    return slow_copy(key, metric, *limit);
  if (share <= above_limit) return against_limit(key, metric, *limit);
  return not_held(
      key, metric,
      fmt::format("faster than the link that telemetry saw ({}): it went another way, or the link "
                  "slept whenever it was asked",
                  limit->source));
}

/// One verdict for the whole run: the same name for every product.
Verdict without_peaks(const std::string& capability) {
  Verdict verdict = physical_verdict(
      "peaks/products", VerdictKind::inconclusive,
      fmt::format("products are held against no peak: no public figures of compute capability {} are known "
                  "here; only a baseline (gpugauge baseline create) or peers can show that they are slow",
                  capability));
  verdict.advisory = true;
  return verdict;
}

/// What a product's metric is, and of whose peak.
std::string products_in(const MetricValues& metric) {
  return metric.instruction.empty() ? std::string(products_of(metric.form.metric_class, metric.benchmark))
                                    : metric.instruction;
}

/// Whether it is fp64 on a model whose fp64 is cut, and by how much is only coarsely known.
bool is_cut_fp64(const DeviceFacts& device, const MetricValues& metric) {
  return metric.form.metric_class == "gemm64" && result::has_cut_fp64(device.text("gpu.name"));
}

std::optional<Peak> peak_of(const DeviceFacts& device, const MetricValues& metric) {
  if (is_cut_fp64(device, metric)) return std::nullopt;
  const std::string capability = device.text("gpu.compute_capability");
  return metric.instruction.empty() ? peak(capability, products_in(metric))
                                    : instruction_peak(capability, metric.instruction);
}

/// A share of a peak, and how to say it.
struct PeakShare {
  double share = 0;
  std::string_view at;  ///< " at the clock that it had", where the clock is a part of the peak
  std::string beside;   ///< "; 62% of the peak at the highest clock, 1.98 GHz"; may be empty
  std::string basis;    ///< what the peak is made of, and its source
};

/// The floor applies only to products that are declared saturating, and large or from registers, on models
/// with full Tensor Cores. Small and misaligned shapes are rightly far below the peak.
Verdict by_peak(const std::string& key, const MetricValues& metric, const result::Run& run, const Peak& most,
                const PeakShare& seen) {
  const DeviceFacts device(run, metric.benchmark);
  const std::string capability = device.text("gpu.compute_capability");
  const std::string what = products_in(metric);
  Verdict verdict = physical_verdict(key, metric);
  verdict.share = seen.share;
  const bool full = metric.flops >= least_saturating_flops || from_registers(metric.benchmark);
  const bool held =
      most.reached && has_floor(metric, run) && full && tensor_core_share(device.text("gpu.name"), what) == 1;
  const double floor = held ? product_floor(capability, what, metric.benchmark) : 0;
  if (seen.share > above_limit) {
    verdict.kind = VerdictKind::failed;
    verdict.reason =
        fmt::format("{} of the peak, which is impossible: work was left out, or the clock is wrong ({})",
                    whole_percent(seen.share), seen.basis);
  } else if (seen.share < floor) {
    verdict.kind = VerdictKind::failed;
    verdict.reason =
        fmt::format("{} of the peak{}, and a healthy device reaches at least {}{} ({})",
                    whole_percent(seen.share), seen.at, whole_percent(floor), seen.beside, seen.basis);
  } else {
    const std::string_view faster = faster_than_mma_sync(capability, what, metric.benchmark);
    verdict.reason = fmt::format(
        "{} of the peak{}{}{} ({})", whole_percent(seen.share), seen.beside.empty() ? "" : seen.at,
        faster.empty() ? "" : fmt::format(", which mma.sync does not reach here and {} does", faster),
        seen.beside, seen.basis);
  }
  return verdict;
}

/// A rate against the peak at the measured clock. The share at the highest clock is only said: a healthy card
/// at its power limit lowers its clock.
Verdict against_peak(const std::string& key, const MetricValues& metric, const result::Run& run) {
  const DeviceFacts device(run, metric.benchmark);
  const std::string capability = device.text("gpu.compute_capability");
  const double sms = device.number("gpu.sm_count");
  if (capability.empty() || sms == 0)
    return not_held(
        key, metric,
        "not held against a peak: the process did not record gpu.compute_capability and gpu.sm_count");
  if (!known_capability(capability)) return without_peaks(capability);
  const auto most = peak_of(device, metric);
  if (!most && is_cut_fp64(device, metric))
    return not_held(
        key, metric,
        fmt::format("not held against a peak: {} has little of the fp64 of compute capability {}, "
                    "about 1 TFLOP/s",
                    device.text("gpu.name"), capability));
  if (!most)
    return not_held(key, metric,
                    fmt::format("not held against a peak: none is known of {} for compute capability {}",
                                products_in(metric), capability));
  if (metric.sm_clock_hz.empty() || !(median(metric.sm_clock_hz) > 0))
    return not_held(key, metric, "not held against a peak: the SM clock was not recorded");
  const double clock = median(metric.sm_clock_hz);
  const double per_hertz = most->operations_per_clock_per_sm * sms;
  const double value = median(metric.values);
  PeakShare seen{value / (per_hertz * clock), " at the clock that it had", "",
                 fmt::format("{:.0f} operations a clock x {:.0f} SMs x {:.2f} GHz; {}",
                             most->operations_per_clock_per_sm, sms, clock / 1e9, most->source)};
  const double highest = device.number("gpu.sm_clock_max_hz");
  std::optional<double> raw;
  if (highest > 0) {
    raw = value / (per_hertz * highest);
    seen.beside =
        fmt::format("; {} of the peak at the highest clock, {:.2f} GHz", whole_percent(*raw), highest / 1e9);
  }
  Verdict verdict = by_peak(key, metric, run, *most, seen);
  verdict.share_at_highest_clock = raw;
  return verdict;
}

/// Operations per clock and SM against the same peak; nullopt where none is known, which the rate says.
std::optional<Verdict> against_peak_per_clock(const std::string& key, const MetricValues& metric,
                                              const result::Run& run) {
  const auto most = peak_of(DeviceFacts(run, metric.benchmark), metric);
  if (!most) return std::nullopt;
  const std::string basis =
      fmt::format("{:.0f} operations a clock and SM; {}", most->operations_per_clock_per_sm, most->source);
  return by_peak(key, metric, run, *most,
                 {median(metric.values) / most->operations_per_clock_per_sm, "", "", basis});
}

}  // namespace

std::vector<Verdict> judge_limits(const std::string& key, const MetricValues& metric,
                                  const result::Run& run) {
  std::vector<Verdict> out;
  const std::string& metric_class = metric.form.metric_class;
  const std::string& unit = metric.form.unit;
  if (metric.form.limit) {
    out.push_back(against_limit(key, metric, *metric.form.limit));
  } else if (unit == "byte/second" && metric_class == "hbm") {
    out.push_back(against_memory_bus(key, metric, run));
  } else if (unit == "byte/second" && (metric_class == "h2d" || metric_class == "d2h")) {
    out.push_back(against_link(key, metric, run));
  } else if (unit == "byte/second" && metric_class == "primitive") {
    if (auto verdict = within_memory_bus(key, metric, run)) out.push_back(std::move(*verdict));
  }
  const bool arithmetic = metric_class.rfind("gemm", 0) == 0 || !metric.instruction.empty();
  const bool rate = unit == "flop/second" || unit == "operation/second";
  if (arithmetic && rate && !metric.form.limit) out.push_back(against_peak(key, metric, run));
  if (arithmetic && is_per_clock(metric.form.name) && !metric.form.limit)
    if (auto verdict = against_peak_per_clock(key, metric, run)) out.push_back(std::move(*verdict));
  return out;
}

}  // namespace gpugauge::judge
