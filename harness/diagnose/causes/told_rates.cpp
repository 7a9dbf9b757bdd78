// Rates and times that a log gives line by line.
#include <algorithm>
#include <cctype>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "diagnose/causes/told_figures.hpp"
#include "result/number.hpp"

namespace gpugauge::diagnose {
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
