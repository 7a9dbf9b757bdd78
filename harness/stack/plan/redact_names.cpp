// Collects the names of a machine and its users, which redaction must know first.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <pwd.h>
#include <unistd.h>

#include "result/launcher.hpp"
#include "result/number.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/plan/redact.hpp"

namespace gpugauge::stack {
namespace {

void add_host(RedactNames& names, const std::string& full) {
  if (full.empty()) return;
  names.hosts.push_back(full);
  if (const auto dot = full.find('.'); dot != std::string::npos) names.hosts.push_back(full.substr(0, dot));
}

/// Adds a home under its usual and its resolved path: library paths are resolved.
void add_home(RedactNames& names, const std::string& home) {
  if (home.empty()) return;
  names.homes.push_back(home);
  std::error_code error;
  const std::string real = std::filesystem::canonical(home, error).string();
  if (!error && real != home) names.homes.push_back(real);
}

/// Adds the user of a line in /etc/passwd if it is a person. Services have their home in a system folder.
void add_person(RedactNames& names, std::string_view line) {
  constexpr int first_person = 1000;
  constexpr int nobodys = 65534;
  std::vector<std::string_view> fields;
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find(':', start), line.size());
    fields.push_back(line.substr(start, end - start));
    start = end + 1;
  }
  if (fields.size() < 6) return;
  const int uid = result::number_in<int>(fields[2]).value_or(0);
  if (uid < first_person || uid == nobodys) return;
  const std::string_view home = fields[5];
  constexpr std::array<std::string_view, 9> system{"/usr", "/lib", "/proc", "/sys",        "/dev",
                                                   "/etc", "/bin", "/run",  "/nonexistent"};
  const bool of_system = std::any_of(system.begin(), system.end(), [&](std::string_view folder) {
    return home == folder || (home.starts_with(folder) && home[folder.size()] == '/');
  });
  if (of_system) return;
  names.users.emplace_back(fields[0]);
  const bool deep = home.size() > 1 && home.front() == '/' && home.find('/', 1) != std::string_view::npos;
  if (deep) names.homes.emplace_back(home);
}

}  // namespace

RedactNames names_below(const Tree& tree) {
  RedactNames names;
  add_host(names, tree.read("/etc/hostname", 256).text);
  for_each_line(tree.read("/etc/passwd").text, [&](std::string_view line) { add_person(names, line); });
  return names;
}

RedactNames current_names() {
  RedactNames names;
  add_host(names, result::host_name());
  for (const char* const variable : {"SUDO_USER", "LOGNAME", "USER"}) {
    const char* const user = std::getenv(variable);
    if (user != nullptr && *user != '\0') names.users.emplace_back(user);
  }
  if (const char* const home = std::getenv("HOME"); home != nullptr) add_home(names, home);
  // The entry is read at once, and only one thread of this command looks names up.
  if (const passwd* user = getpwuid(getuid())) {  // NOLINT(concurrency-mt-unsafe)
    if (user->pw_name != nullptr && getuid() != 0) names.users.emplace_back(user->pw_name);
    if (user->pw_dir != nullptr) add_home(names, user->pw_dir);
  }
  return names;
}

}  // namespace gpugauge::stack
