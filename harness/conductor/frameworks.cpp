// Runs the framework probes of a Python and judges where their work ran.
#include "conductor/frameworks.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conductor/framework_products.hpp"
#include "conductor/observe.hpp"
#include "conductor/observe_failures.hpp"
#include "conductor/products_beside.hpp"
#include "result/build.hpp"
#include "result/device_kind.hpp"
#include "result/error.hpp"
#include "result/facts.hpp"
#include "result/file.hpp"
#include "result/profiles.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::conductor {
namespace {

using report::Framework;
using report::FrameworkOperation;
using report::FrameworkState;

FrameworkOperation operation_of(const result::BenchmarkResult& benchmark) {
  FrameworkOperation out;
  out.id = benchmark.id;
  out.ran_on = result::fact(benchmark.notes, "ran_on");
  out.evidence = result::fact(benchmark.notes, "evidence");
  for (const result::Metric& metric : benchmark.metrics) {
    if (metric.name == "throughput") out.flops = metric.value;
    if (metric.name == "bandwidth") out.bandwidth = metric.value;
  }
  out.wrong = benchmark.status == result::Status::failed;
  if (benchmark.status != result::Status::ok) out.evidence = benchmark.reason;
  out.own = own_product_in(benchmark);
  return out;
}

std::string sentence_end(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return text + ".";
}

/// Sets the framework's state and sentence from its process and its operations.
void conclude(const result::Process& process, const stack::GpuReport& gpus, Framework& out) {
  const auto says = [&](FrameworkState state, const std::string& sentence) {
    out.state = state;
    out.sentence = sentence_end(sentence);
  };
  const bool interrupted = process.status == result::Status::interrupted;
  if (!process.samples)
    return says(interrupted ? FrameworkState::unknown : FrameworkState::failed, process.reason);
  const result::Samples& samples = *process.samples;
  if (samples.status == result::Status::unavailable) {
    const bool absent = result::fact(samples.context, "framework.installed") == "no";
    return says(absent ? FrameworkState::absent : FrameworkState::failed, samples.reason);
  }
  if (process.status == result::Status::failed && samples.status == result::Status::ok &&
      std::none_of(out.operations.begin(), out.operations.end(), [](const auto& one) { return one.wrong; }))
    return says(FrameworkState::failed, process.reason);
  for (const FrameworkOperation& one : out.operations)
    if (one.wrong) return says(FrameworkState::failed, fmt::format("{}: {}", one.id, one.evidence));
  if (interrupted) return says(FrameworkState::unknown, process.reason);
  if (out.operations.empty()) return says(FrameworkState::failed, process.reason);
  const auto first = [&](const std::string& place) {
    return std::find_if(out.operations.begin(), out.operations.end(),
                        [&](const FrameworkOperation& one) { return one.ran_on == place; });
  };
  const auto count = [&](const std::string& place) {
    return std::count_if(out.operations.begin(), out.operations.end(),
                         [&](const FrameworkOperation& one) { return one.ran_on == place; });
  };
  const auto total = static_cast<std::ptrdiff_t>(out.operations.size());
  if (const auto one = first("cpu"); one != out.operations.end())
    return says(FrameworkState::on_cpu,
                count("cpu") == total
                    ? fmt::format("everything ran on the processor: {}; what it computes on is {}",
                                  one->evidence, result::fact(samples.context, "framework.device_name"))
                    : fmt::format("{} of {} operations ran on the processor, {} among them: {}", count("cpu"),
                                  total, one->id, one->evidence));
  if (const auto one = first("unknown"); one != out.operations.end())
    return says(FrameworkState::unknown,
                fmt::format("where {} ran could not be proved: {}", one->id, one->evidence));
  says(FrameworkState::on_gpu,
       fmt::format(
           "{} ran on {}{}",
           count("gpu") == total
               ? "everything"
               : fmt::format("{} of {} operations could be measured, and all of these", count("gpu"), total),
           result::fact(samples.context, "framework.device_name"),
           gpus.state == stack::GpuState::usable ? "" : ", although no GPU was found usable before"));
}

/// The observation of one framework; never a conclusion.
diagnose::Observation observation_of(const result::Run& run, const result::Process& process,
                                     const stack::GpuReport& gpus, const Framework& framework) {
  report::DeviceReport device;
  device.rounds.push_back(run);
  device.rounds.back().processes = {process};
  diagnose::Observation out = observe(device, nullptr);
  out.about.source = fmt::format("gpugauge frameworks, {}, {}", framework.name, run.started);
  out.about.compared_with = "expected";
  out.about.gpus = static_cast<int>(gpus.gpus.size());
  out.inventory["framework.name"] = framework.name;
  out.probes.push_back({"nvml_query", gpus.state == stack::GpuState::usable ? "succeeds" : "fails", ""});
  if (!process.samples) return out;
  // Why a framework fell back stands in what it printed. Without samples that is there already.
  if (framework.state != FrameworkState::on_gpu) add_output(process, true, out.log);
  if (process.samples->status == result::Status::unavailable)
    out.errors.push_back({"framework", {}, process.samples->reason});
  std::set<std::string> places;
  for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
    const std::string place = result::fact(benchmark.notes, "ran_on");
    if (place == "cpu" || place == "gpu") places.insert(place);
    if (std::optional<diagnose::Metric> figure = product_figure(benchmark, framework.name))
      out.metrics.push_back(std::move(*figure));
    if (benchmark.status == result::Status::failed) {
      diagnose::Metric metric;
      metric.metric_class = "framework_op";
      metric.fails = true;
      metric.scope.op = benchmark.id;
      metric.scope.framework = framework.name;
      metric.note = benchmark.reason;
      out.metrics.push_back(std::move(metric));
    }
  }
  // One operation on the processor is a fallback, whatever the others do.
  if (!places.empty()) out.telemetry["ran_on"] = diagnose::Value(places.contains("cpu") ? "cpu" : "gpu");
  return out;
}

bool is_far_below(const Framework& framework) {
  return std::any_of(framework.operations.begin(), framework.operations.end(), far_below);
}

judge::Outcome outcome_of(const std::vector<Framework>& frameworks, bool usable) {
  const auto names = [&](FrameworkState state) {
    std::vector<std::string> out;
    for (const Framework& one : frameworks)
      if (one.state == state) out.push_back(one.name);
    return out;
  };
  const std::vector<std::string> failed = names(FrameworkState::failed);
  const std::vector<std::string> on_cpu = names(FrameworkState::on_cpu);
  const std::vector<std::string> unknown = names(FrameworkState::unknown);
  const std::vector<std::string> on_gpu = names(FrameworkState::on_gpu);
  if (!failed.empty())
    return {judge::ExitCode::regressed, fmt::format("failed: {}", fmt::join(failed, ", ")), true,
            judge::VerdictKind::failed};
  if (usable && !on_cpu.empty())
    return {judge::ExitCode::regressed,
            fmt::format("failed: {} ran on the processor beside a usable GPU", fmt::join(on_cpu, ", ")), true,
            judge::VerdictKind::failed};
  if (names(FrameworkState::absent).size() == frameworks.size())
    return {judge::ExitCode::cannot_judge, "cannot judge: none of the frameworks asked for is installed"};
  if (!usable)
    return {judge::ExitCode::cannot_judge,
            fmt::format("cannot judge: no usable GPU{}",
                        on_cpu.empty() ? ""
                                       : fmt::format("; {} ran on the processor, as they must without one",
                                                     fmt::join(on_cpu, ", ")))};
  if (!unknown.empty())
    return {judge::ExitCode::cannot_judge,
            fmt::format("cannot judge: where {} ran could not be proved", fmt::join(unknown, ", "))};
  std::vector<std::string> slow;
  for (const Framework& one : frameworks)
    if (is_far_below(one)) slow.push_back(one.name);
  return {judge::ExitCode::pass,
          fmt::format("pass: {} ran on the GPU{}", fmt::join(on_gpu, ", "),
                      slow.empty() ? ""
                                   : fmt::format("; far below our own cuBLAS, which is not counted: {}",
                                                 fmt::join(slow, ", ")))};
}

}  // namespace

const std::vector<std::string>& probed_frameworks() {
  static const std::vector<std::string> names{"torch", "tensorflow", "jax", "onnxruntime"};
  return names;
}

std::filesystem::path probe_script() {
  return run::family_directory() / "frameworks" / "probe.py";
}

run::Plan plan_beside_frameworks(const FrameworkOptions& options, const stack::GpuReport& gpus) {
  run::Plan plan;
  plan.profile.processes = 1;
  plan.profile.own_processes = 1;
  plan.profile.window_seconds = options.window_seconds;
  plan.profile.device_window_seconds = options.window_seconds;
  plan.profile.limit_seconds = options.limit_seconds;
  plan.profile.cool_down.watch_seconds = 0;  // a product beside another one is to find what that one found
  const std::string host(to_string(result::DeviceKind::host));
  plan.device = host;  // keeps the environment that the user's own programs see
  plan.device_selection = gpus.gpus.size() == 1 ? gpus.gpus.front().uuid : host;
  plan.fingerprint = stack::fingerprint(gpus);
  plan.command = options.command;
  plan.gpu_telemetry = gpus.state == stack::GpuState::usable;
  return plan;
}

std::function<void(const run::Progress&)> plan_progress(const FrameworkOptions& options) {
  return [show = options.progress](const run::Progress& progress) {
    if (show)
      show({"frameworks", progress.done, progress.total, progress.family, progress.elapsed_seconds,
            progress.left_seconds});
  };
}

result::Run run_frameworks(const FrameworkOptions& options, const stack::GpuReport& gpus) {
  const std::filesystem::path script = probe_script();
  if (!result::is_there(script))
    throw result::FileError(
        fmt::format("{} is not there; install GPUGauge whole, or name its folder with GPUGAUGE_LIBEXEC",
                    script.string()));
  run::Plan plan = plan_beside_frameworks(options, gpus);
  plan.profile.name = result::frameworks_profile;
  for (const std::string& name : options.names)
    plan.families.push_back({name, options.python, {script.string(), name}});
  std::optional<result::StopsHeldBack> held;
  result::Run out = run::execute(plan, plan_progress(options), nullptr, &held);
  measure_products_beside(options, gpus, held, out);
  return out;
}

report::FrameworksReport judge_frameworks(const result::Run& run, const stack::GpuReport& gpus) {
  report::FrameworksReport out;
  const bool usable = gpus.state == stack::GpuState::usable;
  if (!usable) out.gpu_explanation = gpus.explanation;
  for (const result::Process& process : run.processes) {
    Framework framework;
    framework.name = process.family;
    if (process.samples) {
      const result::Facts& context = process.samples->context;
      framework.version = result::fact(context, "framework.version");
      framework.build = result::fact(context, "framework.build");
      framework.cuda = result::fact(context, "framework.cuda");
      if (out.interpreter.empty()) out.interpreter = result::fact(context, "framework.python");
      for (const result::BenchmarkResult& benchmark : process.samples->benchmarks)
        framework.operations.push_back(operation_of(benchmark));
    }
    conclude(process, gpus, framework);
    if (process.samples) framework.remarks = remarks_on_products(framework, process.samples->context);
    if (framework.state != FrameworkState::absent) {
      framework.observation = observation_of(run, process, gpus, framework);
      // Without a GPU, work belongs on the processor; the reason for no GPU is already given.
      if (usable && (framework.state != FrameworkState::on_gpu || is_far_below(framework)))
        framework.diagnosis = diagnose::diagnose(*framework.observation);
    }
    out.frameworks.push_back(std::move(framework));
  }
  std::sort(out.frameworks.begin(), out.frameworks.end(),
            [](const Framework& a, const Framework& b) { return a.name < b.name; });
  out.remarks = remarks_on_cublas(out.frameworks);
  out.outcome = outcome_of(out.frameworks, usable);
  if (!run.complete && out.outcome.code != judge::ExitCode::regressed)
    out.outcome = {judge::ExitCode::cannot_judge, "cannot judge: " + run.partial_reason};
  return out;
}

}  // namespace gpugauge::conductor
