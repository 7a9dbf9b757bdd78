// Makes a copy for strangers, without anything that identifies the machine, its owner and its users.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stack/inventory/inventory.hpp"
#include "stack/plan/lock.hpp"
#include "stack/plan/redact_words.hpp"

namespace gpugauge::stack {

/// Names of the machine and its users. An inventory does not hold them, but its log lines may.
struct RedactNames {
  std::vector<std::string> hosts;  ///< host names, with and without domain
  std::vector<std::string> users;  ///< login names
  std::vector<std::string> homes;  ///< home folders outside /home
};

/// Names of this machine and this user. A home that is a symbolic link counts under both of its names.
RedactNames current_names();

/// Names in files below this root: /etc/hostname, and the login names and homes of people (not services) in
/// /etc/passwd.
RedactNames names_below(const Tree& tree);

/// Replaces identifying text by placeholders: serial numbers, UUIDs, machine ids, host and user names, MAC
/// addresses, InfiniBand GUIDs, IP addresses, hosts in URLs, container ids, and folders below a home.
/// Replaces the whole value of variables and boot options that name machines (NCCL_COMM_ID, TF_CONFIG,
/// systemd.hostname). Within one Redactor equal originals get equal placeholders ("gpu-uuid-0"), numbered by
/// first appearance. Text that is already redacted stays. Generic login or host names ("ubuntu", "nvidia")
/// stay, because other words contain them.
class Redactor {
 public:
  /// Ignores host and login names of fewer than 3 letters: too many other words contain them.
  explicit Redactor(const RedactNames& names = {});

  /// Redacts all items; keys stay. Rules give the same findings for the copy, redacted as it is.
  Inventory inventory(const Inventory& original);
  /// Learns what only the inventory tells, so that it is also found in sentences: serial numbers, and where
  /// homes with blanks end. inventory() calls it first.
  void learn(const Inventory& inventory);
  /// Redacts the value of that item. Names of people and machines are replaced only in items that may hold
  /// one: "RTX 6000 Ada" stays a product even if a user is called ada.
  std::string value(const std::string& key, const std::string& original);
  /// Redacts free text with the same placeholders, including addresses.
  std::string text(std::string_view original);
  /// Redacts one path, which may hold blanks. Keeps addresses, because numbers in a path are versions.
  std::string path(std::string_view original);
  /// A container image's name without the host of a private registry.
  std::string image_name(std::string_view original);

 private:
  enum class Addresses {
    none,
    marked,  ///< four numbers count as a version, except where a host name is expected
    all,
  };

  /// What to look for, in addition to text with a recognisable form.
  struct Look {
    Addresses addresses = Addresses::none;
    bool names = true;
    bool path = false;        ///< the text is one path
    bool registries = false;  ///< registry hosts of container images
  };

  std::string placeholder(const std::string& kind, const std::string& original);
  std::string uuid_placeholder(const std::string& found);
  std::string scanned(std::string_view original, const Look& look);
  std::string list_of_paths(std::string_view value);
  std::string words_masked(const std::string& value, bool boot);
  void remember(const std::string& kind, const std::string& original);
  void add_home(const std::string& folder);
  void learn_folder(std::string_view path);

  KnownWords known_;
  std::vector<std::string> homes_;                   ///< longest first
  std::set<std::string> uuids_;                      ///< of GPUs
  std::map<std::string, std::string> placeholders_;  ///< kind and original -> placeholder
  std::map<std::string, std::size_t> counts_;        ///< per kind
};

/// Redacts the names in a finished report on a node and a lock.
LockReport redacted(LockReport report, Redactor& redactor);

}  // namespace gpugauge::stack
