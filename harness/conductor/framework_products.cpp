#include "conductor/framework_products.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/judge.hpp"
#include "judge/statistics.hpp"
#include "result/facts.hpp"
#include "result/metric_of.hpp"

namespace gpugauge::conductor {
namespace {

constexpr const char* speed_metric = "throughput";
constexpr const char* share_metric = "share_of_cublas";
constexpr const char* own_note = "cublas";
constexpr const char* reason_note = "cublas_reason";

/// Calls `visit` for every benchmark of the run that left a result.
template <typename Run, typename Visit>
void each_benchmark(Run& run, const Visit& visit) {
  for (auto& process : run.processes)
    if (process.samples)
      for (auto& benchmark : process.samples->benchmarks) visit(benchmark);
}

/// "torch/matmul/bf16/4096x4096x4096": its second word says what is computed.
bool is_product(const result::BenchmarkResult& benchmark) {
  const std::size_t slash = benchmark.id.find('/');
  return slash != std::string::npos && benchmark.id.compare(slash, 8, "/matmul/") == 0;
}

/// A product of fp32 matrices that has the error of bf16. `own_id`: own_product_of() it.
bool is_rounded_to_bf16(const std::string& id, const std::string& own_id) {
  return id.find("/fp32/") != std::string::npos && own_id.starts_with("cublas/bf16/");
}

double least_share(const std::string& id, const std::string& own_id) {
  return is_rounded_to_bf16(id, own_id) ? least_share_of_rounded : least_share_of_cublas;
}

/// Why a benchmark without a figure has none: its own reason, else that of its process.
std::string why_no_figure(const result::Run& own, const std::string& id) {
  std::string out;
  for (const result::Process& process : own.processes) {
    if (!process.reason.empty()) out = process.reason;
    if (!process.samples) continue;
    for (const result::BenchmarkResult& benchmark : process.samples->benchmarks)
      if (benchmark.id == id && benchmark.status != result::Status::ok) return benchmark.reason;
  }
  return out.empty() ? fmt::format("the family left no figure of {}", id) : out;
}

/// Why the benchmark is too slow by the physical judge; "" where it is not.
std::string why_slow(const std::vector<judge::Verdict>& verdicts, const std::string& id) {
  for (const judge::Verdict& verdict : verdicts)
    if (verdict.kind == judge::VerdictKind::failed && verdict.metric == result::metric_key(id, speed_metric))
      return verdict.reason;
  return "";
}

result::Metric share_of(double share, const std::string& id) {
  result::Metric out;
  out.name = share_metric;
  out.unit = "1";
  out.metric_class = "framework_op";
  out.statistic = "ratio";
  out.value = share;
  out.judged = false;
  out.note = fmt::format("recorded only: the speed over that of {} in a process of its own", id);
  return out;
}

/// Path of the cuBLAS that a framework's process had mapped; "" where none was seen.
std::string loaded_cublas(const result::Facts& context) {
  for (const auto& [name, value] : context)
    if (name.starts_with("framework.library."))
      if (std::filesystem::path(value).filename().string().starts_with("libcublas.so")) return value;
  return "";
}

/// What is to be said of a product that is_rounded_to_bf16(), with the switch that may have asked for it.
std::string remark_on_rounding(const report::FrameworkOperation& operation, const result::Facts& context) {
  std::string asked;
  for (const char* key : {"jax.default_matmul_precision", "torch.float32_matmul_precision"})
    if (const std::string value = result::fact(context, key); !value.empty())
      asked = fmt::format(" ({} is {})", key, value);
  return fmt::format(
      "{} takes fp32 matrices and has the error of bf16: the framework rounds them to bf16{}, which is part of "
      "its time{}.",
      operation.id, asked,
      operation.own->share ? fmt::format("; it is held against {}", operation.own->id) : "");
}

/// Speed of our own products, by benchmark. It follows from the product's speed and its share.
std::map<std::string, std::vector<double>> own_speeds(const std::vector<result::Run>& runs) {
  std::map<std::string, std::vector<double>> out;
  for (const result::Run& run : runs)
    each_benchmark(run, [&](const result::BenchmarkResult& benchmark) {
      const result::Metric* const share = result::metric_of(benchmark, share_metric);
      const result::Metric* const speed = result::metric_of(benchmark, speed_metric);
      if (share != nullptr && speed != nullptr && share->value > 0)
        out[result::fact(benchmark.notes, own_note)].push_back(speed->value / share->value);
    });
  return out;
}

/// The first product of ours that is too slow itself; "" where none is.
std::string slow_itself(const std::vector<result::Run>& runs) {
  std::string out;
  for (const result::Run& run : runs)
    each_benchmark(run, [&](const result::BenchmarkResult& benchmark) {
      if (out.empty() && result::metric_of(benchmark, share_metric) != nullptr &&
          benchmark.notes.contains(reason_note))
        out = result::fact(benchmark.notes, own_note);
    });
  return out;
}

}  // namespace

std::string own_product_of(const result::BenchmarkResult& benchmark) {
  if (!is_product(benchmark) || benchmark.status != result::Status::ok ||
      result::fact(benchmark.notes, "ran_on") != "gpu")
    return "";
  const std::string numerics = result::fact(benchmark.notes, "numerics");
  return fmt::format("cublas/{}/lt/{}",
                     numerics.empty() ? result::fact(benchmark.parameters, "type") : numerics,
                     result::fact(benchmark.parameters, "shape"));
}

std::vector<std::string> own_products_of(const result::Run& run) {
  std::set<std::string> out;
  each_benchmark(run, [&](const result::BenchmarkResult& benchmark) {
    if (std::string id = own_product_of(benchmark); !id.empty()) out.insert(std::move(id));
  });
  return {out.begin(), out.end()};
}

OwnFigures own_figures(const result::Run& own, const std::vector<std::string>& ids) {
  OwnFigures out;
  for (const std::string& id : ids) out[id];
  each_benchmark(own, [&](const result::BenchmarkResult& benchmark) {
    const result::Metric* const speed = result::metric_of(benchmark, speed_metric);
    const auto found = out.find(benchmark.id);
    if (found == out.end() || benchmark.status != result::Status::ok || speed == nullptr) return;
    if (speed->value > 0) found->second.flops = speed->value;
  });
  const std::vector<judge::Verdict> verdicts = judge::judge_physical(own);
  for (auto& [id, figure] : out)
    figure.reason = figure.flops ? why_slow(verdicts, id) : why_no_figure(own, id);
  return out;
}

void add_shares(const OwnFigures& own, result::Run& frameworks) {
  each_benchmark(frameworks, [&](result::BenchmarkResult& benchmark) {
    const std::string id = own_product_of(benchmark);
    if (id.empty()) return;
    const OwnFigure& figure = own.at(id);
    const result::Metric* const speed = result::metric_of(benchmark, speed_metric);
    benchmark.notes[own_note] = id;
    if (!figure.reason.empty()) benchmark.notes[reason_note] = figure.reason;
    if (figure.flops && speed != nullptr)
      benchmark.metrics.push_back(share_of(speed->value / *figure.flops, id));
  });
}

std::optional<report::OwnProduct> own_product_in(const result::BenchmarkResult& benchmark) {
  const std::string id = result::fact(benchmark.notes, own_note);
  if (id.empty()) return std::nullopt;
  report::OwnProduct out{.id = id, .share = {}, .reason = result::fact(benchmark.notes, reason_note)};
  if (const result::Metric* const share = result::metric_of(benchmark, share_metric))
    out.share = share->value;
  return out;
}

bool far_below(const report::FrameworkOperation& operation) {
  const auto& own = operation.own;
  return own && own->share && *own->share < least_share(operation.id, own->id) && own->reason.empty();
}

std::vector<std::string> remarks_on_products(const report::Framework& framework,
                                             const result::Facts& context) {
  std::vector<std::string> out;
  std::vector<std::string> below;
  for (const report::FrameworkOperation& one : framework.operations) {
    if (one.own && is_rounded_to_bf16(one.id, one.own->id)) out.push_back(remark_on_rounding(one, context));
    if (far_below(one))
      below.push_back(fmt::format("{} reaches {:.2f} of {}", one.id, *one.own->share, one.own->id));
  }
  if (below.empty()) return out;
  const std::string loaded = loaded_cublas(context);
  out.push_back(fmt::format(
      "Far below our own cuBLAS here: {}. The GPU does this work faster, so the framework is what costs. "
      "Usually it brings a cuBLAS that is older than the GPU, or takes kernels of its own that were not made "
      "or tuned for it{}. Its kernels and libraries are in the file of `gpugauge frameworks {} --output FILE`.",
      fmt::join(below, ", "), loaded.empty() ? "" : fmt::format("; it loaded {}", loaded), framework.name));
  return out;
}

std::vector<std::string> remarks_on_cublas(const std::vector<report::Framework>& frameworks) {
  std::map<std::string, std::vector<std::string>>
      missing;                              // reason -> products that were compared with nothing
  std::map<std::string, std::string> slow;  // benchmark of ours -> why it is slow
  for (const report::Framework& framework : frameworks)
    for (const report::FrameworkOperation& one : framework.operations) {
      if (!one.own || one.own->reason.empty()) continue;
      if (one.own->share)
        slow.emplace(one.own->id, one.own->reason);
      else
        missing[one.own->reason].push_back(one.id);
    }
  std::vector<std::string> out;
  out.reserve(missing.size() + slow.size());
  for (const auto& [reason, products] : missing)
    out.push_back(fmt::format("Not compared with our own cuBLAS: {}: {}", fmt::join(products, ", "), reason));
  for (const auto& [id, reason] : slow)
    out.push_back(
        fmt::format("Our own cuBLAS is slow here itself ({}: {}), which no framework causes: run `gpugauge "
                    "check`.",
                    id, reason));
  return out;
}

std::optional<diagnose::Metric> product_figure(const result::BenchmarkResult& benchmark,
                                               const std::string& framework) {
  const std::optional<report::OwnProduct> own = own_product_in(benchmark);
  if (!own || !own->share || *own->share <= 0) return std::nullopt;
  diagnose::Metric out;
  out.metric_class = "framework_op";
  out.factor = 1 / *own->share;
  out.judged = *own->share < least_share(benchmark.id, own->id) ? "slower" : "unchanged";
  out.scope.op = benchmark.id;
  out.scope.framework = framework;
  out.scope.dtype = result::fact(benchmark.parameters, "type");
  out.scope.size = "large";
  out.note = fmt::format("beside {}", own->id);
  return out;
}

std::optional<diagnose::Probe> native_benchmark(const std::vector<result::Run>& runs,
                                                const std::vector<result::Run>* before) {
  constexpr double least_of_before = .95;
  const auto now = own_speeds(runs);
  const auto then = before == nullptr ? now : own_speeds(*before);
  std::vector<std::string> compared;
  std::string slow = slow_itself(runs);
  for (const auto& [id, speeds] : now) {
    const auto old = then.find(id);
    if (old == then.end()) continue;
    compared.push_back(id);
    if (slow.empty() && judge::median(speeds) < least_of_before * judge::median(old->second)) slow = id;
  }
  if (compared.empty()) return std::nullopt;
  if (!slow.empty()) return diagnose::Probe{"native_benchmark", "slow", slow};
  return diagnose::Probe{"native_benchmark", "normal", fmt::format("{}", fmt::join(compared, ","))};
}

}  // namespace gpugauge::conductor
