// Finds the store's location and hides passwords in locations and messages.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "baseline/baseline.hpp"
#include "result/error.hpp"
#include "result/text.hpp"
#include "store/store.hpp"

namespace gpugauge::store {
namespace {

constexpr std::string_view scheme_end = "://";
constexpr std::string_view withheld = "withheld";

/// Decodes percent encoding as libpq may have done; keeps an invalid sequence.
std::string decoded(std::string_view text) {
  const auto digit = [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0
               ? c - '0'
               : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10;
  };
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool pair = text[at] == '%' && at + 2 < text.size() &&
                      std::isxdigit(static_cast<unsigned char>(text[at + 1])) != 0 &&
                      std::isxdigit(static_cast<unsigned char>(text[at + 2])) != 0;
    out += pair ? static_cast<char>(digit(text[at + 1]) * 16 + digit(text[at + 2])) : text[at];
    at += pair ? 2 : 0;
  }
  return out;
}

/// Adds the whole text, and its parts between URL delimiters: an unescaped password is split at these.
void add_secret(std::string_view text, std::vector<std::string>& secrets) {
  constexpr std::string_view dividers = "/?@:&=#,[]%+ ";
  secrets.emplace_back(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(dividers, at), text.size());
    secrets.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
}

/// A location in printable form, and the parts left out of it.
struct Masked {
  std::string name;
  std::vector<std::string> secrets;
};

/// Removes what follows a ':' in a host and is no port: it is a password whose '@' is missing.
std::string masked_hosts(std::string_view hosts, Masked& out) {
  std::string kept;
  for (std::size_t at = 0; at <= hosts.size();) {
    const std::size_t end = std::min(hosts.find(',', at), hosts.size());
    const std::string_view host = hosts.substr(at, end - at);
    if (at > 0) kept += ',';
    at = end + 1;
    const std::size_t bracket = host.rfind(']');
    const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
    const bool port = colon == std::string_view::npos ||
                      host.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
    kept += port ? host : host.substr(0, colon);
    if (port) continue;
    add_secret(hosts.substr(static_cast<std::size_t>(host.data() - hosts.data()) + colon + 1), out.secrets);
    break;  // the rest may belong to the password
  }
  return kept;
}

/// Keeps only the parameters after '?' that say where and as whom, as written.
std::string masked_parameters(std::string_view query, Masked& out) {
  constexpr std::array<std::string_view, 5> shown{"host=", "port=", "dbname=", "user=", "sslmode="};
  std::string kept;
  for (std::size_t at = 0; at <= query.size();) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    const std::string_view parameter = query.substr(at, end - at);
    at = end + 1;
    const auto is_start = [&](std::string_view name) { return parameter.starts_with(name); };
    if (std::any_of(shown.begin(), shown.end(), is_start)) {
      kept += kept.empty() ? '?' : '&';
      kept += parameter;
    } else if (const std::size_t equals = parameter.find('='); equals != std::string_view::npos) {
      add_secret(parameter.substr(equals + 1), out.secrets);
    } else if (!parameter.empty()) {
      add_secret(parameter, out.secrets);
    }
  }
  return kept;
}

/// Length of user and password after the scheme, up to an '@'; 0 if there is none. A password may hold an
/// unescaped '/' or '?', so the last '@' ends it. npos if that '@' may belong to a parameter.
std::size_t end_of_user(std::string_view rest) {
  const std::size_t last = rest.rfind('@');
  const std::size_t path = std::min(rest.find_first_of("/?"), rest.size());
  if (last == std::string_view::npos || last < path) return last == std::string_view::npos ? 0 : last;
  if (rest.find_first_of(":@") > path) return 0;  // it belongs to the path or a parameter
  return rest.find('?') < last ? std::string_view::npos : last;
}

Masked masked(const std::string& location) {
  Masked out{location, {}};
  const std::size_t scheme = location.find(scheme_end);
  if (scheme == std::string::npos) {
    const bool may_hold_one =
        location.find("password") != std::string::npos || location.starts_with("postgres");
    if (may_hold_one && is_connection_text(location)) out = {std::string(withheld), {location}};
    return out;
  }
  const std::size_t from = scheme + scheme_end.size();
  out.name = location.substr(0, from);
  std::string_view rest = std::string_view(location).substr(from);
  const std::size_t end = end_of_user(rest);
  const bool unclear = end == std::string_view::npos;
  if (unclear || end > 0) {
    const std::string_view whole = rest.substr(0, end);
    const std::string_view user = whole.substr(0, whole.find_first_of(unclear ? ":@" : ":"));
    if (user.size() < whole.size()) add_secret(whole.substr(user.size() + 1), out.secrets);
    out.name += user;
    if (unclear) return out;
    out.name += '@';
    rest.remove_prefix(end + 1);
  }
  const std::size_t path = std::min(rest.find_first_of("/?"), rest.size());
  const std::size_t query = std::min(rest.find('?'), rest.size());
  const std::string hosts = masked_hosts(rest.substr(0, path), out);
  out.name += hosts;
  // Without a port, the path may be the end of a password.
  const std::string_view database = rest.substr(path, query - path);
  if (hosts.size() == path)
    out.name += database;
  else
    add_secret(database, out.secrets);
  if (query < rest.size()) out.name += masked_parameters(rest.substr(query + 1), out);
  return out;
}

/// Replaces by `withheld` each quoted text that is in the location but not in its printed form.
void withhold_quoted(std::string& text, const std::string& location, const std::string& name) {
  const auto holds = [](const std::string& where, const std::string& what) {
    return where.find(what) != std::string::npos || decoded(where).find(what) != std::string::npos;
  };
  for (std::size_t open = text.find('"'); open != std::string::npos;) {
    const std::size_t close = text.find('"', open + 1);
    if (close == std::string::npos) return;
    const std::string quoted = text.substr(open + 1, close - open - 1);
    const bool secret = !quoted.empty() && holds(location, quoted) && !holds(name, quoted);
    if (secret) text.replace(open + 1, quoted.size(), withheld);
    open = text.find('"', open + (secret ? withheld.size() : quoted.size()) + 2);
  }
}

}  // namespace

std::string default_location(const std::string& given) {
  if (!given.empty()) return given;
  if (const char* named = std::getenv("GPUGAUGE_STORE"); named != nullptr && *named != '\0') return named;
  return (baseline::state_directory() / "history.sqlite").string();
}

std::string without_password(const std::string& location) {
  return masked(location).name;
}

std::string without_secrets_of(const std::string& location, std::string text) {
  constexpr std::size_t telling = 3;  // shorter ones occur in many words; in quotes they are found anyway
  Masked place = masked(location);
  if (place.name == location) return text;
  text = result::replaced(std::move(text), location, place.name);
  for (std::size_t i = place.secrets.size(); i-- > 0;) place.secrets.push_back(decoded(place.secrets[i]));
  std::sort(place.secrets.begin(), place.secrets.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  for (const std::string& secret : place.secrets)
    if (secret.size() >= telling && place.name.find(secret) == std::string::npos)
      text = result::replaced(std::move(text), secret, withheld);
  withhold_quoted(text, location, place.name);
  return text;
}

bool is_connection_text(const std::string& location) {
  constexpr std::string_view blanks = " \t\r\n";
  if (location.find(scheme_end) != std::string::npos) return false;
  if (location.starts_with("postgresql:") || location.starts_with("postgres:")) return true;
  const std::size_t word = std::min(location.find_first_not_of(blanks), location.size());
  std::size_t end = word;
  while (end < location.size() &&
         (std::isalnum(static_cast<unsigned char>(location[end])) != 0 || location[end] == '_'))
    ++end;
  const std::size_t equals = location.find_first_not_of(blanks, end);
  return end > word && equals != std::string::npos && location[equals] == '=';
}

void check_location(const std::string& location) {
  if (is_connection_text(location))
    throw result::UsageError(
        "libpq's keywords are not taken as a store: write postgresql://user@host/database, with the password "
        "in ~/.pgpass or PGPASSWORD; a file whose name begins like a keyword (x=) is given as ./NAME");
}

}  // namespace gpugauge::store
