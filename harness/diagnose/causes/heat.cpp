// Heat of the GPU and of its memory.
#include <algorithm>

#include <fmt/format.h>

#include "diagnose/causes/told_figures.hpp"

namespace gpugauge::diagnose {
namespace {

/// The lowest temperature limit that nvidia-smi -q prints, in degrees Celsius: "GPU Target Temperature : 83
/// C".
std::optional<double> printed_limit(const Seen& seen) {
  constexpr double least = 40;
  constexpr double most = 120;
  std::optional<double> lowest;
  for_each_text(seen, [&](std::string_view text) {
    if (contains(text, "memory")) return;
    for (const std::string_view name :
         {"max operating temp", "target temp", "slowdown temp", "temperature limit", "temp limit",
          "thermal limit", "temp target", "temperature target"})
      if (const auto degrees = told_number(text, {name}, least, most))
        lowest = std::min(lowest.value_or(most), *degrees);
  });
  return lowest;
}

/// The GPU is at its printed limit, which may be far below the usual one.
Fact at_printed_limit(const Seen& seen) {
  const std::optional<double> limit = printed_limit(seen);
  const std::optional<double> degrees = seen.number("temperature_c");
  constexpr double near = 3;
  if (!limit || !degrees || *degrees < *limit - near) return std::nullopt;
  return fmt::format("the GPU is at {:g} C, and its limit is {:g} C", *degrees, *limit);
}

void examine_thermal(const Seen& seen, Argument& it) {
  constexpr double hot = 83;
  constexpr double very_hot = 88;
  const Fact reason = seen.throttled({"hw_thermal", "sw_thermal"});
  const Fact worse = seen.on("drift", {"worse_with_time"});
  const Fact temperature = seen.at_least("temperature_c", hot);
  const Fact at_limit = at_printed_limit(seen);
  const Fact hot_in_words = temperature ? Fact() : told_hot(seen, hot);
  const Fact cooled =
      seen.recovers_by({"fan", "cooling", "airflow", "thermal paste", "repaste", "undervolt", "dust",
                        "heatsink", "thermal pad", "thermald", "temp target", "temperature limit",
                        "ventilation", "ambient", "water block", "side panel"});
  it.confirms(weight::strong, reason);
  it.confirms(weight::good, seen.on("drift", {"recovers_when_cool"}));
  it.confirms(weight::good,
              seen.told({"Thermal Slowdown*: Active", "HwThermalSlowdown", "SwThermalSlowdown", "over temp",
                         "thermal throttl", "thermal slowdown", "overheat", "thermal limit"},
                        {"threshold", "slowdown: no", "slowdown*: 0 us"}));
  it.confirms(weight::strong, cooled);
  const Fact cooler = seen.field_changed("cooling");
  if (it.confirms(weight::good,
                  both(either(seen.slower(compute_classes), seen.slower(application_classes)), cooler)))
    it.unproven(bound::unconfident, Fact("no temperature was read"));
  if (seen.harm() || worse) {
    it.confirms(weight::good, seen.at_least("temperature_c", very_hot));
    it.confirms(weight::fair, temperature);
    it.confirms(weight::good, at_limit);
    if (it.confirms(weight::fair, hot_in_words)) {
      it.confirms(weight::fair, seen.probe("repeat_later", {"recovers", "normal"},
                                           {"pause", "cool", "min", "idle", "cold"}));
      it.confirms(weight::fair,
                  seen.told({"desk fan", "fan in front", "a fan on", "fan pointed", "fan at it", "side panel",
                             "case open", "opened the case", "open case", "more air", "repast",
                             "thermal paste", "dust", "fan curve", "fans at 100"}));
      it.confirms(weight::fair, seen.told({"clock from*to", "clock falls", "clock drops", "clock goes down",
                                           "clocks drop", "clock down to"}));
    }
    // Many things grow with time. Heat is shown by a clock that falls or a temperature that rises with it.
    it.confirms(seen.slower(compute_classes) || seen.moved("temperature", {"higher", "rises_slowly"}) ||
                        seen.moved("sm_clock", {"lower"}) || low_clock(seen) || temperature
                    ? weight::fair
                    : weight::hint,
                worse);
    it.confirms(weight::fair, both(seen.moved("sm_clock", {"lower"}), either(temperature, at_limit)));
    it.confirms(weight::good, both(seen.throttled({"hw_slowdown"}), temperature));
    it.confirms(weight::fair, both(low_clock(seen), temperature));
    it.confirms(weight::fair, seen.probe("repeat_after_idle", {"recovers", "normal"}));
  }
  if (!it.evidence().empty()) it.confirms(weight::hint, seen.slower({"gemm16", "gemm32"}));
  const std::optional<double> degrees = seen.number("temperature_c");
  if (degrees && *degrees < 75 && !reason && !at_limit)
    it.at_most(bound::remote, fmt::format("the GPU is at {:g} C", *degrees));
  if (!reason && seen.at_least("memory_temperature_c", 90))
    it.at_most(bound::last_named, in_words("the memory is hot", seen.at_least("memory_temperature_c", 90)));
  // A process that is started anew finds the GPU as hot as it was.
  if (!reason && !temperature && !at_limit && !cooled)
    it.at_most(bound::unnamed, seen.probe("repeat_in_fresh_process", {"recovers"}));
  // Heat slows only through the clock.
  if (!reason && !cooled) it.rules_out(clock_as_expected(seen));
  it.at_most(bound::unnamed, seen.throttled({"hw_power_brake"}));
  it.at_most(bound::unnamed, seen.probe("reset_clocks", {"recovers", "no_change"}));
  // The lowest clock under heat is a fraction of the highest, never a hundredth.
  constexpr double beyond_heat = 20;
  if (!reason) it.at_most(bound::unnamed, seen.slower({}, {}, beyond_heat));
  if (!reason) it.at_most(bound::unnamed, seen.moved("temperature", {"lower"}));
  it.at_most(bound::weak, impossible_power(seen));
}

void examine_memory_thermal(const Seen& seen, Argument& it) {
  constexpr double hot = 90;
  // The junction of GDDR6X is throttled at 110 C, and is below 100 where it is cooled well.
  constexpr double hot_in_words = 100;
  const Fact memory =
      either(seen.at_least("memory_temperature_c", hot),
             seen.number("memory_temperature_c") ? Fact() : told_memory_hot(seen, hot_in_words));
  it.confirms(weight::strong,
              both(memory, seen.slower({"hbm", "l2", "application", "framework_op", "gemm16"})));
  it.confirms(weight::strong,
              seen.told({"memory temperature*throttl", "HBM*thermal", "memory thermal", "VRAM*throttl",
                         "Memory Current Temp*: 96", "Memory Current Temp*: 97", "Memory Current Temp*: 98",
                         "Memory Current Temp*: 99", "Memory Current Temp*: 10"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::fair, seen.slower({"hbm"}));
    it.confirms(weight::hint, seen.below("memory_clock_mhz", "memory_clock_expected_mhz"));
    it.confirms(weight::faint, seen.not_throttled());
    it.confirms(weight::faint, seen.on("drift", {"worse_with_time", "recovers_when_cool"}));
  } else if (seen.slower({"hbm"})) {
    it.confirms(weight::fair, seen.below("memory_clock_mhz", "memory_clock_expected_mhz"));
    it.confirms(weight::fair, seen.on("drift", {"worse_with_time", "recovers_when_cool"}));
  } else if (!memory && seen.number("temperature_c").value_or(hot) < 75) {
    // GDDR6X runs far hotter than the chip beside it, and no reason tells of it.
    const Fact hot_kind =
        seen.gpu_named({"RTX 3070 Ti", "RTX 3080", "RTX 3080 Ti", "RTX 3090", "RTX 3090 Ti"});
    Fact bound_by_it;
    for (const std::string_view op : {"memory-bound", "memory bound", "mining", "ethash", "bandwidth"})
      bound_by_it = either(bound_by_it, seen.slower(application_classes, {.op = op}));
    it.confirms(weight::good, both(both(hot_kind, bound_by_it), seen.on("drift", {"worse_with_time"})));
    if (!it.evidence().empty()) it.confirms(weight::hint, seen.moved("power_w", {"lower"}));
  }
  const std::optional<double> degrees = seen.number("memory_temperature_c");
  if (degrees && *degrees < 85) it.at_most(bound::remote, fmt::format("the memory is at {:g} C", *degrees));
  it.at_most(bound::unnamed, seen.unchanged({"hbm"}));
  it.at_most(bound::unnamed, seen.field_changed("gpu.ecc"));
  it.at_most(bound::weak, low_clock(seen));
}

}  // namespace

Signatures heat_causes() {
  return {
      {.name = "thermal_throttle",
       .title = "The GPU lowers its clock because it is hot",
       .what = "At its limit the GPU lowers the clock to hold the temperature. Cold work is fast; it gets "
               "slower over the "
               "first minutes and recovers after a pause.",
       .moves = "gemm16 -, hbm 0",
       .confirms = "a thermal reason; temperature near the limit with a low clock; drift with time; recovers "
                   "when cool",
       .excludes =
           "the GPU is cool; only its memory is hot; the power brake is active; the SM clock is as expected",
       .confused_with = {{"sw_power_cap",
                          "is the power at a limit below the default, at a moderate temperature?"},
                         {"hbm_thermal", "is it the memory's temperature?"},
                         {"hw_power_brake", "is the power brake active?"},
                         {"idle_clock_ramp", "is the first work slow, or the later work?"}},
       .next = "nvidia-smi -q -d TEMPERATURE,PERFORMANCE during the work; check fans, airflow and "
               "neighbouring cards",
       .reading = {"https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html"},
       .examine = examine_thermal},
      {.name = "hbm_thermal",
       .title = "The memory is hot and slower, while the GPU itself is not",
       .what = "Hot memory refreshes more often and is slowed by its own controller. No throttle reason "
               "shows it, and the "
               "core's temperature looks healthy.",
       .moves = "hbm -, gemm16 0, gemm32 0",
       .confirms = "memory temperature at 90 C or more, bandwidth down, products unchanged",
       .excludes = "the memory is cool, or its bandwidth unchanged; ECC was switched",
       .confused_with = {{"ecc_mode_differs", "was ECC switched?"},
                         {"thermal_throttle", "is a thermal reason active?"},
                         {"hbm_row_remap", "are rows remapped?"}},
       .next = "nvidia-smi --query-gpu=temperature.gpu,temperature.memory --format=csv -l 1 during the work",
       .reading = {"https://docs.nvidia.com/deploy/nvidia-smi/index.html"},
       .examine = examine_memory_thermal},
  };
}

}  // namespace gpugauge::diagnose
