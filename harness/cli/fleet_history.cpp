// The history that stands in for run files, in `gpugauge fleet` and `gpugauge fleet admit`.
#include <filesystem>

#include <fmt/format.h>

#include "cli/fleet.hpp"
#include "result/error.hpp"
#include "store/sqlite_file.hpp"

namespace gpugauge::cli {
namespace {

namespace fs = std::filesystem;

bool is_history(const std::string& location) {
  if (location.ends_with(".json")) return false;  // thousands of them may be named: none is opened twice
  if (location.find("://") != std::string::npos) return true;
  std::error_code error;
  if (store::is_connection_text(location) && !fs::exists(location, error)) return true;
  if (fs::is_directory(location, error)) return false;
  if (location.ends_with(".sqlite") || location.ends_with(".db")) return true;
  return store::begins_as_database(location);
}

}  // namespace

std::string history_among(const std::vector<std::string>& given) {
  for (const std::string& location : given) {
    if (!is_history(location)) continue;
    store::check_location(location);
    if (given.size() > 1)
      throw result::UsageError(fmt::format(
          "{} is a history, and a history is not mixed with other runs: give it alone, or give run "
          "files and folders only",
          store::without_password(location)));
    return location;
  }
  return {};
}

void name_hosts(std::vector<judge::PeerRound>& rounds) {
  for (judge::PeerRound& round : rounds)
    if (round.device == "host" && !round.host.empty()) round.node = "host of " + round.host;
}

std::string night_of(store::Store& history, const std::string& asked) {
  std::string night = asked.empty() ? history.newest_night() : asked;
  if (night.empty()) throw result::UsageError(fmt::format("the store {} holds no run yet", history.name()));
  return night;
}

std::string other_devices(const store::WiderNight& wider) {
  if (wider.added.empty()) return "";
  return fmt::format("Other devices were measured before that: `--night {}` takes their runs, too.",
                     wider.days);
}

}  // namespace gpugauge::cli
