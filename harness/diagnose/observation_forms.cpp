#include "diagnose/observation_forms.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "diagnose/words.hpp"
#include "result/number.hpp"
#include "result/text.hpp"

namespace gpugauge::diagnose {
namespace {

/// The number of a text that contains only the number and at most the key's own unit: "1410 MHz", "x16",
/// "Gen4". nullopt for anything else: 6 GB is not taken as MiB.
std::optional<double> number_of(std::string_view key, const std::string& text) {
  std::string word(result::stripped(lower(text)));
  if (key.starts_with("pcie_generation") && word.starts_with("gen")) word = result::stripped(word.substr(3));
  if (key.starts_with("pcie_width") && word.starts_with('x')) word.erase(0, 1);
  if (key.starts_with("pcie_width") && word.ends_with('x')) word.pop_back();
  std::string_view rest = word;
  const std::optional<double> number = result::take_number<double>(rest);
  if (!number) return std::nullopt;
  const std::string unit(result::stripped(rest));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> units{{{"_mhz", "mhz"},
                                                                                {"_w", "w"},
                                                                                {"_c", "c"},
                                                                                {"_c", "\u00b0c"},
                                                                                {"_percent", "%"},
                                                                                {"_mib", "mib"},
                                                                                {"_kib", "kib"}}};
  const bool own = std::any_of(units.begin(), units.end(), [&](const auto& entry) {
    return key.ends_with(entry.first) && unit == entry.second;
  });
  if (!unit.empty() && !own) return std::nullopt;
  return number;
}

/// "P8" for 8, "8" and "p8"; any other text unchanged.
std::string performance_state(std::string word) {
  if (word.starts_with('p')) word.front() = 'P';
  const bool digits = !word.empty() && word.size() <= 2 && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
  return digits ? "P" + word : word;
}

}  // namespace

Value in_kind(Value value, const Key& key) {
  const std::string* text = value.plain_text();
  if (key.name == "pstate" && (text != nullptr || value.plain_number() != nullptr))
    return performance_state(value.text());
  if (text == nullptr) return value;
  if (key.kind == Kind::number)
    if (const std::optional<double> number = number_of(key.name, *text)) return *number;
  if (key.kind == Kind::list) return Value::List{*text};
  if (key.kind == Kind::flag) {
    const std::string word(result::stripped(lower(*text)));
    for (const std::string_view yes : {"true", "on", "yes", "enabled"})
      if (word == yes) return true;
    for (const std::string_view no : {"false", "off", "no", "disabled"})
      if (word == no) return false;
  }
  return value;
}

bool tells_that_it_ran(const Metric& metric) {
  if (metric.value) return true;
  const bool failing = contains_any_word(
      metric.note,
      {"hang",          "hung",       "crash",      "fail",      "error",          "cannot",
       "can't",         "could not",  "not found",  "no longer", "not load",       "not start",
       "dies",          "died",       "out of mem", "time out",  "times out",      "timed out",
       "timeout",       "time-out",   "not detect", "never ret", "deadlock",       "freez",
       "no gpu",        "false",      "not see",    "abort",     "killed",         "core dump",
       "illegal",       "unable",     "not run",    "not work",  "runs only with", "stuck at init",
       "not available", "no device",  "refuse",     "disappear", "is lost",        "zeros",
       "exits",         "stops with", "not return", "NaN",       "wrong result"});
  if (failing) return false;
  return contains_any_word(
      metric.note, {"slow",      "regress",   "degrad",     "crawl",   "worse",    "longer",    "stutter",
                    "lag",       "fps",       "frame rate", "utiliz",  "utilis",   "speed",     "throughput",
                    "bandwidth", "minutes",   "seconds",    "GB/s",    "ms",       "it/s",      "tokens",
                    "perform",   "throttl",   "sluggish",   "hours",   "faster",   "latency",   "only *%",
                    "use only",  "uses only", "drops to",   "dropped", "images/s", "samples/s", "overhead"});
}

}  // namespace gpugauge::diagnose
