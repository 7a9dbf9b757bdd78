// The history that stands in for run files, in `gpugauge fleet` and `gpugauge fleet admit`.
#include <filesystem>

#include <fmt/format.h>

#include "cli/fleet.hpp"
#include "cli/run_files.hpp"
#include "result/counted.hpp"
#include "result/device_kind.hpp"
#include "result/error.hpp"
#include "result/future.hpp"
#include "result/time.hpp"
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
    if (result::is_host(round.device) && !round.host.empty()) round.node = "host of " + round.host;
}

store::NewestNight night_of(store::Store& history, const std::string& asked) {
  if (!asked.empty()) return {asked};
  store::NewestNight night = history.newest_night(result::utc_text(result::a_day_from_now()));
  if (night.days.empty())
    throw result::UsageError(fmt::format("the store {} holds no run yet", history.name()));
  return night;
}

std::string dated_later(const store::NewestNight& night) {
  if (night.later == 0) return "";
  return fmt::format(
      "{} dated later than now and left out (the latest is {} of {}): the clock of this machine is wrong, or "
      "that of the machine that recorded {} was.",
      result::counted(night.later, "run is", "runs are"), result::shortened(night.source), night.started,
      night.later == 1 ? "it" : "them");
}

std::string other_devices(const store::WiderNight& wider) {
  if (wider.added.empty()) return "";
  return fmt::format("Other devices were measured before that: `--night {}` takes their runs, too.",
                     wider.days);
}

}  // namespace gpugauge::cli
