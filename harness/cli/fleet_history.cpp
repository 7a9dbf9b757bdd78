// The history that stands in for run files, in `gpugauge fleet` and `gpugauge fleet admit`.
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "cli/fleet.hpp"
#include "result/error.hpp"

namespace gpugauge::cli {
namespace {

namespace fs = std::filesystem;

bool is_history(const std::string& location) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  if (location.ends_with(".json")) return false;  // thousands of them may be named: none is opened twice
  if (location.find("://") != std::string::npos) return true;
  std::error_code error;
  if (store::is_connection_text(location) && !fs::exists(location, error)) return true;
  if (fs::is_directory(location, error)) return false;
  if (location.ends_with(".sqlite") || location.ends_with(".db")) return true;
  // A pipe that was given as a run file is read once, and not here.
  if (!fs::is_regular_file(location, error)) return false;
  std::array<char, magic.size()> start{};
  std::ifstream file(location, std::ios::binary);
  file.read(start.data(), start.size());
  return std::string_view(start.data(), static_cast<std::size_t>(file.gcount())) == magic;
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

std::string night_of(store::Store& history, const std::string& asked) {
  std::string night = asked.empty() ? history.newest_night() : asked;
  if (night.empty()) throw result::UsageError(fmt::format("the store {} holds no run yet", history.name()));
  return night;
}

}  // namespace gpugauge::cli
