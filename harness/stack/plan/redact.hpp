// A copy that may be shown to strangers: without what identifies the machine, its owner and its users.
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

/// What the machine is called; an inventory does not hold it, its log lines may.
struct RedactNames {
  std::vector<std::string> hosts;  ///< host names, with and without domain
  std::vector<std::string> users;  ///< login names
  std::vector<std::string> homes;  ///< home folders outside of /home
};

/// This machine's and this user's; a home that is a symbolic link by both of its names.
RedactNames current_names();

/// Those that files below this root tell: /etc/hostname, and the login names and homes of people (not of
/// services) in /etc/passwd.
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

  /// All items, keys kept. Findings made from the copy are redacted with it, and are those of the original.
  Inventory inventory(const Inventory& original);
  /// What the inventory alone tells, so that it is found in sentences too: serial numbers, and how far homes
  /// with blanks go. inventory() begins with it.
  void learn(const Inventory& inventory);
  /// The value of that item. Names of people and machines go only where an item may hold one: "RTX 6000 Ada"
  /// stays a product though a user is called ada.
  std::string value(const std::string& key, const std::string& original);
  /// Free text, by the same placeholders; also addresses.
  std::string text(std::string_view original);
  /// One path, blanks included; no addresses, because numbers in it are versions.
  std::string path(std::string_view original);
  /// A container image's name without the host of a registry that is not a public one.
  std::string image_name(std::string_view original);

 private:
  enum class Addresses {
    none,
    marked,  ///< four numbers are a version, but where a host stands
    all,
  };

  /// What is looked for beside what has a form of its own.
  struct Look {
    Addresses addresses = Addresses::none;
    bool names = true;
    bool path = false;        ///< the text is one path
    bool registries = false;  ///< hosts that containers' images come from
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

/// A node against a lock, judged before: what its sentences name goes.
LockReport redacted(LockReport report, Redactor& redactor);

}  // namespace gpugauge::stack
