#include "result/future.hpp"

#include <ctime>

#include <fmt/format.h>

#include "result/error.hpp"
#include "result/time.hpp"

namespace gpugauge::result {

double a_day_from_now() {
  constexpr double day = 86400;
  return static_cast<double>(std::time(nullptr)) + day;
}

std::string from_the_future(const std::string& what, const std::string& started) {
  const auto began = unix_seconds(started);
  if (!began || *began <= a_day_from_now()) return "";
  return fmt::format(
      "{} is dated {}, later than now: the clock of this machine is wrong, or that of the machine that "
      "recorded it was",
      what, shortened(started));
}

}  // namespace gpugauge::result
