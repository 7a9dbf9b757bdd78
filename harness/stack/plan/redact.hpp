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

/// This machine's and this user's.
RedactNames current_names();

/// Replaces serial numbers, UUIDs, host and user names, MAC addresses and InfiniBand GUIDs, IP addresses and
/// folders below a home by placeholders. The same original is the same placeholder within one Redactor
/// ("gpu-uuid-0"), so that what was equal stays equal; numbers follow the first appearance. What is already
/// redacted stays as it is.
class Redactor {
 public:
  explicit Redactor(const RedactNames& names = {});

  /// All items, keys kept. Findings made from the copy are redacted with it.
  Inventory inventory(const Inventory& original);
  /// Free text, by the same placeholders; also addresses.
  std::string text(std::string_view original);

 private:
  std::string placeholder(const std::string& kind, const std::string& original);
  std::string scanned(std::string_view original, bool addresses, bool path = false);
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
