// Runs the probes that repeat benchmarks, and dispatches the others.
#include "conductor/probe_run.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conductor/host_load.hpp"
#include "conductor/observe.hpp"
#include "conductor/pause.hpp"
#include "conductor/probe_nvml.hpp"
#include "conductor/probe_processors.hpp"
#include "conductor/suspect.hpp"
#include "result/error.hpp"
#include "result/processor_list.hpp"
#include "result/stopwatch.hpp"

namespace gpugauge::conductor {
namespace {

using diagnose::Action;
using diagnose::ProbeEntry;
using diagnose::Processors;

/// A repetition that takes longer is ended and gives no value.
constexpr double process_most_seconds = 20;

Found without_answer(std::string why) {
  Found out;
  out.no_answer = std::move(why);
  return out;
}

Found was_stopped() {
  Found out = without_answer("a signal asked the command to stop");
  out.stopped = true;
  return out;
}

/// The result of one process of a benchmark.
struct Once {
  std::optional<double> value;
  std::string fault;
  bool stopped = false;
  result::Run run;
};

class Making {
 public:
  Making(const ProbeEntry& probe, const ProbeContext& context, double limit_seconds)
      : probe_(probe), context_(context), limit_(limit_seconds) {}

  Found run() {
    switch (probe_.action) {
      case Action::repeat:
        return repeat();
      case Action::repeat_later:
        return repeat_later();
      case Action::after_idle:
        return after_idle();
      case Action::share:
        return share();
      case Action::link:
        return link();
      case Action::idle_gpu:
        return idle_gpu();
      case Action::nvml:
        return nvml();
      case Action::other_library:
        return other_library();
    }
    return without_answer("this program does not know how to ask it");
  }

 private:
  double elapsed() const { return since_start_.seconds(); }

  void say(double left) const {
    if (context_.options.progress)
      context_.options.progress(
          {fmt::format("probe {} of {}", probe_.id, context_.target.brief()), 0, 1, "", elapsed(), left});
  }

  bool wait(double seconds) const {
    return pause(seconds, [&](double left) { say(left); });
  }

  Once once(const Suspect& suspect, const run::Surroundings& surroundings, bool telemetry = false) const {
    const bool host = suspect.benchmark->kind == DeviceKind::host;
    const std::string host_word(to_string(DeviceKind::host));
    run::Plan plan;
    // the same as in its rounds
    plan.profile = profile_of(context_.options.profile, suspect.benchmark->kind);
    plan.profile.processes = 1;
    plan.profile.limit_seconds =
        std::min({std::max(limit_ - elapsed(), 1.0), process_most_seconds, plan.profile.limit_seconds});
    for (const run::Family& family : context_.catalogue.families)
      if (family.name == suspect.benchmark->family) plan.families.push_back(family);
    plan.only = {suspect.benchmark->id};
    plan.device = host ? host_word : context_.target.visible;
    plan.device_selection = host ? host_word : context_.target.selection;
    plan.seed = context_.options.seed;
    plan.command = context_.options.command;
    plan.gpu_telemetry = telemetry;
    if (telemetry) plan.telemetry_command = {"/proc/self/exe", "probe", "telemetry", "--interval", "0.1"};
    plan.surroundings = surroundings;
    Once out;
    int stopped_by = 0;
    try {
      out.run = run::execute(
          plan, [&](const run::Progress&) { say(std::max(0.0, probe_.seconds - elapsed())); }, &stopped_by);
    } catch (const std::system_error& error) {
      out.fault = error.what();
      return out;
    } catch (const result::FileError& error) {
      out.fault = error.what();
      return out;
    }
    out.stopped = !out.run.complete || stopped_by != 0;
    for (const report::Measured& metric : report::summarise(out.run))
      if (metric.key == suspect.key) out.value = metric.value;
    if (out.value && *out.value > 0) return out;
    out.value.reset();
    out.fault = fmt::format("{} gave no value", suspect.benchmark->id);
    for (const report::FamilyState& state : report::family_states(out.run)) {
      if (!state.reason.empty()) out.fault = fmt::format("family {}: {}", state.family, state.reason);
      if (!state.skipped.empty()) out.fault = state.skipped.front();
    }
    return out;
  }

  /// Adds the slowness measured by one more process. Returns "" or why there is none.
  std::string add(const Suspect& suspect, const run::Surroundings& surroundings, std::vector<double>& to) {
    if (elapsed() >= limit_) return "the time for it was over";
    const Once one = once(suspect, surroundings);
    stopped_ = stopped_ || one.stopped;
    if (!one.value) return one.fault;
    to.push_back(*suspect.slowness_of(*one.value));
    return "";
  }

  /// The answer from repetitions without and with the difference.
  Found compare(const Suspect& suspect, const std::vector<double>& control,
                const std::vector<double>& treated, std::string detail, std::string_view difference) const {
    const diagnose::Repeated said = diagnose::outcome_of_repetition(suspect.slowness, control, treated);
    Found out;
    out.passed = said.passed;
    out.no_answer = said.why_not;
    if (said.outcome.empty()) return out;
    out.outcome = said.outcome;
    out.detail = std::move(detail);
    out.factor = said.factor;
    out.factor_without = said.factor_without;
    out.words = fmt::format("{} is {:.3g} times as slow {}, {:.3g} times as it was", suspect.key, *out.factor,
                            difference, *out.factor_without);
    return out;
  }

  Found repeat() {
    const auto suspect = find_suspect(context_, probe_.classes, probe_.processors);
    if (!suspect) return without_answer("nothing that is slow can be repeated");
    run::Surroundings other;
    std::string detail(probe_.detail);
    std::string difference = "so";
    for (const std::string& name : diagnose::variables_without(probe_, *context_.device.observation)) {
      other.unset.push_back(name);
      detail += fmt::format("{}{}=unset", detail.empty() ? "" : ", ", name);
    }
    if (!other.unset.empty()) difference = fmt::format("without {}", fmt::join(other.unset, ", "));
    for (const auto& [name, value] : probe_.with) {
      other.set[std::string(name)] = value;
      difference = fmt::format("with {}={}", name, value);
    }
    if (probe_.processors != Processors::as_they_are) {
      const ChosenProcessors chosen =
          choose_processors(probe_.processors, suspect->pins_its_thread(), context_,
                            [&](double seconds) { return wait(seconds); });
      if (chosen.stopped) return was_stopped();
      if (!chosen.why_none.empty()) return without_answer(chosen.why_none);
      other.processors = chosen.processors;
      detail += chosen.detail;
      difference = "on the processors " + result::processors_text(other.processors);
    }
    std::vector<double> control;
    std::vector<double> treated;
    // Alternates in mirrored order, so that a drift affects both equally.
    for (const bool with : {false, true, true, false}) {
      const std::string fault =
          with ? add(*suspect, other, treated) : add(*suspect, run::Surroundings{}, control);
      if (stopped_) return was_stopped();
      if (!fault.empty()) return without_answer(fault);
    }
    return compare(*suspect, control, treated, detail, difference);
  }

  Found repeat_later() {
    const auto suspect = find_suspect(context_, probe_.classes);
    if (!suspect) return without_answer("nothing that is slow can be repeated");
    if (!wait(probe_.pause_seconds)) return was_stopped();
    std::vector<double> now;
    for (int i = 0; i < 2; ++i) {
      const std::string fault = add(*suspect, {}, now);
      if (stopped_) return was_stopped();
      if (!fault.empty()) return without_answer(fault);
    }
    return standing(*suspect, now, fmt::format("{}{:g}s", probe_.detail, probe_.pause_seconds), "now");
  }

  Found standing(const Suspect& suspect, const std::vector<double>& now, std::string detail,
                 std::string_view when, double before = 0) const {
    const diagnose::Repeated said =
        diagnose::outcome_of_standing(before > 0 ? before : suspect.slowness, now);
    Found out;
    out.no_answer = said.why_not;
    if (said.outcome.empty()) return out;
    out.outcome = said.outcome;
    out.detail = std::move(detail);
    out.factor = said.factor;
    out.words = fmt::format("{} is {:.3g} times as slow {}", suspect.key, *out.factor, when);
    if (before <= 0) out.words += fmt::format(", {:.3g} times when it was judged", suspect.slowness);
    return out;
  }

  Found after_idle() {
    const auto suspect = find_suspect(context_, probe_.classes);
    if (!suspect) return without_answer("nothing that is slow can be repeated");
    std::vector<double> control;
    std::vector<double> treated;
    for (const bool idle : {false, true, false}) {
      if (idle && !wait(probe_.pause_seconds)) return was_stopped();
      const std::string fault = add(*suspect, {}, idle ? treated : control);
      if (stopped_) return was_stopped();
      if (!fault.empty()) return without_answer(fault);
    }
    return compare(*suspect, control, treated, fmt::format("{}{:g}s", probe_.detail, probe_.pause_seconds),
                   fmt::format("after {:g} s of idling", probe_.pause_seconds));
  }

  Found share() {
    const auto suspect = share_benchmark(context_);
    if (!suspect) return without_answer("the benchmark host/cpu_share is not installed");
    const Once one = once(*suspect, {});
    if (one.stopped) return was_stopped();
    if (!one.value) return without_answer(one.fault);
    constexpr double healthy = .8;  // the floor that the benchmark itself declares
    Found out;
    out.outcome = *one.value >= healthy ? "normal" : "slow";
    out.detail = fmt::format("{}{:.2f}", probe_.detail, *one.value);
    out.words = fmt::format("threads that only compute got {:.0f}% of their processors", *one.value * 100);
    const result::Process& process = one.run.processes.front();
    const auto counter = [&](const char* name) {
      const auto found = process.host.find(name);
      return found == process.host.end() ? 0 : found->second;
    };
    const auto note = [&](const char* key, double value, const char* words) {
      const auto known = context_.device.observation->telemetry.find(key);
      const double before =
          known == context_.device.observation->telemetry.end() ? 0 : known->second.number().value_or(0);
      if (value <= before || value <= 0) return;
      out.telemetry[key] = value;
      out.words += fmt::format(", {:.0f}{}", value, words);
    };
    if (out.outcome == "slow" && context_.before != nullptr && counter("cgroup_throttled_periods") <= 0 &&
        was_as_contended(*context_.before, context_.device.rounds))
      return without_answer(out.words +
                            "; the processors were as busy when the baseline was made, so that this explains "
                            "nothing that became slower");
    const double wall = std::max(process.wall_seconds, 1e-3);
    note("cpu_throttled_periods", counter("cgroup_throttled_periods"),
         " periods throttled by the control group");
    note("cpu_pressure_percent", std::min(100.0, counter("pressure_cpu_seconds") / wall * 100),
         "% of the time some thread waited for one");
    note("cpu_steal_percent", std::min(100.0, counter("steal_seconds") / wall * 100), "% stolen");
    return out;
  }

  Found link() {
    const auto suspect = find_suspect(context_, probe_.classes);
    if (!suspect) return without_answer("no copy that is slow can be repeated");
    const Once one = once(*suspect, {}, true);
    if (one.stopped) return was_stopped();
    if (!one.value) return without_answer(one.fault);
    return link_of(one.run, context_.target.selection, probe_);
  }

  Found idle_gpu() {
    if (!wait(1)) return was_stopped();  // NVML's utilisation is a mean over up to 1 s
    return busy_while_idle(context_.target.selection, limit_ - elapsed());
  }

  Found nvml() { return time_to_answer(probe_, limit_ - elapsed()); }

  Found other_library() {
    const auto slow = find_suspect(context_, probe_.classes);
    const auto other = slow ? find_other_library(context_, *slow) : std::nullopt;
    if (!other) return without_answer("no other code for the same work is known to the baseline");
    std::vector<double> now;
    for (int i = 0; i < 2; ++i) {
      const std::string fault = add(*other, {}, now);
      if (stopped_) return was_stopped();
      if (!fault.empty()) return without_answer(fault);
    }
    return standing(*other, now, fmt::format("{}{}", probe_.detail, other->benchmark->id),
                    "as in the baseline", slow->slowness);
  }

  const ProbeEntry& probe_;
  const ProbeContext& context_;
  double limit_;
  bool stopped_ = false;
  result::Stopwatch since_start_;
};

}  // namespace

Found run_probe(const ProbeEntry& probe, const ProbeContext& context, double limit_seconds) {
  return Making(probe, context, limit_seconds).run();
}

}  // namespace gpugauge::conductor
