#include "baseline/origin.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "result/counted.hpp"
#include "result/facts.hpp"
#include "result/profiles.hpp"
#include "result/shell_word.hpp"
#include "result/time.hpp"

namespace gpugauge::baseline {

std::string rounds_in_words(const Baseline& found) {
  const auto [first, last] =
      std::minmax_element(found.runs.begin(), found.runs.end(),
                          [](const result::Run& a, const result::Run& b) { return a.started < b.started; });
  const std::string from = result::day_of(first->started);
  const std::string to = result::day_of(last->started);
  return fmt::format("{} from {}{}", result::counted(found.runs.size(), "round"), from,
                     from == to ? "" : " to " + to);
}

std::string how_to_make(const result::Fingerprint& fingerprint, const std::string& device) {
  const std::string profile = result::fact(fingerprint.suite, "suite.profile");
  if (profile == result::frameworks_profile)
    return fmt::format(
        "`gpugauge baseline create RUN.json ...`, from {} files or more that `gpugauge frameworks --output "
        "RUN.json` left",
        minimum_rounds);
  return fmt::format("`gpugauge baseline create{}{}`",
                     device.empty() ? "" : " --device " + result::shell_word(device),
                     profile.empty() ? "" : " --profile " + result::shell_word(profile));
}

}  // namespace gpugauge::baseline
