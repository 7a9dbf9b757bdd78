#include "diagnose/causes/told_figures.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "diagnose/error_codes.hpp"
#include "result/number.hpp"

namespace gpugauge::diagnose {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

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
  for (const ErrorSeen& error : seen.it().errors)
    if (error.api != "cudnn" && error.api != "nccl" && !error.text.empty())
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
                    "one of the*PSUs",
                    "one of the*power supplies",
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
    const auto degrees =
        told_number(text,
                    {"memory junction", "mem junction", "memory temp", "mem temp", "vram temp", "hbm temp",
                     "hbm3 temp", "memory current temp", "gddr6x temp", "junction temp", "temperature memory",
                     "vram at", "vram is at", "memory is at", "memory at"},
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
                   {"default", "max", "min", "module", "requested"});
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

namespace {

/// The number before the unit in a line, and the size behind "n=" or the like.
struct Rate {
  double size = 0;
  double rate = 0;
  std::string unit;
};

std::optional<Rate> rate_of(const std::string& line) {
  const std::string low = lower(line);
  Rate out;
  constexpr double largest = 1e9;
  for (const std::string_view unit : {"tflop", "gflop", "tops"}) {
    const std::size_t at = low.find(unit);
    if (at == std::string::npos || at == 0) continue;
    std::size_t begin = low[at - 1] == ' ' ? at - 1 : at;
    while (begin > 0 && (is_digit(low[begin - 1]) || low[begin - 1] == '.')) --begin;
    out.rate = result::leading_number<double>(std::string_view(low).substr(begin)).value_or(0);
    out.unit = unit;
    break;
  }
  // The name is a whole word: "n=4096", "size 4096".
  out.size =
      told_number(" " + low, {" n=", " m=", " k=", " size", " shape", " batch", " dim", " seq"}, 1, largest)
          .value_or(0);
  return out.rate > 0 && out.size > 0 ? std::optional<Rate>(out) : std::nullopt;
}

}  // namespace

Fact one_size_slow(const Seen& seen) {
  constexpr double far_below = .67;
  std::vector<Rate> rates;
  for (const std::string& line : seen.it().log)
    if (auto one = rate_of(line)) rates.push_back(*std::move(one));
  std::sort(rates.begin(), rates.end(), [](const Rate& a, const Rate& b) { return a.size < b.size; });
  for (std::size_t i = 1; i + 1 < rates.size(); ++i) {
    const Rate& one = rates[i];
    const double beside = std::min(rates[i - 1].rate, rates[i + 1].rate);
    if (one.unit == rates[i - 1].unit && one.unit == rates[i + 1].unit && one.size > rates[i - 1].size &&
        one.size < rates[i + 1].size && one.rate < far_below * beside)
      return fmt::format("size {:g} runs at {:g} {}s, its neighbours at {:g} and more", one.size, one.rate,
                         one.unit, beside);
  }
  return std::nullopt;
}

Fact some_operations_longer(const Seen& seen) {
  if (!seen.it().changed || !seen.it().changed->contains("framework")) return std::nullopt;
  const Change& change = seen.it().changed->at("framework");
  std::map<std::string, std::pair<double, double>> times;
  for (const std::string& line : seen.it().log) {
    const std::size_t at = line.find("::");
    if (at == std::string::npos) continue;
    const bool before = contains_whole_words(line, change.before.text());
    if (before == contains_whole_words(line, change.after.text())) continue;
    const auto of_name = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    std::size_t begin = at;
    while (begin > 0 && of_name(line[begin - 1])) --begin;
    std::size_t end = at + 2;
    while (end < line.size() && of_name(line[end])) ++end;
    // The profiler's own units.
    for (const auto& [unit, seconds] : {std::pair{"ms", 1e-3}, std::pair{"us", 1e-6}, std::pair{"s", 1.0}}) {
      std::size_t number = std::string::npos;
      for (std::size_t i = end; i < line.size() && number == std::string::npos; ++i) {
        if (!is_digit(line[i]) || (i > 0 && (is_digit(line[i - 1]) || line[i - 1] == '.'))) continue;
        const std::size_t last = std::min(line.find_first_not_of("0123456789.", i), line.size());
        const std::string_view rest = std::string_view(line).substr(last);
        const std::size_t width = std::string_view(unit).size();
        if (rest.starts_with(unit) && (rest.size() == width || !of_name(rest[width]))) number = i;
      }
      if (number == std::string::npos) continue;
      const double time =
          seconds * result::leading_number<double>(std::string_view(line).substr(number)).value_or(0);
      auto& both_times = times[line.substr(begin, end - begin)];
      (before ? both_times.first : both_times.second) = time;
      break;
    }
  }
  constexpr double longer = 1.25;
  constexpr double alike = 1.1;
  Fact slow;
  bool same = false;
  for (const auto& [name, both_times] : times) {
    if (both_times.first <= 0 || both_times.second <= 0) continue;
    const double ratio = both_times.second / both_times.first;
    if (ratio >= longer && !slow)
      slow = fmt::format("the profile's {} takes {:.3g} times as long", name, ratio);
    same = same || ratio <= alike;
  }
  return same ? slow : std::nullopt;
}

}  // namespace gpugauge::diagnose
