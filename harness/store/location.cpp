#include <algorithm>
#include <cstdlib>
#include <string>

#include "baseline/baseline.hpp"
#include "store/store.hpp"

namespace gpugauge::store {

std::string default_location(const std::string& given) {
  if (!given.empty()) return given;
  if (const char* named = std::getenv("GPUGAUGE_STORE"); named != nullptr && *named != '\0') return named;
  return (baseline::state_directory() / "history.sqlite").string();
}

std::string without_password(const std::string& location) {
  std::string out = location;
  const std::size_t scheme = out.find("://");
  if (scheme == std::string::npos) return out;
  const std::size_t from = scheme + 3;
  // The last '@': a password with a '/' or '?' that nobody escaped must not be printed either.
  const std::size_t at = out.rfind('@');
  if (at != std::string::npos && at >= from) {
    const std::size_t colon = out.find(':', from);
    if (colon < at) out.erase(colon, at - colon);
  }
  for (std::size_t found = out.find("password="); found != std::string::npos; found = out.find("password=")) {
    const std::size_t begin = found > 0 ? found - 1 : found;  // its '?' or '&'
    const std::size_t stop = std::min(out.find('&', found), out.size());
    out.erase(begin, stop - begin);
  }
  return out;
}

}  // namespace gpugauge::store
