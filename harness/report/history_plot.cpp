// Plots a series as lines of text.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "judge/scale.hpp"
#include "judge/statistics.hpp"
#include "report/format.hpp"
#include "report/history.hpp"
#include "report/table.hpp"
#include "result/time.hpp"

namespace gpugauge::report {
namespace {

constexpr std::size_t plot_rows = 9;
constexpr std::size_t columns_most = 120;

/// One column: the median of its runs, and whether a new level begins in it.
struct Bar {
  double value = 0;
  bool changed = false;
};

std::vector<Bar> columns_of(const store::Trend& trend, std::size_t most) {
  const auto& points = trend.series.points;
  const std::size_t count = std::min(points.size(), most);
  std::set<std::size_t> changes;
  for (const store::Change& step : trend.changes) changes.insert(step.at);
  std::vector<Bar> out(count);
  for (std::size_t c = 0; c < count; ++c) {
    const std::size_t from = c * points.size() / count;
    const std::size_t to = std::max(from + 1, (c + 1) * points.size() / count);
    std::vector<double> values;
    for (std::size_t i = from; i < to; ++i) {
      values.push_back(points[i].median);
      out[c].changed |= changes.contains(i);
    }
    out[c].value = judge::median(values);
  }
  return out;
}

/// Labels of the first and last run, and between them the newest change that fits.
std::string axis(const store::Trend& trend, std::size_t margin, const std::vector<Bar>& columns) {
  const auto& points = trend.series.points;
  std::string out(margin, ' ');
  const auto put = [&](std::size_t at, const std::string& text) {
    if (out.size() < at + text.size()) out.resize(at + text.size(), ' ');
    const std::size_t from = at > 0 ? at - 1 : 0;
    if (out.find_first_not_of(' ', from) < at + text.size() + 1) return;
    out.replace(at, text.size(), text);
  };
  const std::string first = result::day_of(points.front().started);
  const std::string last = result::day_of(points.back().started);
  out += first;
  if (columns.size() >= 2 * first.size() + 1) put(margin + columns.size() - last.size(), last);
  for (std::size_t c = columns.size(); c-- > 0;)
    if (columns[c].changed) {
      const std::size_t run = c * points.size() / columns.size();
      const auto step = std::find_if(trend.changes.begin(), trend.changes.end(),
                                     [&](const store::Change& change) { return change.at >= run; });
      if (step != trend.changes.end()) put(margin + c, result::day_of(points[step->at].started));
    }
  return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string plot(const store::Trend& trend, const Terminal& terminal) {
  const std::string& unit = trend.series.metric.form.unit;
  const result::Direction better = trend.series.metric.form.better;
  const auto& points = trend.series.points;
  const auto [low, high] = std::minmax_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return a.median < b.median; });
  double bottom = low->median, top = high->median;
  // Noise of 0.1% must not look like a mountain.
  const double least = .02 * trend.centre;
  if (top - bottom < least) {
    const double middle = (top + bottom) / 2;
    bottom = middle - least / 2;
    top = middle + least / 2;
  }
  const auto row_of = [&](double value) {
    const double share = std::clamp((top - value) / (top - bottom), 0.0, 1.0);
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(plot_rows - 1)));
  };
  std::vector<std::string> labels(plot_rows);
  std::size_t label_width = 0;
  for (std::size_t row = 0; row < plot_rows; row += 2) {
    labels[row] = quantity(top - (top - bottom) * static_cast<double>(row) / (plot_rows - 1), unit);
    label_width = std::max(label_width, display_width(labels[row]));
  }
  const std::size_t margin = 2 + label_width + 2;
  const auto room = static_cast<std::size_t>(std::max(20, terminal.width)) - margin - 1;
  const std::vector<Bar> columns = columns_of(trend, std::min(room, columns_most));
  const std::size_t centre_row = row_of(trend.centre);
  const double worst = judge::step_of(trend.tolerance, better);
  std::string out;
  for (std::size_t row = 0; row < plot_rows; ++row) {
    out += fmt::format("  {}{} |", std::string(label_width - display_width(labels[row]), ' '), labels[row]);
    std::string line, painted;
    for (const Bar& column : columns) {
      if (row_of(column.value) == row) {
        const double step = judge::to_scale(column.value, better) - judge::to_scale(trend.centre, better);
        painted += terminal.paint("*", step > worst ? Tone::bad : Tone::normal);
        line += '*';
        continue;
      }
      const char c = column.changed ? ':' : row == centre_row ? '-' : ' ';
      painted += c == ' ' ? " " : terminal.paint(std::string(1, c), Tone::faint);
      line += c;
    }
    out += (terminal.colour ? painted : line.substr(0, line.find_last_not_of(' ') + 1)) + "\n";
  }
  return out + axis(trend, margin, columns);
}

}  // namespace gpugauge::report
