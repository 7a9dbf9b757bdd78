#include "judge/declines.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "result/counted.hpp"
#include "result/time.hpp"

namespace gpugauge::judge {
namespace {

constexpr std::size_t most_named = 3;

std::string percent_of(double relative) {
  return fmt::format("{:.1f}%", 100 * relative);
}

}  // namespace

std::string decline_text(const Decline& decline) {
  const std::string again =
      decline.again ? percent_of(*decline.again) + " when measured again" : "not measured again";
  return fmt::format("by {} in {} since {} ({})", percent_of(decline.change),
                     result::counted(static_cast<std::size_t>(decline.nights), "check"),
                     result::day_of(decline.since), again);
}

std::string sentence_on(const std::vector<Decline>& declines) {
  if (declines.empty()) return "";
  std::string named;
  for (std::size_t i = 0; i < std::min(declines.size(), most_named); ++i)
    named += fmt::format("{}{} {}", i == 0 ? "" : "; ", declines[i].metric, decline_text(declines[i]));
  if (declines.size() > most_named) named += fmt::format("; and {} more", declines.size() - most_named);
  return fmt::format(
      "The monitor alarms: worse than the baseline from check to check, by what one check lets pass: {}. This "
      "decides nothing; look for what changed then.",
      named);
}

}  // namespace gpugauge::judge
