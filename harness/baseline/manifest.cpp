// The manifest of a baseline folder, schema "gpugauge.baseline/1".
#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "baseline/baseline.hpp"
#include "baseline/run_id.hpp"
#include "result/object_reader.hpp"
#include "result/time.hpp"

namespace gpugauge::baseline {
namespace {

bool is_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Entry entry_from(const nlohmann::json& value, const result::Place& place) {
  result::ObjectReader reader(value, place);
  Entry entry;
  entry.file = reader.text("file");
  entry.sha256 = reader.text("sha256");
  entry.run_id = reader.text("run_id");
  entry.boot_id = reader.text("boot_id");
  entry.started = reader.text("started");
  entry.bytes = reader.unsigned_integer("bytes");
  reader.done();
  if (!is_run_id(entry.run_id)) place.key("run_id").refuse("is no run id (26 digits and capital letters)");
  if (entry.file != "runs/" + entry.run_id + ".json")
    place.key("file").refuse(
        fmt::format("must be runs/{}.json: a baseline reaches no file outside its folder", entry.run_id));
  if (!is_digest(entry.sha256)) place.key("sha256").refuse("is no SHA-256 digest (64 lower-case hex digits)");
  return entry;
}

}  // namespace

bool is_run_id(std::string_view text) {
  return text.size() == 26 &&
         text.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
}

namespace {

/// `Rounds` are entries or runs; both hold boot and day.
template <typename Rounds>
bool few_boots_and_days(const Rounds& rounds) {
  constexpr std::size_t enough = 3;
  std::set<std::string> boots;
  std::set<std::string> days;
  for (const auto& round : rounds) {
    // Two unknown boots may be the same one, so only their days count.
    if (!round.boot_id.empty()) boots.insert(round.boot_id);
    days.insert(result::day_of(round.started));
  }
  return boots.size() < enough && days.size() < enough;
}

}  // namespace

bool Manifest::provisional() const {
  return few_boots_and_days(entries);
}

bool Baseline::provisional() const {
  return few_boots_and_days(runs);
}

std::string to_json(const Manifest& manifest) {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const Entry& entry : manifest.entries) {
    entries.push_back({{"file", entry.file},
                       {"sha256", entry.sha256},
                       {"bytes", entry.bytes},
                       {"run_id", entry.run_id},
                       {"boot_id", entry.boot_id},
                       {"started", entry.started}});
  }
  return result::dump_json({{"schema", baseline_schema},
                            {"name", manifest.name},
                            {"created", manifest.created},
                            {"key", manifest.key},
                            {"profile", manifest.profile},
                            {"device", manifest.device},
                            {"entries", entries}});
}

Manifest parse_manifest(const std::string& text, const std::string& origin) {
  const nlohmann::json value = result::parse_json(text, origin);
  result::ObjectReader reader(value, {origin, ""});
  result::require_schema(reader, baseline_schema);
  Manifest manifest;
  manifest.name = reader.text("name");
  manifest.created = reader.text("created");
  manifest.key = reader.text("key");
  manifest.profile = reader.text("profile");
  manifest.device = reader.text("device");
  std::set<std::string> ids;
  reader.each("entries", [&](const nlohmann::json& element, const result::Place& place) {
    manifest.entries.push_back(entry_from(element, place));
    if (!ids.insert(manifest.entries.back().run_id).second)
      place.key("run_id").refuse("stands in the manifest twice");
  });
  reader.done();
  if (!is_digest(manifest.key))
    reader.place().key("key").refuse("is no SHA-256 digest (64 lower-case hex digits)");
  if (manifest.entries.empty()) reader.place().key("entries").refuse("holds no run");
  return manifest;
}

}  // namespace gpugauge::baseline
