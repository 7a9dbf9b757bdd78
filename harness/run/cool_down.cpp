#include "run/cool_down.hpp"

#include <algorithm>
#include <string_view>

namespace gpugauge::run {
namespace {

constexpr std::string_view gpu_source = "gpu:";

/// Telemetry is taken twice a second, and a timer may be early by a little.
constexpr double slack_seconds = .1;

/// True for a word of a list with commas.
bool lists(std::string_view words, std::string_view word) {
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find(',', begin), words.size());
    if (words.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

std::string_view uuid_of(const result::Series& series) {
  return std::string_view(series.source).substr(gpu_source.size());
}

std::vector<const result::Series*> watched(const std::vector<result::Series>& telemetry,
                                           const std::string& visible) {
  std::vector<const result::Series*> known;
  for (const result::Series& series : telemetry)
    if (series.name == "temperature_celsius" && series.source.starts_with(gpu_source) &&
        !series.values.empty())
      known.push_back(&series);
  if (known.size() == 1) return known;
  std::erase_if(known, [&](const result::Series* series) { return !lists(visible, uuid_of(*series)); });
  return known;
}

bool is_cool(const result::Series& series, double now, const CoolDown& wait) {
  const double last = series.seconds.back();
  if (now - last > wait.silence_seconds) return true;
  for (std::size_t i = series.values.size(); i-- > 0;)
    if (last - series.seconds[i] >= wait.watch_seconds - slack_seconds)
      return series.values.back() >= series.values[i];
  return false;
}

}  // namespace

Cooling cooling(const std::vector<result::Series>& telemetry, const std::string& visible, double now,
                const CoolDown& wait) {
  if (wait.watch_seconds <= 0) return {};
  for (const result::Series* const series : watched(telemetry, visible))
    if (!is_cool(*series, now, wait)) return {std::string(uuid_of(*series)), series->values.back()};
  return {};
}

}  // namespace gpugauge::run
