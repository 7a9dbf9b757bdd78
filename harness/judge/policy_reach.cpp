#include "judge/policy_reach.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "judge/collect.hpp"
#include "judge/pinned.hpp"
#include "judge/site_settings.hpp"
#include "result/error.hpp"
#include "result/pattern.hpp"

namespace gpugauge::judge {
namespace {

constexpr const char* where_names_are = "`gpugauge list` names the benchmarks, --every-metric their metrics";

/// Whether the pattern matches some text that begins with `head` and continues with a character that `next`
/// allows. Anything may follow the first *.
template <typename Next>
bool reaches(std::string_view pattern, std::string_view head, const Next& next) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*') return true;
    if (i == head.size()) return next(pattern[i]);
    if (pattern[i] != '?' && pattern[i] != head[i]) return false;
  }
  return false;
}

/// Whether the pattern can match a metric of the benchmark, "ID:NAME", whatever the name.
bool can_match(const std::string& pattern, const std::string& id) {
  return reaches(pattern, id, [](char c) { return c == ':' || c == '?'; });
}

bool can_match_family(const std::string& pattern, const std::string& family) {
  return reaches(pattern, family + "/", [](char) { return true; });
}

bool matches_class(const std::string& pattern, std::string_view metric_class) {
  return result::matches(pattern, class_key(std::string(metric_class)));
}

bool matches_any_class(const std::string& pattern) {
  return std::any_of(result::classes.begin(), result::classes.end(),
                     [&](const result::ClassInfo& one) { return matches_class(pattern, one.name); });
}

bool matches_any(const std::string& pattern, const auto& keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](std::string_view key) { return result::matches(pattern, key); });
}

/// True for an entry that calls a setting of the site advisory. Nothing else that it gives applies to one.
bool excuses_setting(const MetricRule& rule) {
  return rule.advisory && matches_any(rule.pattern, site_settings);
}

/// True if a benchmark that was not measured may match the entry.
bool may_be_elsewhere(const std::string& pattern, const SeenMetrics& seen, const KnownBenchmarks& known) {
  return std::any_of(known.benchmarks.begin(), known.benchmarks.end(),
                     [&](const KnownBenchmarks::Known& one) {
                       return !seen.benchmarks.contains(one.id) &&
                              (can_match(pattern, one.id) || matches_class(pattern, one.metric_class));
                     }) ||
         std::any_of(known.silent.begin(), known.silent.end(), [&](const std::string& family) {
           return can_match_family(pattern, family) || matches_any_class(pattern);
         });
}

}  // namespace

void SeenMetrics::add(const std::string& key, const std::string& metric_class) {
  keys.insert(key);
  if (metric_class.empty()) return;
  classes.insert(metric_class);
  keys.insert(class_key(metric_class));
}

void SeenMetrics::add(const PeerForm& form) {
  keys.insert(form.key);
  classes.insert(form.metric_class);
}

void SeenMetrics::add_measured(const std::vector<result::Run>& runs) {
  add_reference(runs);
  for (const result::Run& run : runs)
    for (const auto& [key, metric] : collect(run).metrics) benchmarks.insert(metric.benchmark);
}

void SeenMetrics::add_reference(const std::vector<result::Run>& runs) {
  for (const result::Run& run : runs)
    for (const auto& [key, metric] : collect(run).metrics) add(key, metric.form.metric_class);
}

void SeenMetrics::add(const std::vector<Verdict>& verdicts) {
  for (const Verdict& verdict : verdicts) {
    if (verdict.judge == Judge::physical)
      physical.insert(verdict.metric);
    else
      add(verdict.metric, verdict.metric_class);
  }
}

void require_possible(const Policy& policy, const KnownBenchmarks& known) {
  for (const MetricRule& rule : policy.metrics) {
    const std::string& pattern = rule.pattern;
    const bool possible =
        matches_any_class(pattern) || excuses_setting(rule) ||
        std::any_of(known.benchmarks.begin(), known.benchmarks.end(),
                    [&](const KnownBenchmarks::Known& one) { return can_match(pattern, one.id); }) ||
        std::any_of(known.silent.begin(), known.silent.end(),
                    [&](const std::string& family) { return can_match_family(pattern, family); });
    if (!possible)
      throw result::UsageError(
          fmt::format("policy: the entry {} matches no metric of any benchmark that is known here; {}",
                      result::quoted(pattern), where_names_are));
  }
}

void require_matches(const Policy& policy, const SeenMetrics& seen, const KnownBenchmarks& known) {
  for (const MetricRule& rule : policy.metrics) {
    // A machine whose settings are the usual ones has no verdict on them.
    if (matches_any(rule.pattern, seen.keys) || excuses_setting(rule) ||
        may_be_elsewhere(rule.pattern, seen, known))
      continue;
    if (matches_any(rule.pattern, site_settings))
      throw result::UsageError(
          fmt::format("policy: the entry {} names a setting of the machine, which has no tolerance: only "
                      "\"advisory\" applies to it",
                      result::quoted(rule.pattern)));
    if (matches_any(rule.pattern, seen.physical))
      throw result::UsageError(
          fmt::format("policy: the entry {} matches only what the physical judge says, which no policy "
                      "changes: what is wrong or impossible always counts",
                      result::quoted(rule.pattern)));
    throw result::UsageError(fmt::format("policy: the entry {} matches no metric; {}",
                                         result::quoted(rule.pattern), where_names_are));
  }
}

}  // namespace gpugauge::judge
