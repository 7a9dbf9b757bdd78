// Writes the history's series and changes for the terminal.
#include "report/history.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/format.hpp"
#include "report/table.hpp"
#include "result/counted.hpp"
#include "result/facts.hpp"
#include "result/time.hpp"

namespace gpugauge::report {
namespace {

using store::Change;
using store::Event;

constexpr std::size_t shown_facts = 3;
/// How many entries of a long list are shown.
constexpr std::size_t few = 5;

std::string too_few_runs(std::size_t runs) {
  return runs == 1 ? "the last run is too few to make a level"
                   : fmt::format("the last {} runs are too few to make a level", runs);
}

std::string device_text(const store::Device& device) {
  return plain(device.node.empty() ? device.identity : device.node + ", " + device.identity);
}

}  // namespace

std::string cause_of(const std::vector<baseline::Mismatch>& since, int runs_off, std::size_t shown) {
  if (since.empty()) return "nothing in the fingerprint changed there";
  std::string text = "since " + cause_text(since, shown);
  if (runs_off != 0)
    text += fmt::format(" ({} {})", result::counted(std::abs(runs_off), "run"),
                        runs_off > 0 ? "later" : "earlier");
  return text;
}

std::string monitor_text(const store::Trend& trend) {
  const auto& points = trend.series.points;
  if (trend.reference == 0)
    return fmt::format("{}: too few to watch for changes, {} are needed",
                       result::counted(points.size(), "run"), store::least_runs);
  if (trend.alarms.empty())
    return fmt::format("monitor: quiet (highest sum {:.1f} of {:.1f}, tolerance {})",
                       trend.sums.empty() ? 0 : *std::max_element(trend.sums.begin(), trend.sums.end()),
                       trend.limit, percent(trend.tolerance));
  const store::Alarm& latest = trend.alarms.back();
  return fmt::format(
      "monitor: alarm on {}, worse from {} on, {}{}{}: `gpugauge check` measures again and judges",
      result::day_of(points[latest.at].started), result::day_of(points[latest.change.at].started),
      cause_of(latest.change.since, latest.change.runs_off, shown_facts),
      trend.alarming() ? ", and still above its limit" : "",
      trend.alarms.size() == 1 ? ""
                               : fmt::format(" ({} alarms, the first on {})", trend.alarms.size(),
                                             result::day_of(points[trend.alarms.front().at].started)));
}

std::string last_text(const store::Trend& trend) {
  if (!trend.last) return "";
  const std::size_t runs = trend.series.points.size() - trend.last->at;
  return fmt::format("{}: {} against the level before, {}", too_few_runs(runs), change(trend.last->relative),
                     cause_of(trend.last->since, trend.last->runs_off, shown_facts));
}

std::string cause_text(const std::vector<baseline::Mismatch>& since, std::size_t shown) {
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, since.size()); ++i) {
    out += fmt::format("{}{} {} -> {}", i == 0 ? "" : ", ", since[i].field, result::or_absent(since[i].then),
                       result::or_absent(since[i].now));
  }
  if (since.size() > shown) out += fmt::format(" and {} more", since.size() - shown);
  return plain(out);
}

std::string draw(const store::Trend& trend, const Terminal& terminal) {
  const auto& points = trend.series.points;
  const judge::PeerForm& form = trend.series.metric.form;
  std::string out = terminal.paint(plain(form.key), Tone::strong) + "\n";
  out += "  " +
         wrap(fmt::format("{}: {} of profile {}, {} to {}; centre {}, {} is better",
                          device_text(trend.series.device), result::counted(points.size(), "run"),
                          plain(trend.series.profile), result::day_of(points.front().started),
                          result::day_of(points.back().started), quantity(trend.centre, form.unit),
                          to_string(form.better)),
              terminal.width, 4) +
         "\n\n" + plot(trend, terminal) + "\n";
  for (const Change& step : trend.changes) {
    const Tone tone = step.relative > 0 ? Tone::bad : Tone::good;
    out += wrap_behind(
               "  " + terminal.paint(result::day_of(points[step.at].started), Tone::strong) + "  " +
                   terminal.paint(change(step.relative), tone) + "  ",
               fmt::format("{} -> {}, {}", quantity(step.before, form.unit), quantity(step.after, form.unit),
                           cause_of(step.since, step.runs_off, shown_facts)),
               terminal.width, 6) +
           "\n";
  }
  if (trend.changes.empty() && trend.reference > 0) out += "  no change of level\n";
  if (trend.last) out += "  " + wrap(last_text(trend), terminal.width, 4) + "\n";
  return out + "  " + wrap(monitor_text(trend), terminal.width, 4) + "\n";
}

namespace {

/// "3 metrics of profile quick, memory/triad/a:bandwidth +50.0% worse".
std::string worst_of(const Event& event) {
  const Event::Item& worst = event.items.front();
  return fmt::format("{} of profile {}, {}{} {}", result::counted(event.items.size(), "metric"),
                     plain(event.profile), event.items.size() == 1 ? "" : "most of all ",
                     plain(worst.metric.form.key), change(worst.change.relative));
}

/// "2026-01-31  node7, GPU-...  ": the start of an event's line.
std::string dated(const Event& event, const Terminal& terminal) {
  return terminal.paint(result::day_of(event.started), Tone::strong) + "  " + device_text(event.device) +
         "  ";
}

/// One line per event, for use below a heading.
template <typename Tell>
std::string lines_of(const std::vector<Event>& events, const Terminal& terminal, bool all, const Tell& tell) {
  std::string out;
  const std::size_t shown = all ? events.size() : std::min(few, events.size());
  for (std::size_t i = 0; i < shown; ++i)
    out += wrap_behind("  " + dated(events[i], terminal), tell(events[i]), terminal.width, 4) + "\n";
  if (shown < events.size())
    out += fmt::format("  and {} more; --every-metric lists them\n", events.size() - shown);
  return out;
}

/// "since 2026-01-31, in 3 runs up to 2026-02-02; well on 2026-02-03".
std::string stretch_of(const store::HealthFinding& finding) {
  std::string out =
      finding.runs == 1
          ? "in 1 run"
          : fmt::format("in {} up to {}", result::counted(static_cast<std::size_t>(finding.runs), "run"),
                        result::day_of(finding.latest));
  if (!finding.well.empty()) out += fmt::format(", and no more on {}", result::day_of(finding.well));
  return out;
}

std::string draw_health(const std::vector<store::HealthFinding>& health, const Terminal& terminal, bool all) {
  if (health.empty()) return "";
  std::string out = "Health of GPUs, as runs found it:\n";
  const std::size_t shown = all ? health.size() : std::min(few, health.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const store::HealthFinding& one = health[i];
    const bool failed = one.kind == judge::VerdictKind::failed;
    out += wrap_behind("  " + terminal.paint(result::day_of(one.started), Tone::strong) + "  " +
                           device_text(one.device) + "  " +
                           terminal.paint(failed ? "failed" : "in doubt", failed ? Tone::bad : Tone::doubt) +
                           "  ",
                       fmt::format("{} {}: {}", plain(one.subject), stretch_of(one), plain(one.reason)),
                       terminal.width, 4) +
           "\n";
  }
  if (shown < health.size())
    out += fmt::format("  and {} more; --every-metric lists them\n", health.size() - shown);
  return out + "\n";
}

std::string draw_alarms(const std::vector<Event>& alarms, const Terminal& terminal, bool all) {
  if (alarms.empty()) return "";
  return fmt::format("{} without a change of level: `gpugauge check` measures again and judges\n",
                     result::counted(alarms.size(), "alarm")) +
         lines_of(alarms, terminal, all, [](const Event& event) {
           const Event::Item& worst = event.items.front();
           return fmt::format("{} from {} on, {}{}", worst_of(event), result::day_of(worst.from),
                              cause_of(event.since, event.runs_off, shown_facts),
                              worst.still ? "; still above the limit" : "");
         });
}

std::string draw_last(const std::vector<Event>& last, const Terminal& terminal, bool all) {
  if (last.empty()) return "";
  return "Last runs that lie off the level before them:\n" +
         lines_of(last, terminal, all, [](const Event& event) {
           return fmt::format("{}; {}, {}", worst_of(event),
                              too_few_runs(static_cast<std::size_t>(event.items.front().runs)),
                              cause_of(event.since, event.runs_off, shown_facts));
         });
}

}  // namespace

std::string draw(const ChangeList& list, const Terminal& terminal, bool every_metric) {
  std::string out = draw_health(list.health, terminal, every_metric);
  for (const Event& event : list.levels) {
    out += wrap_behind(dated(event, terminal),
                       fmt::format("{} of profile {}, {}", result::counted(event.items.size(), "metric"),
                                   plain(event.profile), cause_of(event.since, event.runs_off, shown_facts)),
                       terminal.width, 4) +
           "\n";
    Table table({{"metric", false, true}, {"change", true}, {"before", true}, {"after", true}});
    const std::size_t shown = every_metric ? event.items.size() : std::min(few, event.items.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const judge::PeerForm& form = event.items[i].metric.form;
      const Change& step = event.items[i].change;
      table.add({{plain(form.key)},
                 {signed_percent(step.relative), step.relative > 0 ? Tone::bad : Tone::good},
                 {quantity(step.before, form.unit)},
                 {quantity(step.after, form.unit)}});
    }
    out += table.draw(terminal);
    if (event.items.size() > shown)
      out += fmt::format("  and {} more; --every-metric lists them\n", event.items.size() - shown);
    out += "\n";
  }
  out += fmt::format("{} of level in {} series (+ is worse)", result::counted(list.levels.size(), "change"),
                     list.series);
  if (list.too_short > 0)
    out += fmt::format("; {} fewer than {} runs and {} not looked at",
                       result::counted(list.too_short, "series has", "series have"), store::least_runs,
                       list.too_short == 1 ? "was" : "were");
  return out + "\n" + draw_alarms(list.alarms, terminal, every_metric) +
         draw_last(list.last, terminal, every_metric);
}

}  // namespace gpugauge::report
