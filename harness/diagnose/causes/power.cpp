// Power.
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
    // An event log keeps old entries, too.
    it.confirms(slowed_cold || very_low ? weight::strong : weight::fair, supply);
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

/// A Jetson's power mode holds it below its highest one: "30W", "MODE_15W", "10W (mode 1)". MAXN has no number.
Fact low_power_mode(const Seen& seen) {
  if (!seen.gpu_is({"jetson", "orin", "xavier", "thor", "agx", "nano", "tegra"})) return std::nullopt;
  for (const auto& [key, value] : seen.it().settings) {
    if (!contains_any(key, {"nvpmodel", "power_mode", "power mode"})) continue;
    const std::string text = lower(value.text());
    for (std::size_t at = text.find('w'); at != std::string::npos; at = text.find('w', at + 1)) {
      const bool number = at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9';
      const bool word = at + 1 == text.size() || text[at + 1] < 'a' || text[at + 1] > 'z';
      if (number && word) return fmt::format("{} = {}", key, value.text());
    }
  }
  return std::nullopt;
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
  const bool measured =
      seen.slower(compute_classes) || seen.number("power_limit_w") || seen.number("power_w");
  it.confirms(measured ? weight::strong : weight::fair, both(both(seen.slower({}), laptop), no_service));
  it.confirms(weight::strong, both(seen.slower({}), low_power_mode(seen)));
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
