#include "conductor/nightly.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "baseline/digest.hpp"
#include "baseline/kept_file.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/object_reader.hpp"
#include "result/time.hpp"

namespace gpugauge::conductor {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::string_view monitor_schema = "gpugauge.monitor/1";
/// Sums of more metrics than any suite has are no larger.
constexpr std::size_t largest_monitor = std::size_t{4} << 20;

/// One file for each device and baseline: what a night is held against decides what it says.
fs::path file_of(const fs::path& folder, const result::Run& first, const baseline::Baseline& baseline) {
  std::string pinned = first.device + "\n";
  for (const baseline::Entry& entry : baseline.manifest.entries) pinned += entry.sha256 + "\n";
  return folder / (baseline::sha256(pinned).substr(0, 16) + ".json");
}

double finite(result::ObjectReader& reader, const char* key) {
  const double value = reader.number(key);
  if (!std::isfinite(value)) reader.place().key(key).refuse("is not finite");
  return value;
}

judge::WatchedSum read_sum(const nlohmann::json& value, result::Place place) {
  result::ObjectReader reader(value, std::move(place));
  judge::WatchedSum out;
  out.sum = finite(reader, "sum");
  out.total = finite(reader, "total");
  out.nights = reader.small_integer("nights");
  out.since = reader.text("since");
  if (out.nights < 1) reader.place().key("nights").refuse("is less than 1");
  if (!result::unix_seconds(out.since)) reader.place().key("since").refuse("is no time");
  reader.done();
  return out;
}

judge::Monitor read_monitor(const fs::path& file) {
  const std::string origin = file.string();
  const nlohmann::json root = result::parse_json(result::read_file(file, largest_monitor), origin);
  result::ObjectReader reader(root, {origin, ""});
  result::require_schema(reader, monitor_schema);
  judge::Monitor out;
  reader.text("device");
  reader.text("baseline");
  out.last = reader.text("last");
  if (!result::unix_seconds(out.last)) reader.place().key("last").refuse("is no time");
  for (const auto& [metric, sum] : reader.object("sums").items())
    out.sums[metric] = read_sum(sum, reader.place().key("sums").key(metric));
  reader.done();
  return out;
}

std::string text_of(const judge::Monitor& monitor, const result::Run& first,
                    const baseline::Baseline& baseline) {
  ordered_json sums = ordered_json::object();
  for (const auto& [metric, sum] : monitor.sums)
    sums[metric] = {{"sum", sum.sum}, {"total", sum.total}, {"nights", sum.nights}, {"since", sum.since}};
  return result::dump_json({{"schema", monitor_schema},
                            {"device", first.device},
                            {"baseline", baseline.manifest.name},
                            {"last", monitor.last},
                            {"sums", sums}});
}

judge::Monitor kept(const fs::path& file, std::string& problem) {
  std::error_code unknown;
  if (!fs::exists(file, unknown)) return {};
  try {
    return read_monitor(file);
  } catch (const result::FormatError& error) {
    problem = fmt::format("What the monitor had kept cannot be read, and it begins anew: {}.", error.what());
    return {};
  }
}

bool regressed(const std::vector<judge::Verdict>& verdicts, const std::string& metric) {
  return std::any_of(verdicts.begin(), verdicts.end(), [&](const judge::Verdict& verdict) {
    return verdict.metric == metric && verdict.kind == judge::VerdictKind::regressed;
  });
}

}  // namespace

Nightly add_to_nights(const fs::path& folder, const result::Run& first, const baseline::Baseline& baseline,
                      const judge::Policy& policy) {
  Nightly out;
  if (!first.complete) return out;
  try {
    const std::vector<judge::WatchedNight> night = judge::watched_night(first, baseline, policy);
    if (night.empty()) return out;
    const fs::path file = file_of(folder, first, baseline);
    baseline::refuse_links_in_state(file);
    judge::Monitor monitor = kept(file, out.problem);
    const std::string before = monitor.last;
    out.declines = judge::add_night(monitor, first.started, night);
    if (monitor.last != before) baseline::keep_file(file, text_of(monitor, first, baseline));
  } catch (const std::exception& error) {
    out.problem = fmt::format("What the monitor knows of this device could not be kept: {}.", error.what());
  }
  return out;
}

std::vector<judge::Decline> told_of(std::vector<judge::Decline> declines,
                                    const std::vector<result::Run>& rounds,
                                    const baseline::Baseline& baseline, const judge::Policy& policy,
                                    const std::vector<judge::Verdict>& verdicts) {
  if (!declines.empty() && rounds.size() > 1)
    judge::confirm(declines, judge::watched_night(rounds[1], baseline, policy));
  std::erase_if(declines, [&](const judge::Decline& decline) { return regressed(verdicts, decline.metric); });
  std::stable_sort(declines.begin(), declines.end(), [](const judge::Decline& a, const judge::Decline& b) {
    return a.change / a.tolerance > b.change / b.tolerance;
  });
  return declines;
}

}  // namespace gpugauge::conductor
