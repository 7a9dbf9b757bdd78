// A stack as a lock, and what drifted from it: version pinning across a fleet.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/compat/version.hpp"
#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

inline constexpr std::string_view lock_schema = "gpugauge.lock/1";  ///< what a lock's "schema" must be

/// How a field is compared: exact text, a version within bounds, or not at all.
enum class Match { exact, range, ignore };
const char* to_string(Match match);  ///< as it stands in the file

/// Bounds on a version that all have to hold: ">=580.65 <581". Relations are = != < <= > >=; "=580.65" also
/// holds for what begins so (580.65.06).
class VersionBounds {
 public:
  /// nullopt for an empty text, an unknown relation, and what is no version.
  static std::optional<VersionBounds> parse(std::string_view text);
  /// All of them. An order counts what was not written as 0: "<=580" does not hold for 580.65.
  bool hold(const Version& version) const;

 private:
  struct Bound {
    std::string relation;
    Version version;
  };
  std::vector<Bound> bounds_;
};

/// One pinned fact.
struct LockField {
  std::string key;             ///< of docs/inventory.md, or a derived one of lock_value()
  std::string value;           ///< what the node had that the lock was made from
  Match match = Match::exact;  ///< ignore: the field stays in the file and is not compared
  std::string range;           ///< where match is range

  bool operator==(const LockField&) const = default;  ///< member by member
};

/// What each node of a fleet should have.
struct Lock {
  std::string created;            ///< UTC, RFC 3339
  std::vector<LockField> fields;  ///< each key once; of a file sorted by key

  bool operator==(const Lock&) const = default;  ///< member by member
};

/// The item behind a lock's key: the inventory's own, or one of the derived keys "gpu.count" and
/// "toolkit.selected.version", which no single item holds. nullopt where nobody looked.
std::optional<Item> lock_value(const Inventory& inventory, const std::string& key);

/// Pins what a fleet should have alike and what is present: driver, GPUs, CUDA, libraries, frameworks,
/// container toolkit, kernel and system. What tells nodes apart (serial numbers, UUIDs, PCI addresses) is
/// left out.
Lock make_lock(const Inventory& inventory, std::string created);

/// docs/schema/lock.schema.json, and back. Reading throws result::FormatError, naming file and place: an
/// unknown key, a field without value, a range that is none.
std::string to_json(const Lock& lock);
/// The other way; `origin` names the file in error sentences.
Lock lock_from_json(const std::string& text, const std::string& origin);

/// In which way a node is not as the lock says.
enum class DriftKind {
  differs,         ///< another value, or outside of the range
  absent,          ///< the node does not have it
  unreadable,      ///< it is there and may not be read: nothing is known
  not_looked_for,  ///< the inventory is silent about it: nothing is known
};
const char* to_string(DriftKind kind);  ///< "differs", "absent", "unreadable", "not looked for"

/// One field in which a node is not, or may not be, as the lock says.
struct Drift {
  std::string key;                      ///< LockField::key
  DriftKind kind = DriftKind::differs;  ///< what was found in place of the expected value
  std::string expected;                 ///< the value, or the range
  std::string found;                    ///< "" unless differs
  std::string sentence;  ///< key, expectation and what was found, as one clause without a full stop

  bool operator==(const Drift&) const = default;  ///< member by member
};

/// A node against a lock.
struct LockReport {
  std::vector<Drift> drifts;   ///< differs and absent: the node is not as the lock says
  std::vector<Drift> unknown;  ///< unreadable and not looked for: it cannot be said
  std::size_t compared = 0;    ///< fields that were compared, drifts among them
  std::size_t ignored = 0;     ///< fields whose match is ignore

  /// Nothing drifted and nothing is unknown.
  bool as_locked() const { return drifts.empty() && unknown.empty(); }
};

/// Field by field, in the lock's order.
LockReport verify(const Lock& lock, const Inventory& inventory);

}  // namespace gpugauge::stack
