// Clocks that are locked low, lost, or ramp up late.
#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/logged.hpp"
#include "diagnose/causes/predicates.hpp"
#include "diagnose/causes/told_figures.hpp"

namespace gpugauge::diagnose {
namespace {

const Words reset_words{
    "-rgc", "-rac", "reset_clocks", "clocks=default", "application_clock", "lock_gpu_clocks", "-lgc"};

Fact reset_recovers(const Seen& seen) {
  if (Fact fact = seen.probe("reset_clocks", {"recovers", "normal"})) return fact;
  return seen.recovers_by(reset_words);
}

Fact reset_in_vain(const Seen& seen) {
  if (Fact fact = seen.probe("reset_clocks", {"no_change", "fails", "worse"})) return fact;
  if (Fact fact = clock_set_in_vain(seen)) return fact;
  // A lock that made the work worse has an effect, so only no_change counts.
  if (Fact fact = seen.probe("change_setting", {"no_change"}, reset_words)) return fact;
  return seen.unmoved_by({"-rgc", "-rac", "reset_clocks", "clocks=default"});
}

/// Only what follows an idle gap is slow: a lock that mends it was missing.
Fact slow_only_after_idle(const Seen& seen) {
  return both(seen.slower({}, {.phase = "after_idle"}),
              either(seen.unchanged({}, {.phase = "back_to_back"}), seen.unchanged({}, {.phase = "warm"})));
}

/// A clock that somebody had raised fell back, and raising it again recovers.
Fact raised_clock_lost(const Seen& seen) {
  return both(seen.became_less("application_clock"), seen.recovers_by({"-ac", "-lgc"}));
}

void examine_locked(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, reset_recovers(seen));
  it.confirms(weight::strong, seen.off("application_clock_is_default"));
  it.confirms(weight::good, seen.throttled({"applications_clocks"}));
  it.confirms(weight::fair,
              either(seen.field_changed("application_clock"), seen.field_changed("clock_application")));
  it.confirms(weight::fair,
              seen.told({"Applications Clocks Setting*Active", "nvidia-smi -lgc", "nvidia-smi -ac",
                         "GPU clocks set to", "lock-gpu-clocks", "Applications clocks set to"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, low_clock(seen));
    it.confirms(weight::faint, seen.slower({"gemm32", "gemm16", "application"}));
  } else if (const Fact low = low_clock(seen); low && seen.not_throttled()) {
    it.confirms(weight::fair, low);
  }
  it.rules_out(reset_in_vain(seen));
  it.at_most(bound::unnamed, slow_only_after_idle(seen));
  it.at_most(bound::half, raised_clock_lost(seen));
  it.at_most(bound::unnamed, seen.probe("repeat_later", {"normal"}));
  it.at_most(bound::unnamed, seen.throttled({"hw_thermal", "hw_power_brake", "sw_thermal"}));
  it.at_most(bound::unnamed, seen.number("sm_clock_mhz") && seen.number("sm_clock_expected_mhz") &&
                                     !low_clock(seen) && !seen.off("application_clock_is_default")
                                 ? Fact("the SM clock is as expected")
                                 : Fact());
}

void examine_control_fault(const Seen& seen, Argument& it) {
  const Fact vain = reset_in_vain(seen);
  const Fact stuck = clock_set_in_vain(seen);
  const Fact low = either(low_clock(seen), stuck);
  const Fact told_by_driver =
      seen.told({"NVRM*assert", "nvAssert", "kernel_graphics", "NVRM: GPU*clk", "clk*fault"});
  it.confirms(weight::strong, vain);
  it.confirms(weight::fair, in_words("it stays so", stuck));
  if (low || vain) {
    it.confirms(weight::fair, both(low, seen.not_throttled()));
    it.confirms(weight::strong, both(low, impossible_power(seen)));
    it.confirms(weight::good, told_by_driver);
    it.confirms(weight::hint, seen.told({"nvidia-smi -r*Not Supported", "reset*not supported"}));
  }
  it.confirms(weight::fair, both(low, seen.recovers_by({"driver reload", "reload", "reboot", "driver="})));
  it.rules_out(reset_recovers(seen));
  // Heat and power also lower a clock, and a reset of the clocks does not help against them.
  if (!seen.not_throttled() && !stuck && !told_by_driver && !impossible_power(seen)) {
    if (const Value* reasons = seen.telemetry("throttle_reasons"); reasons != nullptr && !reasons->is_null())
      it.at_most(bound::unconfident, fmt::format("throttle reason {}", reasons->text()));
    else
      it.unproven(bound::unconfident, Fact("the throttle reasons were not read"));
  }
  it.at_most(bound::below_half, supply_failed(seen));
  const std::optional<double> degrees = seen.number("temperature_c");
  constexpr double cold = 70;
  if (degrees && *degrees < cold)
    it.at_most(bound::over_half,
               in_words("the hardware itself lowers the clock", seen.throttled({"hw_slowdown"})));
  // Power caps that follow from impossible readings are part of the fault.
  if (!impossible_power(seen))
    it.at_most(bound::unnamed,
               seen.throttled({"hw_thermal", "hw_power_brake", "sw_thermal", "applications_clocks"}));
  if (!low) it.at_most(bound::remote, clock_as_expected(seen));
  if (!low && !vain) {
    if (seen.number("sm_clock_mhz") && seen.number("sm_clock_expected_mhz"))
      it.at_most(bound::remote, either(seen.capped_by_design(), Fact("the SM clock is as expected")));
    else
      it.unproven(bound::remote, Fact("the clock is not known to be low"));
  }
}

/// It is slow while a switch of the platform saves power that tells the GPU nothing: the display, the lid, the mains.
Fact platform_saves(const Seen& seen) {
  if (!seen.slower({})) return std::nullopt;
  for (const std::string_view name :
       {"display", "monitor", "screen", "lid", "battery", "ac_adapter", "mains", "power_plan", "power plan",
        "power_profile", "power profile", "power_mode", "platform.profile", "platform_profile"})
    for (const auto& [field, change] : seen.it().changed.value_or(std::map<std::string, Change>()))
      if (contains_word(field, name) && !contains_any(field, {"monitoring", "valid", "display_driver"}))
        return seen.field_changed(field);
  return seen.recovers_by({"display=on", "monitor=on", "screen=on", "lid=open", "plugged in", "power adapter",
                           "ac_adapter", "ac adapter", "mains="});
}

/// The reasons were read and none of them slows, as telemetry or the reporter's words have it.
Fact no_reason(const Seen& seen) {
  if (Fact fact = seen.not_throttled()) return fact;
  if (seen.known("throttle_reasons")) return std::nullopt;
  return seen.told({"no throttle reason", "no throttling reason", "no clock event reason",
                    "no reason for throttl", "throttle reasons none", "throttle reasons: none",
                    "throttle reason: none", "throttle reasons are all not active", "no perfcap",
                    "PerfCap reason: none", "reasons.active*0x0000000000000000", "not throttling",
                    "not throttled", "not being throttled", "no throttling"});
}

void examine_hidden(const Seen& seen, Argument& it) {
  const std::optional<double> clock = seen.number("sm_clock_mhz");
  const std::optional<double> expected = seen.number("sm_clock_expected_mhz");
  const bool nominal = (clock && expected && *clock >= *expected * .97) || seen.moved("sm_clock", {"same"});
  const Fact less_power =
      either(seen.moved("power_w", {"lower", "differs"}), seen.below("power_w", "power_expected_w", .88));
  const Fact slow = seen.slower({});
  const Fact beside = both(slow, draws_less_at_same_clock(seen));
  // Unlike cards, and ranks that wait for each other, draw unlike as well.
  it.confirms(seen.slower(compute_classes) ? weight::strong : weight::fair, beside);
  // Only without any power does it forget such a state.
  it.confirms(
      weight::fair,
      both(both(slow, either(less_power, beside)),
           either(seen.told({"cut the power", "cut its power", "power cycle", "power-cycle",
                             "pulled the plug", "unplugged the", "cold boot", "removed the power"}),
                  seen.recovers_by({"power cycle", "power-cycle", "cold boot", "power off", "unplug"}))));
  if (slow && nominal && no_reason(seen)) {
    it.confirms(weight::fair, Fact("the SM clock is nominal and " + *no_reason(seen)));
    it.confirms(weight::good, less_power);
    for (const Metric& metric : seen.it().metrics)
      if (metric.bimodal == true)
        it.confirms(weight::hint, sentence(metric) + " and jumps between two levels");
    it.confirms(weight::hint, seen.probe("swap_gpu", {"recovers", "normal"}));
  } else if (slow && less_power) {
    it.confirms(weight::hint, less_power);
  }
  // No clock is known: the GPU is busy but draws far less power than a healthy one for this work.
  const std::optional<double> busy = seen.number("utilization_percent");
  constexpr double all_the_time = 90;
  if (!(clock && expected) && busy && *busy >= all_the_time && seen.not_throttled() && !low_clock(seen))
    if (it.confirms(weight::good, seen.below("power_w", "power_expected_w", .7)))
      it.confirms(weight::fair, fmt::format("it is {:g}% busy, and {}", *busy, *seen.not_throttled()));
  const bool two_levels = std::any_of(seen.it().metrics.begin(), seen.it().metrics.end(),
                                      [](const Metric& metric) { return metric.bimodal == true; });
  // The work runs at two speeds, and the driver gives no reason for either.
  if (slow && two_levels && clock && !expected)
    it.confirms(weight::fair, both(seen.not_throttled(), Fact("it jumps between two levels")));
  const Fact saves = platform_saves(seen);
  it.confirms(weight::good, saves);
  if (!less_power && !beside && !two_levels && !saves) {
    if (seen.number("power_w") && seen.number("power_expected_w"))
      it.at_most(bound::unnamed, Fact("it draws as much power as expected"));
    else
      it.unproven(bound::unnamed, Fact("its power is not known to be lower"));
  }
  it.at_most(bound::remote, low_clock(seen));
  it.at_most(bound::unnamed,
             seen.throttled({"hw_thermal", "hw_power_brake", "sw_thermal", "sw_power_cap", "hw_slowdown"}));
  it.at_most(bound::last_named, in_words("the memory is hot", seen.at_least("memory_temperature_c", 90)));
  it.at_most(bound::weak, seen.changed({"driver", "framework", "nccl", "cudnn", "cublas", "cuda",
                                        "application", "container"}));
  if (gpu_not_used(seen)) it.at_most(bound::remote, gpu_not_used(seen));
}

void examine_ramp(const Seen& seen, Argument& it) {
  const Fact idle =
      either(seen.slower({}, {.phase = "after_idle"}), seen.probe("repeat_after_idle", {"slow", "worse"}));
  const Fact steady = either(
      seen.unchanged({}, {.phase = "back_to_back"}),
      either(seen.unchanged({}, {.phase = "warm"}), seen.probe("repeat_warm", {"normal", "recovers"})));
  it.confirms(weight::good, idle);
  const Fact ramp = clock_rises_from_idle(seen);
  // Every GPU begins so; only behind a pause does it matter.
  it.confirms(weight::strong, both(either(idle, slower_behind_pause(seen)), ramp));
  if (!idle && !slower_behind_pause(seen))
    it.confirms(weight::fair, both(seen.slower({"application", "launch"}), ramp));
  if (!idle)
    it.confirms(
        weight::fair,
        both(seen.slower({}),
             seen.told({"after idle", "after an idle", "after being idle", "after a pause",
                        "after sitting idle", "after a break", "idle gap", "after a gap", "sparse requests",
                        "infrequent requests", "low request rate", "first request after",
                        "first inference after", "idle for a while", "sec pause", "second pause",
                        "after every delay", "after a delay", "after each pause"})));
  if (idle) {
    it.confirms(weight::good, steady);
    it.confirms(weight::hint, seen.on("pstate", {"P8", "P5", "P12"}));
    it.confirms(weight::hint, seen.throttled({"idle"}));
    it.confirms(weight::hint, low_clock(seen));
  } else if (seen.slower({}) && steady) {
    it.confirms(weight::fair, either(seen.on("pstate", {"P8", "P5", "P12"}), seen.throttled({"idle"})));
  }
  it.confirms(
      weight::strong,
      both(either(idle, seen.slower({"launch", "application"})),
           seen.recovers_by({"keep_warm", "keep-alive", "keepalive", "warm-up", "warmup", "lock clocks",
                             "lock_clocks", "lock-gpu", "lock_gpu", "locked_clocks=", "lgc", "-lgc",
                             "clock_lock=", "prefer maximum performance", "PowerMizer", "minimum clock"})));
  // What warmed it up was put into what measures.
  if (!idle)
    it.at_most(bound::likely, seen.recovers_by({"benchmark=", "timer=", "measurement=", "synchroni*before"}));
  it.at_most(bound::unnamed, seen.fails({}, {.phase = "after_idle"}));
  // A removed lock is the opposite of this cause.
  it.at_most(bound::unnamed, either(seen.probe("reset_clocks", {"recovers", "normal"}),
                                    seen.setting("locked_clocks", {"set"})));
  it.rules_out(seen.slower({}, {.phase = "back_to_back"}));
  it.rules_out(seen.slower({}, {.phase = "warm"}));
  it.at_most(bound::unnamed, seen.throttled({"hw_thermal", "hw_power_brake", "sw_thermal"}));
  if (slow_start(seen) && !idle) it.at_most(bound::unnamed, slow_start(seen));
  // A clock is back after milliseconds; what a process waits for seconds before its work is its start.
  if (only_starts(seen))
    it.at_most(bound::unnamed, either(seen.slower({"init"}), seen.slower({}, {.phase = "startup"})));
}

/// All compute is slower, and nothing recorded shows why.
void examine_unknown_clock(const Seen& seen, Argument& it) {
  int slower = 0;
  for (const std::string_view name :
       {"gemm64", "gemm32", "gemmtf32", "gemm16", "gemm8", "conv", "attention", "fft"})
    if (const Movement movement = seen.movement(name);
        movement == Movement::slower || movement == Movement::much_slower)
      ++slower;
  // Programs of several kinds lost alike on one node, and what the memory bounds did not.
  std::set<std::string> programs;
  double least = 1e9;
  double most = 1;
  for (const Metric* metric : seen.metrics({"application", "gemm16", "gemm32", "gemm64"}))
    if (slower_by_figure(*metric) && metric->scope.phase.empty()) {
      programs.insert(metric->metric_class + metric->scope.op);
      least = std::min(least, *metric->factor);
      most = std::max(most, *metric->factor);
    }
  constexpr double alike = 1.1;
  constexpr std::size_t several = 3;
  const bool one_node =
      seen.it().about.compared_with == "peers" && seen.probe("swap_node", {"recovers", "normal"});
  const bool recorded = seen.known("throttle_reasons") || seen.known("power_limit_w") ||
                        seen.known("temperature_c") || seen.known("application_clock_is_default");
  const Fact low = low_clock(seen);
  if (slower >= 2 && !recorded)
    it.confirms(weight::good, fmt::format("{} compute classes are slower together", slower));
  if (one_node && slower == 1 && !recorded && programs.size() >= several && most <= alike * least &&
      seen.unchanged({"hbm"}))
    it.confirms(weight::good, fmt::format("{} kinds of computing lost alike on this node", programs.size()));
  if (low && !seen.known("throttle_reasons")) it.confirms(weight::good, low);
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, seen.unchanged({"hbm"}));
    it.confirms(weight::faint, seen.slower(application_classes));
    it.unproven(bound::unconfident, Fact("whatever separates power, temperature and locks was not recorded"));
  }
  it.at_most(bound::unnamed, seen.slower({"launch", "host_cpu", "h2d"}) && !low
                                 ? seen.slower({"launch", "host_cpu", "h2d"})
                                 : Fact());
  it.at_most(bound::unnamed, seen.changed({"cublas", "framework", "cudnn", "application", "container"}));
  it.at_most(bound::unnamed, split_class(seen, compute_classes));
  it.at_most(bound::unnamed, seen.probe("reset_clocks", {"recovers", "no_change"}));
  it.at_most(bound::unnamed, seen.on("gpu.mig"));
  const std::optional<double> clock = seen.number("sm_clock_mhz");
  const std::optional<double> expected = seen.number("sm_clock_expected_mhz");
  if (clock && expected && !low) it.at_most(bound::remote, Fact("the SM clock is as expected"));
}

}  // namespace

Signatures clock_causes() {
  return {
      {.name = "locked_clocks_left",
       .title = "A clock lock or application clock was left set",
       .what = "Somebody locked the clocks (nvidia-smi -lgc, -ac), for a benchmark or a health test, and did "
               "not take it "
               "back. All compute runs at the ratio of the two clocks.",
       .moves = "gemm32 -, gemm16 -, hbm 0, h2d 0",
       .confirms = "the application clock is not the default; resetting recovers",
       .excludes = "a reset has no effect; a thermal or power reason is given",
       .confused_with = {{"driver_clock_control_fault", "does nvidia-smi -rgc; nvidia-smi -rac recover?"},
                         {"sw_power_cap", "is the power limit below its default?"},
                         {"thermal_throttle", "is a thermal reason active?"}},
       .next = "nvidia-smi -q -d CLOCK; sudo nvidia-smi -i GPU -rgc; sudo nvidia-smi -i GPU -rac",
       .reading = {"https://docs.nvidia.com/deploy/nvidia-smi/index.html"},
       .examine = examine_locked},
      {.name = "driver_clock_control_fault",
       .title = "The driver no longer controls the clock: a reset has no effect",
       .what = "The clock stays below boost with no throttle reason, and resetting locks reports success "
               "without effect. "
               "Only reloading the driver or a reboot helps.",
       .moves = "gemm32 -, gemm16 -, hbm 0, h2d 0",
       .confirms = "low clock, no reason, ineffective reset, an assertion of NVRM in the kernel log",
       .excludes = "a reset recovers",
       .confused_with = {{"locked_clocks_left", "does nvidia-smi -rgc; nvidia-smi -rac recover?"},
                         {"hw_power_brake", "is the power brake active?"}},
       .next = "dmesg | grep -i nvrm; nvidia-smi -q -d PERFORMANCE,CLOCK; reload the driver or reboot",
       .reading = {"https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html"},
       .examine = examine_control_fault},
      {.name = "hidden_power_state",
       .title = "Slower at nominal clocks, without a reason, drawing less power",
       .what = "Clock and throttle reasons look healthy, and the GPU still works slower and draws less "
               "power: a state that "
               "the driver does not show. It is not the software.",
       .moves = "gemm16 -",
       .confirms = "clock and reasons nominal, power below the reference, two levels over time",
       .excludes = "the clock is low, the memory is hot, or software changed",
       .confused_with = {{"sw_power_cap", "is the power limit below its default?"},
                         {"app_kernel_regression", "does the same work draw less power than before?"},
                         {"hbm_thermal", "how hot is the memory?"}},
       .next = "nvidia-smi --query-gpu=clocks.sm,power.draw,clocks_event_reasons.active --format=csv -l 1 "
               "during the work; "
               "power-cycle the node",
       .reading = {"https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html"},
       .examine = examine_hidden},
      {.name = "idle_clock_ramp",
       .title = "Slow only right after an idle gap, while clocks ramp up",
       .what = "An idle GPU drops to a low performance state; the first work after a gap runs before the "
               "clock is back. "
               "Sustained work is normal: it is how the power management works.",
       .moves = "launch ?",
       .confirms = "slow after an idle gap, normal back to back",
       .excludes = "sustained work is slow too",
       .confused_with = {{"thermal_throttle", "is sustained work normal?"},
                         {"persistence_mode_off", "does a process that stays alive see it too?"}},
       .severity = Severity::note,
       .next = "time the work after 10 s of idling and back to back; keep the GPU warm or lock clocks for "
               "latency-critical "
               "work",
       .reading = {"https://docs.nvidia.com/deploy/nvidia-smi/index.html"},
       .examine = examine_ramp},
      {.name = "power_or_clock",
       .title = "Compute is down as a whole; what would say why was not recorded",
       .what = "Several compute classes are slower together, or the clock is low, which points to power, "
               "temperature or a "
               "lock. The throttle reasons, limit and temperature under load are missing.",
       .moves = "gemm32 -, gemm16 -, hbm 0",
       .confirms = "compute classes down together or a low clock, and no throttle reason, power limit or "
                   "temperature known",
       .excludes = "the clock under load is nominal; only part of a class is slower",
       .confused_with = {{"sw_power_cap", "is the power limit below its default?"},
                         {"thermal_throttle",
                          "is a thermal reason active, or the temperature near its limit?"},
                         {"locked_clocks_left", "is the application clock the default?"},
                         {"hw_power_brake", "is the power brake active?"}},
       .next = "nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE,CLOCK during the work",
       .reading = {"https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html"},
       .examine = examine_unknown_clock},
  };
}

}  // namespace gpugauge::diagnose
