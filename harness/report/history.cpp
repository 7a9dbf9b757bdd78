#include "report/history.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/format.hpp"
#include "report/table.hpp"
#include "result/counted.hpp"
#include "result/facts.hpp"

namespace gpugauge::report {
namespace {

using store::Change;
using store::Event;

std::string day(const std::string& started) {
  return started.substr(0, 10);
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
  if (!trend.alarm)
    return fmt::format("monitor: quiet (highest sum {:.1f} of {:.1f}, tolerance {})",
                       trend.sums.empty() ? 0 : *std::max_element(trend.sums.begin(), trend.sums.end()),
                       trend.limit, percent(trend.tolerance));
  const bool still = !trend.sums.empty() && trend.sums.back() >= trend.limit;
  return fmt::format("monitor: alarm on {}{}: `gpugauge check` measures again and judges",
                     day(points[*trend.alarm].started), still ? ", and still above its limit" : "");
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
  out +=
      "  " +
      wrap(fmt::format("{}: {} of profile {}, {} to {}; centre {}, {} is better",
                       device_text(trend.series.device), result::counted(points.size(), "run"),
                       plain(trend.series.profile), day(points.front().started), day(points.back().started),
                       quantity(trend.centre, form.unit), to_string(form.better)),
           terminal.width, 4) +
      "\n\n" + plot(trend, terminal) + "\n";
  for (const Change& step : trend.changes) {
    const Tone tone = step.relative > 0 ? Tone::bad : Tone::good;
    out += "  " + terminal.paint(day(points[step.at].started), Tone::strong) + "  " +
           terminal.paint(change(step.relative), tone) + "  " +
           wrap(fmt::format("{} -> {}, {}", quantity(step.before, form.unit), quantity(step.after, form.unit),
                            cause_of(step.since, step.runs_off, 3)),
                terminal.width, 6) +
           "\n";
  }
  if (trend.changes.empty() && trend.reference > 0) out += "  no change of level\n";
  return out + "  " + wrap(monitor_text(trend), terminal.width, 4) + "\n";
}

std::string draw(const std::vector<Event>& events, std::size_t trends, std::size_t too_short,
                 const Terminal& terminal, bool every_metric) {
  constexpr std::size_t few = 5;
  std::string out;
  for (const Event& event : events) {
    out +=
        terminal.paint(day(event.started), Tone::strong) + "  " + device_text(event.device) + "  " +
        wrap(fmt::format("{} of profile {}, {}",
                         event.items.size() == 1 ? "1 metric" : fmt::format("{} metrics", event.items.size()),
                         plain(event.profile), cause_of(event.since, event.runs_off, 3)),
             terminal.width, 4) +
        "\n";
    Table table({{"metric", false, true}, {"change", true}, {"before", true}, {"after", true}});
    const std::size_t shown = every_metric ? event.items.size() : std::min(few, event.items.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& [metric, step] = event.items[i];
      table.add({{plain(metric.form.key)},
                 {signed_percent(step.relative), step.relative > 0 ? Tone::bad : Tone::good},
                 {quantity(step.before, metric.form.unit)},
                 {quantity(step.after, metric.form.unit)}});
    }
    out += table.draw(terminal);
    if (event.items.size() > shown)
      out += fmt::format("  and {} more; --every-metric lists them\n", event.items.size() - shown);
    out += "\n";
  }
  out +=
      fmt::format("{} of level in {} series (+ is worse)", result::counted(events.size(), "change"), trends);
  if (too_short > 0)
    out += fmt::format("; {} series have fewer than {} runs and were not looked at", too_short,
                       store::least_runs);
  return out + "\n";
}

}  // namespace gpugauge::report
