#include "diagnose/causes/told_figures.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "diagnose/error_codes.hpp"
#include "result/number.hpp"

namespace gpugauge::diagnose {
namespace {

/// Start of the number after the name that ends with the word at `at`; npos where another thing follows: "Target
/// Temperature : N/A".
std::size_t value_behind(std::string_view low, std::size_t at) {
  const auto is_letter = [&](std::size_t i) { return i < low.size() && low[i] >= 'a' && low[i] <= 'z'; };
  while (is_letter(at)) ++at;
  while (true) {
    at = low.find_first_not_of(" \t:=(),", at);
    if (at == std::string_view::npos || is_digit(low[at])) return at;
    std::size_t end = at;
    while (is_letter(end)) ++end;
    constexpr std::array<std::string_view, 13> between{"c",  "of",  "is",  "at",    "to",   "set", "gpu",
                                                       "in", "was", "now", "about", "says", "temp"};
    if (std::find(between.begin(), between.end(), low.substr(at, end - at)) == between.end())
      return std::string_view::npos;
    at = end;
  }
}

/// The clause around `at`: between commas, semicolons and ends of sentences.
std::string_view clause_around(std::string_view text, std::size_t at) {
  const auto ends = [&](std::size_t i) {
    return text[i] == '\n' || text[i] == ',' || text[i] == ';' ||
           (text[i] == '.' && (i + 1 == text.size() || text[i + 1] == ' '));
  };
  std::size_t begin = at;
  while (begin > 0 && !ends(begin - 1)) --begin;
  std::size_t end = at;
  while (end < text.size() && !ends(end)) ++end;
  return text.substr(begin, end - begin);
}

}  // namespace

std::optional<double> told_number(std::string_view text, Words names, double least, double most,
                                  Words unless) {
  const std::string low = lower(text);
  for (const std::string_view name : names)
    for (std::size_t at = low.find(name); at != std::string::npos; at = low.find(name, at + 1)) {
      if (contains_any(clause_around(low, at), unless)) continue;
      const std::size_t digit = value_behind(low, at + name.size());
      if (digit == std::string::npos) continue;
      const auto number = result::leading_number<double>(std::string_view(low).substr(digit));
      if (number && *number >= least && *number <= most) return number;
    }
  return std::nullopt;
}

Fact stopped(const Seen& seen) {
  if (Fact fact = seen.fails({})) return fact;
  // Work with a figure ran, whatever else was refused: a clock that may not be set.
  const auto& all = seen.it().metrics;
  const bool ran =
      std::any_of(all.begin(), all.end(), [](const Metric& metric) { return metric.factor.has_value(); });
  for (const ErrorSeen& error : seen.it().errors)
    if (!ran && error.api != "cudnn" && error.api != "nccl" && !error.text.empty())
      return fmt::format("it ends with \"{}\"", error.text.substr(0, error.text.find('\n')));
  for (const Metric& metric : seen.it().metrics) {
    if (metric.factor) continue;
    const bool none = metric.value == 0 && contains_any(metric.unit, {"gpu", "device", "card"});
    const bool code = metric.value && contains_any(metric.unit, {"error"});
    // "No devices were found" and the like are negative themselves.
    if (none || code ||
        contains_any_affirmed(metric.note, {"is_available() is False",
                                            "is_available(): False",
                                            "is_available() returns False",
                                            "is_available() False",
                                            "no devices",
                                            "no CUDA-capable",
                                            "no GPU is found",
                                            "0 devices",
                                            "0 GPUs",
                                            "does not start",
                                            "do not start",
                                            "did not start",
                                            "not listed",
                                            "none of*start",
                                            "no cuda program",
                                            "no program*start",
                                            "dies",
                                            "crash",
                                            "fails",
                                            "failed to",
                                            "stops at",
                                            "stops after",
                                            "ends with",
                                            "out of memory",
                                            "aborts",
                                            "hangs",
                                            "does not work",
                                            "not in nvidia-smi",
                                            "only in lspci",
                                            "cannot find",
                                            "could not find",
                                            "refuses"}))
      return fmt::format("the report says: \"{}\"", metric.note);
  }
  return seen.told({"Could not find cuda drivers on your machine", "No devices were found",
                    "CUDA driver initialization failed", "no CUDA-capable device is detected"});
}

Fact told_error(const Seen& seen, int code) {
  for (const Metric& metric : seen.it().metrics)
    if (!metric.factor && ((metric.value == code && contains_any(metric.unit, {"error"})) ||
                           (contains_any_word(metric.note, {"cuda"}) && tells_code(metric.note, code))))
      return fmt::format("the report says: \"{}\"", metric.note);
  return std::nullopt;
}

Fact supply_failed(const Seen& seen) {
  // What iDRAC, iLO, the event log of a BMC (ipmitool sel), and people write.
  return seen.told({"power input*is lost",
                    "Power supply redundancy is lost",
                    "Redundancy Lost",
                    "Power Supply AC lost",
                    "power supply*failed",
                    "power supply*failure",
                    "Power supply*lost",
                    "Power Supply*Failure detected",
                    "PSU*Failure detected",
                    "PSU*failed",
                    "PSU*failure",
                    "PSU*amber",
                    "PSU*red led",
                    "PSU*is dead",
                    "PSU*died",
                    "PSU*unplugged",
                    "PSU*lost",
                    "dead PSU",
                    "failed PSU",
                    "broken PSU",
                    "one PSU less",
                    "power supplies*failed",
                    "one power supply*off",
                    "PSU*not present",
                    "lost one power feed",
                    "power feed*lost",
                    "insufficient power supply"},
                   {"no failure", "Deasserted", "redundancy is full", "Fully Redundant"});
}

Fact told_hot(const Seen& seen, double least) {
  constexpr double most = 115;
  for (const Metric& metric : seen.it().metrics) {
    const std::string low = lower(metric.note);
    for (std::size_t at = 0; at < low.size(); ++at) {
      if (!is_digit(low[at]) || (at > 0 && (is_digit(low[at - 1]) || low[at - 1] == '.'))) continue;
      const auto degrees = result::leading_number<double>(std::string_view(low).substr(at));
      if (!degrees || *degrees < least || *degrees > most) continue;
      std::size_t end = low.find_first_not_of("0123456789", at);
      if (end == std::string::npos) continue;
      if (low[end] == ' ') ++end;
      const std::string_view unit = std::string_view(low).substr(end);
      const bool celsius = (unit.starts_with('c') &&
                            (unit.size() == 1 || std::isalpha(static_cast<unsigned char>(unit[1])) == 0)) ||
                           unit.starts_with("°c") || unit.starts_with("° c") || unit.starts_with("degrees") ||
                           unit.starts_with("deg c");
      if (celsius &&
          !contains_any(clause_around(low, at),
                        {"memory", "junction", "vram", "hbm", "cpu", "processor", "hot spot", "hotspot",
                         "limit", "target", "slowdown", "shutdown", "max", "nvme", "ssd"}))
        return fmt::format("the report says: \"{}\"", metric.note);
    }
  }
  return std::nullopt;
}

Fact told_memory_hot(const Seen& seen, double least) {
  constexpr double most = 125;
  Fact out;
  for_each_text(seen, [&](std::string_view text) {
    const auto degrees = told_number(text,
                                     {
                                         "memory junction",
                                         "mem junction",
                                         "memory temp",
                                         "mem temp",
                                         "vram temp",
                                         "hbm temp",
                                         "hbm3 temp",
                                         "memory current temp",
                                         "gddr6x temp",
                                         "junction temp",
                                         "temperature memory",
                                         "memory is at",
                                     },
                                     least, most, {"max operating", "slowdown", "shutdown", "limit"});
    if (degrees && !out) out = fmt::format("the memory is at {:g} C", *degrees);
  });
  return out;
}

Fact printed_limit_lowered(const Seen& seen) {
  constexpr double watts_least = 15;
  constexpr double watts_most = 2000;
  std::optional<double> limit;
  std::optional<double> normal;
  for_each_text(seen, [&](std::string_view text) {
    const auto read = [&](Words names, Words unless) {
      return told_number(text, names, watts_least, watts_most, unless);
    };
    if (!limit)
      limit = read({"current power limit", "enforced power limit", "power limit"},
                   {"default", "max", "min", "module", "requested", "cpu", "package", "rapl", "pl1", "pl2",
                    "processor"});
    if (!normal)
      normal = read({"default power limit", "power default limit", "power limit default"}, {"module"});
  });
  constexpr double share = .98;
  if (!limit || !normal || *limit >= *normal * share) return std::nullopt;
  return fmt::format("the power limit is {:g} W, and the default {:g} W", *limit, *normal);
}

Fact told_runtime_newer(const Seen& seen) {
  constexpr int digits = 3;
  constexpr int tens = 10;
  int newest = 0;
  double runs = 0;
  for_each_text(seen, [&](std::string_view text) {
    // nvidia-smi's head tells the newest CUDA that the driver runs.
    constexpr double first = 5;
    constexpr double last = 30;
    if (const auto version = told_number(text, {"cuda version"}, first, last, {"nvcc", "toolkit", "torch"});
        version && runs == 0)
      runs = *version;
    for (std::size_t at = text.find("cu"); at != std::string_view::npos; at = text.find("cu", at + 1)) {
      if (at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0) continue;
      std::size_t end = at + 2;
      while (end < text.size() && is_digit(text[end])) ++end;
      if (end - at - 2 == digits)
        newest = std::max(newest, result::number_in<int>(text.substr(at + 2, digits)).value_or(0) / tens);
    }
  });
  if (runs == 0 || newest <= static_cast<int>(runs)) return std::nullopt;
  return fmt::format("a build for CUDA {} runs on a driver for CUDA {:g}", newest, runs);
}

std::string told_toolkit(const Seen& seen) {
  std::string out;
  for_each_text(seen, [&](std::string_view text) {
    for (const std::string_view name :
         {"CUDA compiler identification is NVIDIA ", "Cuda compilation tools, release "}) {
      const std::size_t at = text.find(name);
      if (at == std::string_view::npos || !out.empty()) continue;
      const std::string_view rest = text.substr(at + name.size());
      out = rest.substr(0, rest.find_first_not_of("0123456789."));
    }
  });
  return out;
}

}  // namespace gpugauge::diagnose
