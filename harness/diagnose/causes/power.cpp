// Heat and power.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "diagnose/causes/told_figures.hpp"

namespace gpugauge::diagnose {
namespace {

void examine_brake(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.throttled({"hw_power_brake"}));
  it.confirms(weight::strong,
              seen.told({"Power Brake Slowdown*: Active", "HwPowerBrake", "hw_power_brake_slowdown*Active",
                         "hw power brake", "PWRBRK", "power brake"}));
  if (seen.slower({}) || low_clock(seen))
    it.confirms(weight::good,
                seen.recovers_by({"psu", "power supply", "power cable", "power_supply", "power_cable"}));
  const Fact very_low = seen.below("sm_clock_mhz", "sm_clock_expected_mhz", .5);
  if (!seen.throttled({"hw_thermal", "sw_thermal"})) {
    it.confirms(weight::good, both(seen.throttled({"hw_slowdown"}), very_low));
    it.confirms(weight::hint, very_low);
  }
  // The signal comes from the supply or the chassis: it slows a GPU that is cold.
  constexpr double cold = 70;
  const Fact supply = supply_failed(seen);
  const std::optional<double> degrees = seen.number("temperature_c");
  const Fact slowed_cold = degrees && *degrees < cold && !seen.throttled({"hw_thermal", "sw_thermal"})
                               ? in_words("and the GPU is cold", seen.throttled({"hw_slowdown"}))
                               : Fact();
  if (seen.slower({})) {
    it.confirms(weight::good, slowed_cold);
    it.confirms(slowed_cold || very_low ? weight::strong : weight::good, supply);
    it.confirms(
        weight::good,
        seen.told({"new PSU*back", "new PSU*normal", "new PSU*full speed", "new power supply*back",
                   "new power supply*normal", "replac*PSU*back", "replac*PSU*normal", "PSU*replaced*normal",
                   "replac*power supply*normal", "replac*power supply*back", "second PSU*back"}));
    if (supply)
      it.confirms(weight::hint,
                  seen.told({"memory clock*like always", "memory clock*as always", "memory clock*normal",
                             "memory clock*as before", "memory clock*full"}));
  }
  if (!it.evidence().empty()) {
    const std::optional<double> memory = seen.number("memory_clock_mhz");
    const std::optional<double> expected = seen.number("memory_clock_expected_mhz");
    if (memory && expected && *memory >= *expected * .97)
      it.confirms(weight::hint, Fact("the memory clock is nominal"));
    it.confirms(weight::hint, either(seen.unchanged({"hbm"}), seen.below("power_w", "power_limit_w", .6)));
  }
  it.at_most(bound::last_named,
             seen.throttled({"hw_power_brake"}) ? Fact() : seen.throttled({"hw_thermal", "sw_thermal"}));
  it.at_most(bound::weak, seen.probe("reset_clocks", {"recovers"}));
}

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
                        {"threshold", "slowdown: no"}));
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
                         "Memory Current Temp*: 9", "Memory Current Temp*: 10"}));
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

/// The vendor's power limit for a board, in W; nullopt where models of one name differ.
std::optional<double> board_limit(const Seen& seen) {
  struct Board {
    std::string_view model;
    double watt;
  };
  // A name stands before shorter names that it starts with. Each must match whole words of the model's name.
  constexpr std::array<Board, 29> boards{
      {{"H200 NVL", 600},       {"H200", 700},        {"H100 NVL", 400},
       {"H100 PCIe", 350},      {"H100 SXM", 700},    {"H100 80GB HBM3", 700},
       {"H100 SXM5", 700},      {"A100-SXM4", 400},   {"A100 SXM4", 400},
       {"A100-SXM", 400},       {"A100 SXM", 400},    {"A100-PCIE-40GB", 250},
       {"A100 80GB PCIe", 300}, {"V100-SXM2", 300},   {"V100-PCIE", 250},
       {"Tesla T4", 70},        {"L40S", 350},        {"RTX A6000", 300},
       {"RTX 5090", 575},       {"RTX 5080", 360},    {"RTX 4090", 450},
       {"RTX 4080", 320},       {"RTX 3090 Ti", 450}, {"RTX 3090", 350},
       {"RTX 3080", 320},       {"RTX 2080 Ti", 250}, {"GTX 1080 Ti", 250},
       {"B200", 1000},          {"A40", 300}}};
  const std::string& gpu = seen.it().about.gpu;
  if (contains_any(gpu, {"laptop", "mobile", "max-q", "MIG", "vGPU"})) return std::nullopt;
  for (const Board& board : boards)
    if (contains_whole_words(gpu, board.model)) return board.watt;
  return std::nullopt;
}

/// The power limit holds the clock down, and it is unknown whether it is the board's own limit.
Fact binding_limit(const Seen& seen) {
  const std::optional<double> power = seen.number("power_w");
  const std::optional<double> limit = seen.number("power_limit_w");
  if (!power || !limit || *power < *limit * .95) return std::nullopt;
  if (!seen.below("sm_clock_mhz", "sm_clock_expected_mhz") && !seen.moved("sm_clock", {"lower"}))
    return std::nullopt;
  return fmt::format("{:g} W are drawn of a limit of {:g} W, and the clock is low", *power, *limit);
}

/// Elsewhere the same work draws more power than this limit allows.
Fact less_than_elsewhere(const Seen& seen) {
  const std::optional<double> power = seen.number("power_w");
  const std::optional<double> limit = seen.number("power_limit_w");
  const std::optional<double> expected = seen.number("power_expected_w");
  if (!power || !limit || !expected || *power < *limit * .95 || *expected < *limit * 1.1) return std::nullopt;
  return fmt::format("the power drawn is at the limit of {:g} W, and the same work draws {:g} W elsewhere",
                     *limit, *expected);
}

void examine_cap(const Seen& seen, Argument& it) {
  const Fact lowered = seen.became_less("power_limit");
  const Fact below = seen.below("power_limit_w", "power_limit_default_w", .98);
  const Fact printed = below ? Fact() : printed_limit_lowered(seen);
  const Fact raised = seen.recovers_by({"power_limit", "power limit", "power-limit", "powerlimit",
                                        "power cap", "power_cap", "nvidia-smi -pl", "tdp", "tgp"});
  // The service that shares a laptop's power between processor and GPU was started or stopped.
  const Fact service =
      seen.fails({}) ? Fact() : seen.recovers_by({"nvidia-powerd", "dynamic boost", "dynamicboost"});
  it.confirms(weight::strong, both(seen.slower({}), service));
  // Without it a laptop's GPU stays at its lowest limit, which is its default.
  const Fact no_service = either(
      seen.told({"nvidia-powerd*not running", "nvidia-powerd*inactive", "nvidia-powerd*disabled",
                 "nvidia-powerd*stopped", "nvidia-powerd*failed"}),
      either(seen.setting("powerd",
                          {"stopped", "inactive", "disabled", "off", "not running", "failed", "masked"}),
             seen.setting("dynamic_boost", {"off", "disabled"})));
  const Fact laptop = seen.gpu_is({"laptop", "mobile", "max-q", "notebook"});
  it.confirms(weight::strong, both(both(seen.slower({}), laptop), no_service));
  // A Jetson's power modes below MAXN hold its clocks and switch units off.
  Fact mode;
  for (const std::string_view name : {"nvpmodel", "power_mode", "power mode"})
    mode = either(mode, seen.setting(name, {"W"}));
  it.confirms(
      weight::strong,
      both(both(seen.slower({}), seen.gpu_is({"jetson", "orin", "xavier", "thor", "agx", "nano", "tegra"})),
           contains(mode.value_or(""), "maxn") ? Fact() : mode));
  const std::optional<double> board = board_limit(seen);
  const bool default_known = seen.number("power_limit_default_w").has_value();
  it.confirms(weight::strong, below);
  if (seen.slower({}) || seen.no_gain()) it.confirms(weight::strong, printed);
  it.confirms(weight::strong, lowered);
  it.confirms(weight::proof, raised);
  const Fact elsewhere = less_than_elsewhere(seen);
  if (seen.harm() || (elsewhere && !seen.healthy())) {
    it.confirms(weight::strong, elsewhere);
    constexpr double models_differ = .93;
    if (!default_known && board && seen.number("power_limit_w").value_or(*board) < *board * models_differ)
      it.confirms(weight::good, fmt::format("power_limit_w = {:g}, and the board is made for {:g} W",
                                            *seen.number("power_limit_w"), *board));
    if (!default_known && !board && seen.throttled({"sw_power_cap"})) {
      it.confirms(weight::fair, binding_limit(seen));
      if (!below && !lowered && !raised)
        it.unproven(bound::below_half, Fact("the board's own limit is not known"));
    }
  }
  it.confirms(weight::fair, seen.told({"Power limit*was set to", "power.limit*below", "nvidia-smi -pl"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, seen.throttled({"sw_power_cap"}));
    const std::optional<double> power = seen.number("power_w");
    const std::optional<double> limit = seen.number("power_limit_w");
    it.at_most(bound::weak, impossible_power(seen));
    if (power && limit && *power >= *limit * .95)
      it.confirms(weight::hint, Fact("the power drawn is at the limit"));
    it.confirms(weight::faint, seen.slower({"gemm16", "gemm32", "application"}));
    it.confirms(weight::faint, seen.unchanged({"hbm"}));
  }
  const std::optional<double> limit = seen.number("power_limit_w");
  const std::optional<double> normal = seen.number("power_limit_default_w");
  const bool at_default = (limit && normal && *limit >= *normal * .98) ||
                          (limit && !default_known && board && *limit >= *board * .98);
  if (at_default && !lowered && !raised && !printed && !elsewhere && !service && !(laptop && no_service))
    it.at_most(bound::trace, Fact("the power limit is the board's default"));
  if (it.evidence().empty())
    it.unproven(bound::remote,
                in_words("nothing tells that the limit was lowered", seen.throttled({"sw_power_cap"})));
  it.rules_out(seen.unmoved_by({"power_limit", "nvidia-smi -pl"}));
}

}  // namespace

Signatures power_causes() {
  return {
      {.name = "hw_power_brake",
       .title = "The board's power brake holds the clock down",
       .what = "A signal from the power supply or the chassis makes the GPU drop to a fraction of its clock, "
               "whatever the "
               "driver wants. Memory keeps its clock.",
       .moves = "gemm32 --, gemm16 --, hbm 0, launch -",
       .confirms = "the reason HW Power Brake Slowdown; SM clock very low with the memory clock nominal",
       .excludes = "a thermal reason is active; resetting clocks recovers",
       .confused_with = {{"thermal_throttle", "is a thermal reason active?"},
                         {"locked_clocks_left", "does resetting clocks recover?"}},
       .severity = Severity::failure,
       .next = "nvidia-smi -q -d PERFORMANCE during the work; look at power supplies, cables and the "
               "chassis's events",
       .reading = {"https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html"},
       .examine = examine_brake},
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
      {.name = "sw_power_cap",
       .title = "The power limit is set below the board's default",
       .what = "A limit below the default caps the clock of all heavy work, the same factor for every phase "
               "that needs "
               "compute. A cap that is reached at the default limit is normal.",
       .moves = "gemm16 -, gemm32 -, hbm 0",
       .stands_on = {"power_limit"},
       .confirms = "the limit is below the default, the power at the limit; raising it recovers",
       .excludes = "the limit is the default",
       .confused_with = {{"thermal_throttle", "is a thermal reason active?"},
                         {"locked_clocks_left", "is the application clock the default?"},
                         {"hidden_power_state", "is the power at the limit?"}},
       .next = "nvidia-smi -q -d POWER; sudo nvidia-smi -i GPU -pl DEFAULT_WATTS",
       .reading = {"https://docs.nvidia.com/deploy/nvidia-smi/index.html"},
       .examine = examine_cap},
  };
}

}  // namespace gpugauge::diagnose
