// Earlier nights of a device for its report.
#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "report/history.hpp"
#include "result/device_kind.hpp"
#include "result/launcher.hpp"
#include "store/store.hpp"
#include "store/trend.hpp"

namespace gpugauge::cli {
namespace {

/// The devices of the store that are this one. A GPU has a UUID; a host has only its name, and where the runs
/// were stored without it, the only host that there is.
std::vector<store::Device> same_device(const std::vector<store::Device>& all, const std::string& identity) {
  std::vector<store::Device> same;
  for (const store::Device& device : all)
    if (device.identity == identity) same.push_back(device);
  const bool alone_without_name = same.size() == 1 && same.front().node.empty();
  if (!result::is_host(identity) || alone_without_name) return same;
  const std::string name = result::host_name();
  std::erase_if(same, [&](const store::Device& device) { return device.node != name; });
  return same;
}

/// What the rounds measured, each by its metrics.
using Rounds = std::vector<std::map<std::string, report::Measured>>;

Rounds rounds_of(const report::DeviceReport& device) {
  Rounds out;
  out.reserve(device.rounds.size());
  for (const result::Run& run : device.rounds) {
    out.emplace_back();
    for (report::Measured& metric : report::summarise(run)) out.back().emplace(metric.key, metric);
  }
  return out;
}

/// What the rounds of now add to a series that the store does not hold yet: all of them, since a fault that
/// begins in a later one is not seen in the first. All have the stack of the first.
void add_now(const report::DeviceReport& device, const Rounds& measured, const store::Trend& trend,
             const store::Facts& facts, report::Trend& out) {
  const auto& points = trend.series.points;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const result::Run& run = device.rounds[i];
    const auto metric = measured[i].find(out.metric);
    const bool stored = std::any_of(points.begin(), points.end(),
                                    [&](const store::Point& point) { return point.run_id == run.id; });
    if (stored || metric == measured[i].end()) continue;
    std::vector<baseline::Mismatch> different;
    if (i == 0) different = baseline::mismatches(run.fingerprint, facts(points.back().fingerprint));
    std::erase_if(different,
                  [](const baseline::Mismatch& field) { return !field.field.starts_with("stack."); });
    out.points.push_back({run.started, metric->second.value, report::cause_text(different, 3)});
  }
}

void add_trends(store::Store& store, const judge::Policy& policy, report::DeviceReport& device) {
  if (device.rounds.empty()) return;
  const store::Facts facts = [&store](std::int64_t id) -> const result::Fingerprint& {
    return store.fingerprint(id);
  };
  const std::vector<store::Device> same =
      same_device(store.devices(), store::identity_of(device.rounds.front()));
  const Rounds measured = rounds_of(device);
  const std::vector<store::Metric> metrics = store.metrics();
  const std::string profile = store::profile_of(device.rounds.front());
  for (const store::Device& known : same) {
    auto all = store.all_series(known, {});
    const int watched = store.watched(known, {});
    for (const store::Metric& metric : metrics) {
      const auto points = all.find(metric.id);
      const auto now = measured.front().find(metric.form.key);
      if (points == all.end() || now == measured.front().end() || now->second.unit != metric.form.unit)
        continue;
      for (store::Series& series : by_profile(known, metric, std::move(points->second))) {
        if (series.profile != profile) continue;
        const store::Trend found = analyse(std::move(series), watched, policy, facts);
        device.trends.push_back(report::chart_trend(found, facts));
        add_now(device, measured, found, facts, device.trends.back());
      }
    }
  }
  if (device.trends.empty())
    device.remarks.push_back(fmt::format("The store {} holds no earlier run of this device in profile {}.",
                                         store.name(), profile));
}

}  // namespace

TakeTrends trends_from(const std::string& location, const judge::Policy& policy) {
  try {
    auto store = std::make_shared<store::Store>(store::Store::open(location, store::Access::reading));
    return [store, policy](report::DeviceReport& device) { add_trends(*store, policy, device); };
  } catch (const store::OlderStore& older) {
    // The first night after an upgrade: what brings the store up to date comes after the check.
    warn(fmt::format("{}; the page shows no earlier nights", older.what()));
    return {};
  }
}

}  // namespace gpugauge::cli
