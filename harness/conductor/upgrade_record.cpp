// Reads and writes upgrade.json and finds the upgrades in the state directory.
#include "conductor/upgrade_record.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "baseline/kept_file.hpp"
#include "baseline/transfer.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::conductor {
namespace {

using nlohmann::ordered_json;
using result::ObjectReader;
using result::Place;

constexpr std::size_t record_limit = std::size_t{16} << 20;
constexpr std::array states{UpgradeState::measuring, UpgradeState::open, UpgradeState::passed,
                            UpgradeState::returned, UpgradeState::closed};

UpgradeState state_from(const std::string& text, const Place& place) {
  const auto found = std::find_if(states.begin(), states.end(),
                                  [&](UpgradeState state) { return to_string(state) == text; });
  if (found == states.end()) place.refuse("should be measuring, open, passed, returned or closed");
  return *found;
}

UpgradeDevice device_from(const nlohmann::json& value, const Place& place) {
  ObjectReader reader(value, place);
  UpgradeDevice device{reader.text("selection"), reader.text("label")};
  reader.done();
  // The selection becomes a folder name.
  if (!baseline::is_name(device.selection)) place.key("selection").refuse("names no device");
  return device;
}

UpgradeAttempt attempt_from(const nlohmann::json& value, const Place& place) {
  ObjectReader reader(value, place);
  UpgradeAttempt attempt;
  attempt.time = reader.text("time");
  const std::optional<UpgradeSide> side = side_of_attempt(reader.text("side"));
  attempt.exit_code = reader.small_integer("exit_code");
  attempt.sentence = reader.text("sentence");
  attempt.changes = reader.texts("changes");
  attempt.way_back = reader.texts("way_back");
  attempt.finished = reader.optional_boolean("finished").value_or(true);
  if (reader.optional("causes") != nullptr)
    reader.each("causes", [&](const nlohmann::json& cause, const Place& at) {
      ObjectReader one(cause, at);
      attempt.causes.push_back({one.text("selection"), one.text("cause")});
      one.done();
    });
  if (reader.optional("findings") != nullptr)
    reader.each("findings", [&](const nlohmann::json& finding, const Place& at) {
      ObjectReader one(finding, at);
      attempt.findings.push_back({one.text("selection"), one.text("cause"), one.number("score")});
      one.done();
    });
  reader.done();
  if (!side) place.key("side").refuse("should be new, returned or none");
  attempt.side = *side;
  return attempt;
}

}  // namespace

std::string_view to_string(UpgradeState state) {
  switch (state) {
    case UpgradeState::measuring:
      return "measuring";
    case UpgradeState::open:
      return "open";
    case UpgradeState::passed:
      return "passed";
    case UpgradeState::returned:
      return "returned";
    case UpgradeState::closed:
      break;
  }
  return "closed";
}

std::string_view to_string(UpgradeSide side) {
  switch (side) {
    case UpgradeSide::measuring:
      return "measuring";
    case UpgradeSide::old_stack:
      return "old";
    case UpgradeSide::new_stack:
      return "new";
    case UpgradeSide::returned:
      return "returned";
    case UpgradeSide::none:
      break;
  }
  return "none";
}

std::optional<UpgradeSide> side_of_attempt(std::string_view word) {
  for (const UpgradeSide side : {UpgradeSide::none, UpgradeSide::new_stack, UpgradeSide::returned})
    if (word == to_string(side)) return side;
  return std::nullopt;
}

std::string to_json(const UpgradeRecord& record) {
  ordered_json devices = ordered_json::array();
  for (const UpgradeDevice& device : record.devices)
    devices.push_back({{"selection", device.selection}, {"label", device.label}});
  ordered_json attempts = ordered_json::array();
  for (const UpgradeAttempt& attempt : record.attempts) {
    ordered_json causes = ordered_json::array();
    for (const UpgradeCause& cause : attempt.causes)
      causes.push_back({{"selection", cause.selection}, {"cause", cause.cause}});
    ordered_json findings = ordered_json::array();
    for (const UpgradeFinding& finding : attempt.findings)
      findings.push_back(
          {{"selection", finding.selection}, {"cause", finding.cause}, {"score", finding.score}});
    attempts.push_back({{"time", attempt.time},
                        {"side", to_string(attempt.side)},
                        {"exit_code", attempt.exit_code},
                        {"sentence", attempt.sentence},
                        {"changes", attempt.changes},
                        {"way_back", attempt.way_back},
                        {"finished", attempt.finished},
                        {"causes", std::move(causes)},
                        {"findings", std::move(findings)}});
  }
  return result::dump_json({{"schema", upgrade_schema},
                            {"name", record.name},
                            {"state", to_string(record.state)},
                            {"created", record.created},
                            {"who", record.who},
                            {"host", record.host},
                            {"machine", record.machine},
                            {"target", record.target},
                            {"root", record.root},
                            {"python", record.python},
                            {"device", record.device},
                            {"profile", record.profile},
                            {"families", record.families},
                            {"only", record.only},
                            {"rounds", record.rounds},
                            {"process_limit", record.process_limit},
                            {"devices", std::move(devices)},
                            {"attempts", std::move(attempts)},
                            {"closed", record.closed},
                            {"reason", record.reason}}) +
         "\n";
}

UpgradeRecord upgrade_from_json(const std::string& text, const std::string& origin) {
  const nlohmann::json value = result::parse_json(text, origin);
  ObjectReader reader(value, {origin, ""});
  result::require_schema(reader, upgrade_schema);
  UpgradeRecord record;
  record.name = reader.text("name");
  record.state = state_from(reader.text("state"), reader.place().key("state"));
  record.created = reader.text("created");
  record.who = reader.text("who");
  if (reader.optional("host") != nullptr)
    record.host = reader.text("host");
  else if (const std::size_t at = record.who.rfind('@'); at != std::string::npos)
    record.host = record.who.substr(at + 1);
  record.machine = reader.optional_text("machine");
  record.target = reader.text("target");
  record.root = reader.text("root");
  record.python = reader.text("python");
  record.device = reader.text("device");
  record.profile = reader.text("profile");
  record.families = reader.texts("families");
  record.only = reader.texts("only");
  const std::int64_t rounds = reader.integer("rounds");
  if (rounds < 2 || rounds > 100) reader.place().key("rounds").refuse("should be 2 to 100");
  record.rounds = static_cast<int>(rounds);
  record.process_limit = reader.optional_number("process_limit").value_or(0);
  if (record.process_limit < 0) reader.place().key("process_limit").refuse("should not be below 0");
  reader.each("devices", [&](const nlohmann::json& device, const Place& place) {
    record.devices.push_back(device_from(device, place));
  });
  reader.each("attempts", [&](const nlohmann::json& attempt, const Place& place) {
    record.attempts.push_back(attempt_from(attempt, place));
  });
  record.closed = reader.text("closed");
  record.reason = reader.text("reason");
  reader.done();
  if (!baseline::is_name(record.name)) reader.place().key("name").refuse("is no name of a folder");
  if (record.devices.empty()) reader.place().key("devices").refuse("names no device");
  return record;
}

std::vector<KeptUpgrade> list_upgrades(const std::filesystem::path& state_directory) {
  baseline::refuse_links_in_state(upgrades_folder(state_directory));
  std::vector<KeptUpgrade> out;
  for (const std::filesystem::path& folder : entries_of(upgrades_folder(state_directory))) {
    const std::filesystem::path file = folder / "upgrade.json";
    std::error_code unknown;
    const bool there = std::filesystem::exists(file, unknown);
    if (unknown)
      throw result::FileError(fmt::format("{} could not be read: {}", file.string(), unknown.message()));
    if (!there) continue;
    baseline::refuse_links_in_state(file);
    out.push_back({folder, upgrade_from_json(result::read_file(file, record_limit), file.string())});
  }
  std::sort(out.begin(), out.end(), [](const KeptUpgrade& a, const KeptUpgrade& b) {
    return std::pair(a.record.created, a.record.name) < std::pair(b.record.created, b.record.name);
  });
  return out;
}

std::optional<KeptUpgrade> open_upgrade(const std::filesystem::path& state_directory) {
  for (KeptUpgrade& kept : list_upgrades(state_directory))
    if (kept.record.is_open()) return std::move(kept);
  return std::nullopt;
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    out.push_back(entry->path());
  if (error && error != std::errc::no_such_file_or_directory)
    throw result::FileError(fmt::format("{} could not be read: {}", folder.string(), error.message()));
  std::sort(out.begin(), out.end());
  return out;
}

std::filesystem::path upgrades_folder(const std::filesystem::path& state_directory) {
  return state_directory / "upgrades";
}

std::filesystem::path upgrade_folder(const std::filesystem::path& state_directory, const std::string& name) {
  return upgrades_folder(state_directory) / name;
}

std::filesystem::path side_folder(const KeptUpgrade& kept, UpgradeSide side, const UpgradeDevice& device) {
  return kept.folder / to_string(side) / device.selection;
}

void save(const KeptUpgrade& kept) {
  baseline::keep_file(kept.folder / "upgrade.json", to_json(kept.record));
}

}  // namespace gpugauge::conductor
