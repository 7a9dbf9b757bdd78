#include "stack/plan/redact.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/inventory/lines.hpp"
#include "stack/plan/redact_scan.hpp"

namespace gpugauge::stack {
namespace {

// Shorter words stand in too many others ("a", "gpu", "vm1") to be told from them.
constexpr std::size_t name_least = 3;
constexpr std::size_t serial_least = 5;
// A longer name is one also where an underscore joins it to another word ("vg_node17").
constexpr std::size_t joined_least = 5;

// Login and host names that name nobody, and are parts of systems, packages and paths.
constexpr std::array<std::string_view, 38> nobody{
    "admin",  "administrator", "alma",   "almalinux", "amazon",    "arch",    "build",  "centos",
    "cloud",  "conda",         "cuda",   "debian",    "docker",    "fedora",  "gpu",    "guest",
    "host",   "kernel",        "linux",  "local",     "localhost", "machine", "nobody", "node",
    "nvidia", "oracle",        "python", "redhat",    "rhel",      "rocky",   "root",   "runner",
    "server", "suse",          "system", "ubuntu",    "user",      "vagrant"};

// Parts of the names of variables whose value names machines.
constexpr std::array<std::string_view, 12> machine_parts{"host",     "addr",       "uri",       "url",
                                                         "endpoint", "server",     "comm_id",   "coordinator",
                                                         "nodelist", "node_regex", "tf_config", "argv"};
// The same of boot options, whole or as the beginning that ends with a full stop.
constexpr std::array<std::string_view, 26> boot_names{"bootif",
                                                      "cloud-config-url",
                                                      "coreos.",
                                                      "cryptdevice",
                                                      "ds",
                                                      "fetch",
                                                      "hostname",
                                                      "ignition.",
                                                      "inst.",
                                                      "ip",
                                                      "iscsi_",
                                                      "ks",
                                                      "nameserver",
                                                      "nbdroot",
                                                      "netcfg/get_hostname",
                                                      "netroot",
                                                      "nfsroot",
                                                      "nvmf.",
                                                      "rd.iscsi.",
                                                      "rd.luks.",
                                                      "rd.lvm.",
                                                      "rd.md.",
                                                      "systemd.hostname",
                                                      "url",
                                                      "autoinstall",
                                                      "live-media"};

bool is_word(char c, bool underscore) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (underscore && c == '_');
}

bool names_machines(std::string_view variable) {
  const std::string low = lower(variable);
  return std::any_of(machine_parts.begin(), machine_parts.end(),
                     [&](std::string_view part) { return low.find(part) != std::string::npos; });
}

/// A disk by its place names nothing, and a UUID is found by its form; a label, a volume's name or the short
/// number of a partition table may name one.
bool is_plain_disk(std::string_view value) {
  for (const std::string_view start : {"UUID=", "PARTUUID="})
    if (value.starts_with(start)) return scan::uuid(value, start.size()) != 0;
  constexpr std::array<std::string_view, 6> plain{"/dev/sd",   "/dev/vd", "/dev/xvd",
                                                  "/dev/nvme", "/dev/md", "/dev/mmcblk"};
  return std::any_of(plain.begin(), plain.end(),
                     [&](std::string_view start) { return value.starts_with(start); });
}

bool is_boot_identity(std::string_view option, std::string_view value) {
  const std::string low = lower(option);
  if (low == "root" || low == "resume") return !is_plain_disk(value);
  return std::any_of(boot_names.begin(), boot_names.end(), [&](std::string_view name) {
    const bool beginning = name.back() == '.' || name.back() == '_';
    return beginning ? low.starts_with(name) : low == name;
  });
}

/// Items whose text may hold addresses. Elsewhere four numbers are a version (12.8.4.1).
bool may_hold_addresses(std::string_view key) {
  for (const std::string_view prefix : {"env.", "process.env.", "kernel_log.", "kernel.command_line", "file.",
                                        "host.infiniband", "container.", "driver.history."}) {
    if (key.starts_with(prefix)) return key.find("VERSION") == std::string_view::npos;
  }
  return false;
}

/// Replaces a whole word, in capitals too, wherever it stands.
std::string word_replaced(const std::string& text, const std::string& word, const std::string& by) {
  const std::string low = lower(text);
  const std::string wanted = lower(word);
  const bool underscore = word.size() < joined_least;
  std::string result;
  std::size_t start = 0;
  for (std::size_t at = low.find(wanted); at != std::string::npos; at = low.find(wanted, at)) {
    const std::size_t end = at + word.size();
    const bool whole = (at == 0 || !is_word(text[at - 1], underscore)) &&
                       (end >= text.size() || !is_word(text[end], underscore));
    if (whole) {
      result.append(text, start, at - start);
      result += by;
      start = end;
    }
    at = end;
  }
  result.append(text, start, std::string::npos);
  return result;
}

}  // namespace

Redactor::Redactor(const RedactNames& names) {
  for (const std::string& host : names.hosts) {
    remember("host", host);
    // The device mapper doubles dashes: /dev/mapper/node--17-root.
    std::string doubled;
    for (const char letter : host) doubled += letter == '-' ? std::string("--") : std::string(1, letter);
    if (doubled != host) remember("host", doubled);
  }
  for (const std::string& user : names.users) remember("user", user);
  for (const std::string& home : names.homes) {
    if (home.size() > 1 && home.front() == '/') homes_.push_back(home);
  }
  std::sort(homes_.begin(), homes_.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

std::string Redactor::placeholder(const std::string& kind, const std::string& original) {
  const auto [entry, fresh] = placeholders_.try_emplace(kind + '\0' + original);
  if (fresh) entry->second = fmt::format("{}-{}", kind, counts_[kind]++);
  return entry->second;
}

void Redactor::remember(const std::string& kind, const std::string& original) {
  if (original.size() < (kind == "gpu-serial" ? serial_least : name_least)) return;
  if (std::find(nobody.begin(), nobody.end(), lower(original)) != nobody.end()) return;
  const auto is_it = [&](const Known& one) { return one.original == original; };
  if (std::any_of(known_.begin(), known_.end(), is_it)) return;
  known_.push_back({original, placeholder(kind, original)});
  std::stable_sort(known_.begin(), known_.end(),
                   [](const Known& a, const Known& b) { return a.original.size() > b.original.size(); });
}

std::string Redactor::names_replaced(std::string text) const {
  for (const Known& one : known_) text = word_replaced(text, one.original, one.replacement);
  return text;
}

std::string Redactor::scanned(std::string_view original, bool addresses, bool path) {
  static const std::string homes = "/home";
  static const std::string root_home = "/root";
  std::string result;
  std::size_t at = 0;
  while (at < original.size()) {
    std::size_t length = 0;
    const auto found = [&](const char* kind, std::size_t size) {
      if (size == 0) return false;
      const std::string_view thing = original.substr(at, size);
      const bool mig = thing.starts_with("MIG-");
      result += placeholder(mig ? "mig-uuid" : kind, std::string(thing));
      length = size;
      return true;
    };
    bool done = false;
    if (original[at] == '/') {
      for (const std::string& home : homes_)
        done = done || found("home-folder", scan::home_folder(original, at, home, false, path));
      done = done || found("home-folder", scan::home_folder(original, at, homes, true, path)) ||
             found("home-folder", scan::home_folder(original, at, root_home, false, path)) ||
             found("home-folder", scan::home_elsewhere(original, at, path));
    } else if (const std::size_t authority = addresses ? scan::url_authority(original, at) : 0;
               authority > 0) {
      result += "://" + placeholder("address", std::string(original.substr(at + 3, authority)));
      length = authority + 3;
      done = true;
    } else {
      done = found("gpu-uuid", scan::gpu_uuid(original, at)) || found("uuid", scan::uuid(original, at)) ||
             found("container-id", scan::container_id(original, at)) ||
             found("machine-id", scan::machine_id(original, at));
      if (addresses)
        done = done || found("mac", scan::mac(original, at)) || found("guid", scan::guid(original, at)) ||
               found("ip", scan::ipv4(original, at)) || found("ip", scan::ipv6(original, at));
    }
    if (!done) {
      result += original[at];
      length = 1;
    }
    at += length;
  }
  return names_replaced(std::move(result));
}

std::string Redactor::text(std::string_view original) {
  return scanned(original, true);
}

std::string Redactor::path(std::string_view original) {
  return scanned(original, false, original.starts_with('/'));
}

std::string Redactor::image_name(std::string_view original) {
  constexpr std::array<std::string_view, 8> open{"docker.io",         "gcr.io",        "ghcr.io",
                                                 "mcr.microsoft.com", "nvcr.io",       "quay.io",
                                                 "registry.k8s.io",   "public.ecr.aws"};
  const auto slash = original.find('/');
  const std::string_view host = original.substr(0, slash == std::string_view::npos ? 0 : slash);
  const bool is_host = host.find_first_of(".:") != std::string_view::npos;
  if (!is_host || std::find(open.begin(), open.end(), host) != open.end())
    return names_replaced(std::string(original));
  return placeholder("registry", std::string(host)) + names_replaced(std::string(original.substr(slash)));
}

/// Folders joined by ':', whose names may hold blanks.
std::string Redactor::folders(std::string_view value) {
  std::string result;
  for (std::size_t start = 0; start <= value.size();) {
    const std::size_t end = std::min(value.find(':', start), value.size());
    const std::string_view folder = value.substr(start, end - start);
    result += scanned(folder, true, folder.starts_with('/'));
    if (end < value.size()) result += ':';
    start = end + 1;
  }
  return result;
}

/// Words NAME=value of a boot command line or a settings file: what names machines goes whole.
std::string Redactor::words_masked(const std::string& value, bool boot) {
  std::vector<std::string> words;
  for (const std::string_view word : words_of(value)) {
    const auto equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const bool masked = equals != std::string_view::npos && equals + 1 < word.size() &&
                        (boot ? is_boot_identity(name, word.substr(equals + 1)) : names_machines(name));
    words.push_back(
        masked ? fmt::format("{}={}", name, placeholder("address", std::string(word.substr(equals + 1))))
               : scanned(word, true));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string Redactor::value_of(const Item& item) {
  if (item.presence != Presence::present) return item.value;
  for (const std::string_view prefix : {"env.", "process.env."}) {
    const auto variable = after(item.key, prefix);
    if (variable && !item.value.empty() && names_machines(*variable))
      return placeholder("address", item.value);
    if (variable && variable->ends_with("PATH") && item.value.starts_with('/') &&
        item.value.find("://") == std::string::npos)
      return folders(item.value);
  }
  if (item.key == "kernel.command_line") return words_masked(item.value, true);
  if (item.key == "file.nccl_conf") return words_masked(item.value, false);
  return scanned(item.value, may_hold_addresses(item.key),
                 item.key.ends_with("path") && item.value.starts_with('/'));
}

Inventory Redactor::inventory(const Inventory& original) {
  // Serial numbers have no form of their own: known from their items, they are found elsewhere too.
  for (const Item& item : original.items()) {
    if (item.key.starts_with("gpu.") && item.key.ends_with(".serial") && item.presence == Presence::present &&
        !item.value.starts_with("gpu-serial-"))
      remember("gpu-serial", item.value);
  }
  Inventory copy;
  for (Item item : original.items()) {
    const bool serial = item.key.ends_with(".serial") && item.presence == Presence::present;
    if (serial && !item.value.starts_with("gpu-serial-"))
      item.value = placeholder("gpu-serial", item.value);
    else
      item.value = value_of(item);
    item.source = scanned(item.source, false, item.source.starts_with('/'));
    item.how = scanned(item.how, false);
    item.needs = scanned(item.needs, false);
    copy.add(std::move(item));
  }
  return copy;
}

}  // namespace gpugauge::stack
