#include "conductor/host_identity.hpp"

#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "baseline/digest.hpp"
#include "baseline/fields.hpp"
#include "result/facts.hpp"

namespace gpugauge::conductor {
namespace {

constexpr std::string_view salt = "gpugauge host identity 1";
constexpr std::string_view machine_salt = "gpugauge machine 1";
constexpr std::size_t digits_kept = 16;

/// Rejects "uninitialized", which images contain until their first boot.
bool is_machine_id(std::string_view text) {
  constexpr std::size_t digits = 32;
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

void add_host_identity(const stack::Tree& tree, result::Fingerprint& fingerprint) {
  const std::string id = tree.read("/etc/machine-id").text;
  const std::string name = tree.read("/proc/sys/kernel/hostname").text;
  if (result::fact(fingerprint.settings, "host.container") != "none" || !is_machine_id(id) || name.empty())
    return;
  const std::string hash = baseline::sha256(fmt::format("{}\n{}\n{}\n", salt, id, name));
  fingerprint.device.insert_or_assign(std::string(baseline::host_identity_fact), hash.substr(0, digits_kept));
}

std::string node_name(const stack::Tree& tree) {
  // The kernel tells whoever reads below another root the reader's own name.
  if (tree.live()) return tree.read("/proc/sys/kernel/hostname").text;
  std::istringstream lines(tree.read("/etc/hostname").text);
  for (std::string line; std::getline(lines, line);)  // hostname(5): the first that is no remark
    if (!line.empty() && line.front() != '#') return line;
  return "";
}

HostHere host_here(const stack::Tree& tree, bool in_container) {
  HostHere out;
  out.name = tree.read("/proc/sys/kernel/hostname").text;
  const std::string id = tree.read("/etc/machine-id").text;
  if (!in_container && is_machine_id(id))
    out.machine = baseline::sha256(fmt::format("{}\n{}\n", machine_salt, id)).substr(0, digits_kept);
  return out;
}

}  // namespace gpugauge::conductor
