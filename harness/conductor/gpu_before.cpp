#include "conductor/gpu_before.hpp"

#include <algorithm>

#include "judge/load_seen.hpp"
#include "judge/neighbours.hpp"
#include "result/gpu_series.hpp"

namespace gpugauge::conductor {
namespace {

void add_application_clock(const result::Run& run, const std::vector<result::Run>* before,
                           diagnose::Observation& out) {
  const judge::ApplicationClock clock = judge::application_clock(run);
  if (!clock.known()) return;
  constexpr double mega = 1e6;
  out.telemetry["application_clock_mhz"] = clock.hertz / mega;
  const bool as_before =
      before != nullptr && std::any_of(before->begin(), before->end(), [&](const result::Run& earlier) {
        return judge::application_clock(earlier).hertz == clock.hertz;
      });
  if (clock.is_default() || (clock.hertz < clock.standard && !as_before))
    out.telemetry["application_clock_is_default"] = clock.is_default();
}

}  // namespace

void add_gpu_before(const std::vector<result::Run>& rounds, const std::vector<result::Run>* before,
                    diagnose::Observation& out) {
  if (rounds.empty()) return;
  add_application_clock(judge::with_settings_of_all(rounds), before, out);
  int others = 0;
  for (const result::Run& run : rounds) others = std::max(others, judge::other_processes(run).value_or(0));
  if (others > 0) out.telemetry["other_processes"] = static_cast<double>(others);
  double most = 0;
  for (const std::string& uuid : result::measured_gpus(rounds.front()))
    for (const double value : result::values_of_gpu(rounds.front(), uuid, result::utilization_before_series))
      most = std::max(most, value);
  constexpr double busy = .1;
  if (most >= busy) out.telemetry["utilization_before_percent"] = 100 * most;
}

}  // namespace gpugauge::conductor
