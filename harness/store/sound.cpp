// Checks stored content: a file may have been changed without our writers.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "result/error.hpp"
#include "result/json_cursor.hpp"
#include "result/time.hpp"
#include "store/database.hpp"
#include "store/sqlite_session.hpp"

namespace gpugauge::store {
namespace {

/// Checks text that std::from_chars accepted: JSON allows neither ".5" nor "1." nor "01".
bool is_json_number(std::string_view text) {
  const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  const std::size_t point = text.find('.');
  return digit(0) && !(text[0] == '0' && digit(1)) && (point == std::string_view::npos || digit(point + 1));
}

}  // namespace

double sound_median(double median) {
  if (!std::isfinite(median) || median <= 0) throw std::out_of_range(fmt::format("a median of {}", median));
  return median;
}

judge::VerdictKind sound_health(const std::string& word) {
  using judge::VerdictKind;
  const auto kind = judge::verdict_kind(word);
  if (kind == VerdictKind::ok || kind == VerdictKind::failed || kind == VerdictKind::inconclusive)
    return *kind;
  throw std::out_of_range("a verdict on health that is none");
}

std::vector<double> sound_values(std::string_view text) {
  std::vector<double> out;
  const char* at = text.data();
  const char* const end = at + text.size();
  bool sound = text.size() > 1 && text.front() == '[' && text.back() == ']';
  for (++at; sound && text.size() > 2;) {
    double value = 0;
    const auto [stop, error] = std::from_chars(at, end - 1, value);
    sound = error == std::errc() && std::isfinite(value) && value > 0 && out.size() < most_values &&
            is_json_number({at, stop});
    out.push_back(value);
    if (stop == end - 1) break;
    sound = sound && *stop == ',';
    at = stop + 1;
  }
  if (!sound) throw std::out_of_range("values that are no array of numbers above 0");
  return out;
}

std::vector<std::string> sound_names(const std::string& text) {
  std::vector<std::string> out;
  try {
    result::JsonCursor in(text, "names");
    in.read(out);
    in.end();
  } catch (const result::FormatError&) {
    throw std::out_of_range("names that are no array of texts");
  }
  if (!std::is_sorted(out.begin(), out.end())) throw std::out_of_range("names that are not sorted");
  return out;
}

const std::string& sound_time(const std::string& time) {
  if (result::utc_time(time) != time) throw std::out_of_range("a time that is none");
  return time;
}

void require_sound_runs(Database& database) {
  database.guarded([&] {
    std::optional<TimeLimit> limit;
    if (!database.postgresql()) limit.emplace(database.sql());
    const std::string first = "0", last = end_of_time;
    long long runs = 0;
    database.sql() << "SELECT count(*) FROM run WHERE started < :first OR started >= :last", soci::use(first),
        soci::use(last), soci::into(runs);
    if (runs > 0) throw std::out_of_range("a time that is none");
    // Jumps from one device to the next in the index, which require_own_file has checked: there are many
    // runs.
    database.sql()
        << "WITH RECURSIVE measured (device) AS (SELECT min(device) FROM run UNION ALL SELECT (SELECT "
           "min(r.device) FROM run r WHERE r.device > measured.device) FROM measured WHERE "
           "measured.device IS NOT NULL) SELECT count(*) FROM measured WHERE device IS NOT NULL AND "
           "device NOT IN (SELECT id FROM device)",
        soci::into(runs);
    if (runs > 0) throw std::out_of_range("runs of a device that is missing");
  });
}

}  // namespace gpugauge::store
