#include "conductor/going_back.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "diagnose/probes.hpp"
#include "diagnose/seen.hpp"
#include "judge/scale.hpp"
#include "result/counted.hpp"

namespace gpugauge::conductor {
namespace {

using judge::Verdict;
using judge::VerdictKind;

bool is_against(const Verdict& verdict) {
  return !verdict.advisory && judge::grave(verdict);
}

const Verdict* verdict_on(const std::vector<Verdict>& verdicts, const Verdict& like) {
  const auto found = std::find_if(verdicts.begin(), verdicts.end(), [&](const Verdict& one) {
    return one.judge == like.judge && one.metric == like.metric;
  });
  return found == verdicts.end() ? nullptr : &*found;
}

/// 2 = twice the time, or half the rate.
double slowness(double change, result::Direction better) {
  if (better == result::Direction::higher && change >= 1) return std::numeric_limits<double>::infinity();
  return std::exp(judge::step_of(change, better));
}

/// What became of a verdict against the new stack.
enum class Went { away, stayed, open };

/// By how much of the slowness is left. Noise that reaches as far as the other answer leaves it open.
Went went(double then, const Verdict& now) {
  const auto outcome = [&](double change) {
    return diagnose::outcome_of_standing(then, {slowness(change, now.better)}, 1).outcome;
  };
  const double change = now.change.value_or(0);
  const double noise = now.interval.value_or(0);
  const std::string is = outcome(change);
  if (is == "normal" && outcome(change + noise) != "slow") return Went::away;
  if (is == "slow" && outcome(change - noise) != "normal") return Went::stayed;
  return Went::open;
}

Went went(const Verdict& then, const Verdict* now) {
  // What is wrong in itself has a verdict only where it is.
  if (now == nullptr) return then.judge == judge::Judge::physical ? Went::away : Went::open;
  const bool slower = then.change && *then.change > 0;
  if (slower && now->change) return went(slowness(*then.change, then.better), *now);
  if (now->kind == then.kind) return Went::stayed;
  return now->kind == VerdictKind::inconclusive || now->kind == VerdictKind::unstable ? Went::open
                                                                                      : Went::away;
}

/// How many of the verdicts against the new stack went where.
struct Count {
  std::size_t away = 0, stayed = 0, open = 0;

  std::size_t all() const { return away + stayed + open; }
  /// "" where they disagree, or most are open.
  std::string outcome() const {
    if (2 * open > all() || (away > 0 && stayed > 0)) return "";
    return away > 0 ? "recovers" : stayed > 0 ? "no_change" : "";
  }
};

Count count(const OldNewOld& sides) {
  Count out;
  std::set<std::pair<judge::Judge, std::string>> counted;
  for (const auto* device : {&sides.changed, &sides.between})
    for (const Verdict& verdict : device->verdicts) {
      if (!is_against(verdict) || !counted.emplace(verdict.judge, verdict.metric).second) continue;
      // Both measurements of the old stack together hide a part of what stayed.
      const Verdict* const then = verdict_on(sides.changed.verdicts, verdict);
      switch (went(then == nullptr ? verdict : *then, verdict_on(sides.returned.verdicts, verdict))) {
        case Went::away:
          ++out.away;
          break;
        case Went::stayed:
          ++out.stayed;
          break;
        case Went::open:
          ++out.open;
          break;
      }
    }
  return out;
}

std::string sentence(const Count& count) {
  const std::string outcome = count.outcome();
  const char* const said = outcome == "recovers"    ? "Going back recovers"
                           : outcome == "no_change" ? "Going back changes nothing"
                                                    : "Whether going back recovers cannot be told";
  return fmt::format("{}: of {} against the new stack {} gone with the old one, {} left, {} open.", said,
                     result::counted(count.all(), "verdict"), result::counted(count.away, "is", "are"),
                     count.stayed, count.open);
}

/// The component's version before, from its own field or the first of its fields.
std::string version_before(const std::map<std::string, diagnose::Change>& changed,
                           const std::string& component) {
  const std::string own = component == "os" ? "kernel.version" : component + ".version";
  for (const std::string& name : {own, component})
    if (const auto found = changed.find(name); found != changed.end()) return found->second.before.text();
  const auto part = changed.lower_bound(component + ".");
  return part != changed.end() && part->first.starts_with(component) ? part->second.before.text() : "before";
}

std::vector<diagnose::Probe> probes(const std::string& outcome, const diagnose::Observation& seen,
                                    const std::set<std::string>& components) {
  if (components.size() > 1 && outcome == "recovers") return {{"change_version", outcome, "stack=as before"}};
  std::vector<diagnose::Probe> out;
  out.reserve(components.size());
  for (const std::string& component : components)
    out.push_back(
        {components.size() == 1 && component == "driver" ? "same_binary_old_driver" : "change_version",
         outcome, fmt::format("{}={}", component, version_before(*seen.changed, component))});
  return out;
}

}  // namespace

std::optional<report::GoingBack> going_back(const OldNewOld& sides) {
  const Count counted = count(sides);
  if (counted.all() == 0) return std::nullopt;
  report::GoingBack out;
  out.outcome = counted.outcome();
  out.sentence = sentence(counted);
  const auto harmed = [](const report::DeviceReport& device) {
    return std::any_of(device.verdicts.begin(), device.verdicts.end(), is_against);
  };
  // Where going back changes nothing, the old stack is no longer what the new one was compared with.
  const bool both = out.outcome != "no_change" && harmed(sides.between);
  const auto& seen = (both ? sides.between : sides.changed).observation;
  if (!seen) return std::nullopt;
  out.observation = *seen;
  const std::set<std::string> components = diagnose::Seen(out.observation).changed_components();
  if (components.empty()) return std::nullopt;
  if (out.outcome.empty()) return out;
  for (diagnose::Probe& probe : probes(out.outcome, out.observation, components))
    out.observation.probes.push_back(std::move(probe));
  out.diagnosis = diagnose::diagnose(out.observation);
  return out;
}

}  // namespace gpugauge::conductor
