// Replaces identifying text in inventories by placeholders.
#include "stack/plan/redact.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/credentials.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/plan/redact_items.hpp"
#include "stack/plan/redact_scan.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t serial_least = 5;

// Parts of variable names whose values name machines, and endings of such names.
constexpr std::array<std::string_view, 12> machine_parts{"host",     "addr",       "uri",       "url",
                                                         "endpoint", "server",     "comm_id",   "coordinator",
                                                         "nodelist", "node_regex", "tf_config", "argv"};
// The same for boot options: whole names, or beginnings that end with a full stop.
constexpr std::array<std::string_view, 27> boot_names{"bootif",
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
                                                      "rd.nvmf.",
                                                      "systemd.hostname",
                                                      "url",
                                                      "autoinstall",
                                                      "live-media"};

constexpr std::array<std::string_view, 2> machine_ends{"_ip", "proxy"};

bool names_machines(std::string_view variable) {
  const std::string low = lower(variable);
  const auto ends = [&](std::string_view end) { return low.ends_with(end); };
  if (std::any_of(machine_ends.begin(), machine_ends.end(), ends)) return true;
  return std::any_of(machine_parts.begin(), machine_parts.end(),
                     [&](std::string_view part) { return low.find(part) != std::string::npos; });
}

/// True for a disk that identifies nothing: given by its place, or by a UUID, which is recognised by its
/// form. A label, a volume's name or a partition table's short number may identify a machine.
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

bool is_public_registry(std::string_view host) {
  constexpr std::array<std::string_view, 8> open{"docker.io",         "gcr.io",        "ghcr.io",
                                                 "mcr.microsoft.com", "nvcr.io",       "quay.io",
                                                 "registry.k8s.io",   "public.ecr.aws"};
  return std::find(open.begin(), open.end(), host) != open.end();
}

std::size_t private_registry(std::string_view text, std::size_t at) {
  const std::size_t length = scan::registry(text, at);
  return is_public_registry(text.substr(at, length)) ? 0 : length;
}

bool is_serial(const Item& item) {
  return item.key.ends_with(".serial") && item.presence == Presence::present &&
         !item.value.starts_with("gpu-serial-");
}

/// Length of the start that must stay: GPU errors begin with time, bus address and number, which rules read.
std::size_t plain_start(std::string_view key, std::string_view value) {
  if (!key.starts_with("kernel_log.xid.") && !key.starts_with("kernel_log.sxid.")) return 0;
  const std::vector<std::string_view> words = words_of(value);
  return words.size() < 3 ? 0 : static_cast<std::size_t>(words[2].data() + words[2].size() - value.data());
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
    if (home.size() > 1 && home.front() == '/') add_home(home);
  }
}

std::string Redactor::placeholder(const std::string& kind, const std::string& original) {
  const auto [entry, fresh] = placeholders_.try_emplace(kind + '\0' + original);
  if (fresh) entry->second = fmt::format("{}-{}", kind, counts_[kind]++);
  return entry->second;
}

void Redactor::remember(const std::string& kind, const std::string& original) {
  if (original.size() < (kind == "gpu-serial" ? serial_least : KnownWords::least)) return;
  if (!names_nobody(original)) known_.add(original, placeholder(kind, original));
}

void Redactor::add_home(const std::string& folder) {
  if (std::find(homes_.begin(), homes_.end(), folder) != homes_.end()) return;
  const auto place = std::find_if(homes_.begin(), homes_.end(),
                                  [&](const std::string& home) { return home.size() < folder.size(); });
  homes_.insert(place, folder);
}

/// A beginning gets the placeholder of the only GPU that it names, so it still names that GPU. If it fits
/// several, it gets one that names none of them.
std::string Redactor::uuid_placeholder(const std::string& found) {
  const auto fits = [&](const std::string& uuid) { return uuid.starts_with(found); };
  const auto first = std::find_if(uuids_.begin(), uuids_.end(), fits);
  if (first == uuids_.end()) return placeholder("gpu-uuid", found);
  const bool several = std::any_of(std::next(first), uuids_.end(), fits);
  return several ? placeholder("gpu-uuids", found) : placeholder("gpu-uuid", *first);
}

std::string Redactor::scanned(std::string_view original, const Look& look) {
  static const std::string homes = "/home";
  static const std::string root_home = "/root";
  const bool looks = look.addresses != Addresses::none;
  std::string result;
  std::size_t at = 0;
  std::size_t homeless = 0;
  while (at < original.size()) {
    std::size_t length = 0;
    const auto found = [&](const char* kind, std::size_t size) {
      if (size == 0) return false;
      const std::string thing(original.substr(at, size));
      if (thing.starts_with("GPU-"))
        result += uuid_placeholder(thing);
      else
        result += placeholder(thing.starts_with("MIG-") ? "mig-uuid" : kind, thing);
      length = size;
      return true;
    };
    // With `path`, the text is one path from its first character.
    const bool alone = look.path && at == 0;
    // A different placeholder, because a rule looks for relative paths.
    bool done = found("relative-home", scan::home_in_relative(original, at, alone));
    if (done) {
      // A relative path through a folder of homes begins here.
    } else if (original[at] == '/') {
      for (const std::string& home : homes_)
        done = done || found("home-folder", scan::home_folder(original, at, home, false, alone));
      done = done || found("home-folder", scan::home_folder(original, at, homes, true, alone)) ||
             found("home-folder", scan::home_folder(original, at, root_home, false, alone));
      if (!done && at >= homeless) {
        const std::size_t end = scan::end_of_path(original, at, alone);
        // No later part of this path leads through a folder of homes either.
        if (scan::person_folder(original.substr(at, end - at)) == 0) homeless = end;
        done = found("home-folder", scan::home_elsewhere(original, at, alone));
      }
    } else if (const std::size_t authority = looks ? scan::url_authority(original, at) : 0; authority > 0) {
      result += "://" + placeholder("address", std::string(original.substr(at + 3, authority)));
      length = authority + 3;
      done = true;
      const std::string_view rest = original.substr(at + length);
      if (const std::size_t home = rest.empty() ? 0 : scan::home_elsewhere(rest, 0); home > 0) {
        result += "/" + placeholder("home-folder", std::string(rest.substr(0, home)));
        length += home;
      }
    } else {
      done = found("gpu-uuid", scan::gpu_uuid(original, at)) || found("uuid", scan::uuid(original, at)) ||
             found("container-id", scan::container_id(original, at)) ||
             found("machine-id", scan::machine_id(original, at));
      if (looks)
        done = done || found("mac", scan::mac(original, at)) || found("guid", scan::guid(original, at)) ||
               found("ip", look.addresses == Addresses::all ? scan::ipv4(original, at)
                                                            : scan::marked_ipv4(original, at)) ||
               found("ip", scan::ipv6(original, at));
      if (look.registries && !done)
        done = found("registry", private_registry(original, at)) ||
               found("account", scan::cloud_account(original, at));
    }
    if (!done) {
      result += original[at];
      length = 1;
    }
    at += length;
  }
  return look.names ? known_.replaced(result) : result;
}

std::string Redactor::text(std::string_view original) {
  return scanned(original, {.addresses = Addresses::all});
}

std::string Redactor::path(std::string_view original) {
  return scanned(original, {.path = original.starts_with('/')});
}

std::string Redactor::image_name(std::string_view original) {
  const auto slash = original.find('/');
  const std::string_view host = original.substr(0, slash == std::string_view::npos ? 0 : slash);
  const bool is_host = host.find_first_of(".:") != std::string_view::npos;
  if (!is_host || is_public_registry(host)) return known_.replaced(original);
  return placeholder("registry", std::string(host)) + known_.replaced(original.substr(slash));
}

/// Redacts paths joined by ':', whose names may hold blanks.
std::string Redactor::list_of_paths(std::string_view value) {
  std::string result;
  for (std::size_t start = 0; start <= value.size();) {
    const std::size_t end = std::min(value.find(':', start), value.size());
    const std::string_view one = value.substr(start, end - start);
    result += scanned(one, {.addresses = Addresses::all, .path = one.starts_with('/'), .registries = true});
    if (end < value.size()) result += ':';
    start = end + 1;
  }
  return result;
}

/// Redacts words NAME=value of a boot command line or a settings file; values that name machines are replaced
/// whole.
std::string Redactor::words_masked(const std::string& value, bool boot) {
  std::vector<std::string> words;
  const std::string without_secrets = words_without_credentials(value);
  for (const std::string_view word : words_of(without_secrets)) {
    const auto equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const bool masked = equals != std::string_view::npos && equals + 1 < word.size() &&
                        (boot ? is_boot_identity(name, word.substr(equals + 1)) : names_machines(name));
    if (masked)
      words.push_back(
          fmt::format("{}={}", name, placeholder("address", std::string(word.substr(equals + 1)))));
    else if (boot || equals == std::string_view::npos)
      words.push_back(scanned(word, {.addresses = Addresses::all}));
    else  // rules recognise a setting by its name
      words.push_back(
          fmt::format("{}={}", name, scanned(word.substr(equals + 1), {.addresses = Addresses::all})));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string Redactor::value(const std::string& key, const std::string& original) {
  const std::string variable(variable_of(key));
  if (!original.empty() && may_be_secret(variable)) return withheld_value;
  if (!variable.empty() && !original.empty() && names_machines(variable))
    return placeholder("address", original);
  const bool begins = original.starts_with('/');
  if (is_list_of_paths(key) && begins && original.find("://") == std::string::npos)
    return list_of_paths(original);
  if (key == "kernel.command_line") return words_masked(original, true);
  if (key == "file.nccl_conf") return words_masked(original, false);
  const Addresses addresses = key.ends_with(".import.outcome") ? Addresses::marked
                              : may_hold_addresses(key)        ? Addresses::all
                                                               : Addresses::none;
  Look look{addresses, may_hold_names(key), begins && is_one_path(key), !variable.empty()};
  const std::string text = key.starts_with("kernel_log.") ? without_credentials(original)
                           : addresses != Addresses::none ? words_without_credentials(original)
                                                          : original;
  const std::size_t plain = plain_start(key, text);
  std::string result = scanned(std::string_view(text).substr(plain), look);
  if (plain == 0) return result;
  look.names = false;
  return scanned(std::string_view(text).substr(0, plain), look) + result;
}

void Redactor::learn(const Inventory& inventory) {
  for (const Item& item : inventory.items()) {
    if (item.presence != Presence::present) continue;
    // Serial numbers have no recognisable form; learn them from their items to find them elsewhere.
    if (is_serial(item)) remember("gpu-serial", item.value);
    if (item.key.starts_with("gpu.") && item.key.ends_with(".uuid")) uuids_.insert(item.value);
    if (is_list_of_paths(item.key)) {
      std::string_view rest = item.value;
      for (std::size_t end = rest.find(':'); end != std::string_view::npos; end = rest.find(':')) {
        learn_folder(rest.substr(0, end));
        rest.remove_prefix(end + 1);
      }
      learn_folder(rest);
    } else if (is_one_path(item.key)) {
      learn_folder(item.value);
    }
  }
}

/// Learns a home folder with blanks. In a sentence it would end at the blank; only a value shows its full
/// length.
void Redactor::learn_folder(std::string_view path) {
  const std::size_t person = path.starts_with('/') ? scan::person_folder(path) : 0;
  if (person == 0) return;
  // A library's file name stays.
  if (const std::size_t slash = path.rfind('/'); slash >= person && mentions(path.substr(slash), ".so"))
    path = path.substr(0, slash);
  if (!scan::ends_in_text(path)) return;
  add_home(std::string(path));
  if (scan::ends_in_text(path.substr(0, person))) add_home(std::string(path.substr(0, person)));
}

Inventory Redactor::inventory(const Inventory& original) {
  learn(original);
  Inventory copy;
  for (Item item : original.items()) {
    if (item.presence == Presence::present)
      item.value = is_serial(item) ? placeholder("gpu-serial", item.value) : value(item.key, item.value);
    item.source = path(item.source);
    // A rule uses this to look a wheel up. Four numbers are a version here, except for a proxy in a command
    // line.
    const bool command = item.key.starts_with("driver.history.");
    item.how = scanned(words_without_credentials(item.how),
                       {.addresses = command ? Addresses::marked : Addresses::none,
                        .names = !item.how.starts_with("Requires-Dist of ")});
    item.needs = text(words_without_credentials(item.needs));
    copy.add(std::move(item));
  }
  return copy;
}

}  // namespace gpugauge::stack
