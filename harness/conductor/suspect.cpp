#include "conductor/suspect.hpp"

#include <algorithm>
#include <set>

#include "result/metric_key.hpp"

namespace gpugauge::conductor {
namespace {

const Benchmark* find_benchmark(const Catalogue& catalogue, const std::string& id) {
  const auto found = std::find_if(catalogue.benchmarks.begin(), catalogue.benchmarks.end(),
                                  [&](const Benchmark& benchmark) { return benchmark.id == id; });
  return found == catalogue.benchmarks.end() ? nullptr : &*found;
}

/// The value of the verdict's metric at slowness 1.
std::optional<double> reference_of(const judge::Verdict& verdict) {
  if (verdict.advisory || !verdict.value || *verdict.value <= 0) return std::nullopt;
  if (verdict.judge == judge::Judge::baseline && verdict.kind == judge::VerdictKind::regressed &&
      verdict.baseline && *verdict.baseline > 0)
    return verdict.baseline;
  if (verdict.judge == judge::Judge::physical && verdict.kind == judge::VerdictKind::failed &&
      verdict.share && *verdict.share > 0 && *verdict.share < 1)
    return verdict.better == result::Direction::higher ? *verdict.value / *verdict.share
                                                       : *verdict.value * *verdict.share;
  return std::nullopt;
}

constexpr std::string_view share_of_all = "host/cpu_share/all_cores";

bool uses_all_processors(std::string_view metric) {
  return metric.find("all_cores") != std::string_view::npos;
}

bool answers(const std::string& metric, diagnose::Processors where) {
  switch (where) {
    case diagnose::Processors::idle:
      return !uses_all_processors(metric);
    case diagnose::Processors::all:
      return result::benchmark_of(metric) != share_of_all;
    case diagnose::Processors::local_to_gpu:
    case diagnose::Processors::as_they_are:
      break;
  }
  return true;
}

}  // namespace

bool Suspect::pins_its_thread() const {
  return benchmark->kind == DeviceKind::host && !uses_all_processors(key);
}

std::optional<double> Suspect::slowness_of(double value) const {
  if (value <= 0) return std::nullopt;
  return better == result::Direction::lower ? value / reference : reference / value;
}

std::optional<Suspect> find_suspect(const ProbeContext& context, const std::vector<std::string_view>& classes,
                                    diagnose::Processors where) {
  std::optional<Suspect> out;
  for (const judge::Verdict& verdict : context.device.verdicts) {
    const bool meant =
        classes.empty() || std::find(classes.begin(), classes.end(), verdict.metric_class) != classes.end();
    const std::optional<double> reference = reference_of(verdict);
    if (!meant || !reference || !answers(verdict.metric, where)) continue;
    const Benchmark* benchmark = find_benchmark(context.catalogue, result::benchmark_of(verdict.metric));
    if (benchmark == nullptr) continue;  // a class mean, or a family that is not installed
    Suspect suspect{benchmark, verdict.metric, *reference, verdict.better, 1};
    suspect.slowness = suspect.slowness_of(*verdict.value).value_or(1);
    if (suspect.slowness >= diagnose::slower_from && (!out || suspect.slowness > out->slowness))
      out = suspect;
  }
  return out;
}

std::optional<Suspect> share_benchmark(const ProbeContext& context) {
  for (const std::string_view id : {share_of_all, std::string_view("host/cpu_share/one_core")})
    if (const Benchmark* benchmark = find_benchmark(context.catalogue, std::string(id)); benchmark != nullptr)
      return Suspect{benchmark, std::string(id) + ":cpu_share", 1, result::Direction::higher, 1};
  return std::nullopt;
}

std::optional<Suspect> find_other_library(const ProbeContext& context, const Suspect& slow) {
  if (context.before == nullptr) return std::nullopt;
  std::set<std::string> measured;
  for (const result::Run& run : context.device.rounds)
    for (const report::Measured& metric : report::summarise(run)) measured.insert(metric.benchmark);
  for (const Benchmark& benchmark : context.catalogue.benchmarks) {
    if (benchmark.family == slow.benchmark->family || benchmark.kind != slow.benchmark->kind ||
        benchmark.metric_class != slow.benchmark->metric_class || benchmark.sustained ||
        measured.contains(benchmark.id) ||
        run::depth_of(benchmark.profile) > run::depth_of(context.options.profile.name))
      continue;
    for (const report::Measured& metric : report::summarise(context.before->runs.front()))
      if (metric.benchmark == benchmark.id && metric.judged && metric.value > 0)
        return Suspect{&benchmark, metric.key, metric.value, metric.better, 1};
  }
  return std::nullopt;
}

}  // namespace gpugauge::conductor
