#include "result/time.hpp"

#include <ctime>
#include <iomanip>
#include <sstream>

namespace gpugauge::result {

std::optional<double> unix_seconds(const std::string& utc) {
  std::istringstream text(utc);
  std::tm time{};
  text >> std::get_time(&time, "%Y-%m-%dT%H:%M:%S");
  if (text.fail()) return std::nullopt;
  return static_cast<double>(timegm(&time));
}

}  // namespace gpugauge::result
