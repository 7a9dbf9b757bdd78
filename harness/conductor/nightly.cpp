#include "conductor/nightly.hpp"

#include <algorithm>
#include <chrono>
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

/// More nights than anybody has, and a sum beyond which none grows: twice ln(365 M).
constexpr int most_nights = 100'000;
constexpr double largest_sum = 100;
/// A night's change on the gate's scale: a factor of a million.
constexpr double largest_change = 14;

double within(result::ObjectReader& reader, const char* key, double least, double most) {
  const double value = reader.number(key);
  if (!(value >= least && value <= most))
    reader.place().key(key).refuse(fmt::format("is not within {:g} to {:g}", least, most));
  return value;
}

void require_time(const std::string& text, const result::Place& place) {
  if (!result::unix_seconds(text)) place.refuse("is no time");
}

judge::WatchedSum read_sum(const nlohmann::json& value, result::Place place) {
  result::ObjectReader reader(value, std::move(place));
  judge::WatchedSum out;
  out.last = reader.text("last");
  out.nights = static_cast<int>(within(reader, "nights", 0, most_nights));
  out.sum = within(reader, "sum", 0, out.nights == 0 ? 0 : largest_sum);
  out.total = within(reader, "total", -largest_change * out.nights, largest_change * out.nights);
  out.since = reader.text("since");
  require_time(out.last, reader.place().key("last"));
  if (out.nights > 0) require_time(out.since, reader.place().key("since"));
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
  for (const auto& [metric, sum] : reader.object("sums").items())
    out[metric] = read_sum(sum, reader.place().key("sums").key(metric));
  reader.done();
  return out;
}

std::string text_of(const judge::Monitor& monitor, const result::Run& first,
                    const baseline::Baseline& baseline) {
  ordered_json sums = ordered_json::object();
  for (const auto& [metric, sum] : monitor)
    sums[metric] = {{"last", sum.last},
                    {"sum", sum.sum},
                    {"total", sum.total},
                    {"nights", sum.nights},
                    {"since", sum.since}};
  return result::dump_json({{"schema", monitor_schema},
                            {"device", first.device},
                            {"baseline", baseline.manifest.name},
                            {"sums", sums}});
}

judge::Monitor kept(const fs::path& file, std::string& problem) {
  std::error_code unknown;
  if (!fs::exists(file, unknown)) return {};
  try {
    return read_monitor(file);
  } catch (const std::exception& error) {
    problem = fmt::format("What the monitor had kept cannot be read, and it begins anew: {}.", error.what());
    return {};
  }
}

/// The last night of any metric, in seconds since 1970; nullopt where there is none.
std::optional<double> last_night(const judge::Monitor& monitor) {
  std::optional<double> out;
  for (const auto& [metric, sum] : monitor)
    if (const auto last = result::unix_seconds(sum.last); last && (!out || *last > *out)) out = last;
  return out;
}

std::optional<double> last_night(const fs::path& file) {
  try {
    return last_night(read_monitor(file));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// The kept sums other than `own`, where any was not written for a year by this machine's clock; else none.
std::vector<fs::path> others_with_an_old_one(const fs::path& folder, const fs::path& own) {
  constexpr auto a_year = std::chrono::hours(24 * 365);
  std::vector<fs::path> out;
  bool old = false;
  std::error_code none_yet;
  for (fs::directory_iterator file(folder, none_yet), end; !none_yet && file != end;
       file.increment(none_yet)) {
    std::error_code unknown;
    const auto written = fs::last_write_time(file->path(), unknown);
    if (unknown || file->path() == own || file->path().extension() != ".json" ||
        !file->is_regular_file(unknown))
      continue;
    old = old || fs::file_time_type::clock::now() - written > a_year;
    out.push_back(file->path());
  }
  return old ? out : std::vector<fs::path>();
}

/// Removes the sums whose last night is a year before one that some device had, since their device or baseline is gone.
/// Nights of the present check prove no year: its clock may be wrong. `before`: the last night in `own` before the one
/// that began at `now`.
void forget_old(const fs::path& folder, const fs::path& own, std::optional<double> before,
                std::optional<double> now) {
  if (!now) return;
  constexpr double a_year = 365.0 * 24 * 3600;
  const double earlier_check = *now - judge::least_hours_between_nights * 3600;
  double newest = before && *before <= earlier_check ? *before : 0;
  std::vector<std::pair<fs::path, double>> others;
  for (const fs::path& file : others_with_an_old_one(folder, own)) {
    const std::optional<double> last = last_night(file);
    if (!last) continue;
    others.emplace_back(file, *last);
    if (*last <= earlier_check) newest = std::max(newest, *last);
  }
  std::error_code unknown;
  for (const auto& [file, last] : others)
    if (newest - last > a_year) fs::remove(file, unknown);
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
    const judge::Night night = judge::night_of(first, baseline, policy);
    if (night.metrics.empty()) return out;
    const fs::path file = file_of(folder, first, baseline);
    baseline::refuse_links_in_state(file);
    judge::Monitor monitor = kept(file, out.problem);
    const std::string before = text_of(monitor, first, baseline);
    const std::optional<double> last = last_night(monitor);
    out.declines = judge::add_night(monitor, first.started, night);
    const std::string after = text_of(monitor, first, baseline);
    if (after == before) return out;
    baseline::keep_file(file, after);
    forget_old(folder, file, last, result::unix_seconds(first.started));
  } catch (const std::exception& error) {
    out.problem = fmt::format("What the monitor knows of this device could not be kept: {}.", error.what());
  }
  return out;
}

std::vector<judge::Decline> told_of(std::vector<judge::Decline> declines,
                                    std::span<const result::Run* const> other,
                                    const baseline::Baseline& baseline, const judge::Policy& policy,
                                    const std::vector<judge::Verdict>& verdicts) {
  if (declines.empty()) return declines;
  for (const result::Run* const round : other)
    judge::confirm(declines, judge::night_of(*round, baseline, policy));
  std::erase_if(declines, [&](const judge::Decline& decline) { return regressed(verdicts, decline.metric); });
  std::stable_sort(declines.begin(), declines.end(), [](const judge::Decline& a, const judge::Decline& b) {
    return a.change / a.tolerance > b.change / b.tolerance;
  });
  return declines;
}

}  // namespace gpugauge::conductor
