// A copy that may be shown to strangers: without what identifies the machine, its owner and its users.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

/// What the machine is called; an inventory does not hold it, its log lines may.
struct RedactNames {
  std::vector<std::string> hosts;  ///< host names, with and without domain
  std::vector<std::string> users;  ///< login names
  std::vector<std::string> homes;  ///< home folders outside of /home
};

/// This machine's and this user's; a home that is a symbolic link by both of its names.
RedactNames current_names();

/// Those that files below this root tell: /etc/hostname, and the homes of people (not of services) in
/// /etc/passwd.
RedactNames names_below(const Tree& tree);

/// Replaces serial numbers, UUIDs, machine ids, host and user names, MAC addresses and InfiniBand GUIDs, IP
/// addresses, the host part of URLs, ids of containers and folders below a home by placeholders; of variables
/// and boot options that name machines (NCCL_COMM_ID, TF_CONFIG, systemd.hostname) the whole value. The same
/// original is the same placeholder within one Redactor ("gpu-uuid-0"), so that what was equal stays equal;
/// numbers follow the first appearance. What is already redacted stays as it is. A login or host name that
/// names nobody ("ubuntu", "nvidia") stays, for it is part of other words.
class Redactor {
 public:
  /// Host and login names of less than 3 letters are left as they are: they stand in too many other words.
  explicit Redactor(const RedactNames& names = {});

  /// All items, keys kept. Findings made from the copy are redacted with it.
  Inventory inventory(const Inventory& original);
  /// Free text, by the same placeholders; also addresses.
  std::string text(std::string_view original);
  /// One path, blanks included; no addresses, because numbers in it are versions.
  std::string path(std::string_view original);
  /// A container image's name without the host of a registry that is not a public one.
  std::string image_name(std::string_view original);

 private:
  std::string placeholder(const std::string& kind, const std::string& original);
  std::string scanned(std::string_view original, bool addresses, bool path = false);
  std::string value_of(const Item& item);
  std::string folders(std::string_view value);
  std::string words_masked(const std::string& value, bool boot);
  std::string names_replaced(std::string text) const;
  void remember(const std::string& kind, const std::string& original);

  struct Known {
    std::string original;
    std::string replacement;
  };
  std::vector<Known> known_;  ///< whole words to replace wherever they stand, longest first
  std::vector<std::string> homes_;
  std::map<std::string, std::string> placeholders_;  ///< kind and original -> placeholder
  std::map<std::string, std::size_t> counts_;        ///< per kind
};

}  // namespace gpugauge::stack
