// Version pinning across a fleet: a stack as a lock file, and its drift from that.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/compat/version.hpp"
#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {

inline constexpr std::string_view lock_schema = "gpugauge.lock/1";  ///< what a lock's "schema" must be

/// How a field is compared: as exact text, as a version in a range, or not at all.
enum class Match { exact, range, ignore };
const char* to_string(Match match);  ///< as in the file

/// Bounds on a version; all must hold: ">=580.65 <581". Relations are = != < <= > >=. "=580.65" also holds
/// for longer versions that begin so (580.65.06).
class VersionBounds {
 public:
  /// nullopt for an empty text, an unknown relation, or an invalid version.
  static std::optional<VersionBounds> parse(std::string_view text);
  /// True if all bounds hold. Ordering treats missing parts as 0: "<=580" does not hold for 580.65.
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
  std::string key;             ///< a key of docs/inventory.md, or a derived key of lock_value()
  std::string value;           ///< value on the node from which the lock was made
  Match match = Match::exact;  ///< ignore: the field stays in the file but is not compared
  std::string range;           ///< set if match is range

  bool operator==(const LockField&) const = default;  ///< member by member
};

/// The stack that each node of a fleet should have.
struct Lock {
  std::string created;            ///< UTC, RFC 3339
  std::vector<LockField> fields;  ///< each key once; sorted by key when read from a file

  bool operator==(const Lock&) const = default;  ///< member by member
};

/// The item for a lock's key: from the inventory, or derived for "gpu.count" and "toolkit.selected.version",
/// which no single item holds. nullopt if nobody looked.
std::optional<Item> lock_value(const Inventory& inventory, const std::string& key);

/// Pins what a fleet should share and this node has: driver, GPUs, CUDA, libraries, frameworks, container
/// toolkit, kernel and system. Leaves out what distinguishes nodes (serial numbers, UUIDs, PCI addresses).
Lock make_lock(const Inventory& inventory, std::string created);

/// JSON text (docs/schema/lock.schema.json).
std::string to_json(const Lock& lock);
/// Reads that text; `origin` names the file in error sentences. Throws result::FormatError, naming file and
/// place, for an unknown key, a field without value, or an invalid range.
Lock lock_from_json(const std::string& text, const std::string& origin);

/// How a node differs from the lock.
enum class DriftKind {
  differs,         ///< another value, or out of range
  absent,          ///< the node lacks it
  unreadable,      ///< it exists but may not be read: unknown
  not_looked_for,  ///< the inventory has no item for it: unknown
};
const char* to_string(DriftKind kind);  ///< "differs", "absent", "unreadable", "not looked for"

/// One field in which a node differs, or may differ, from the lock.
struct Drift {
  std::string key;                      ///< LockField::key
  DriftKind kind = DriftKind::differs;  ///< what was found instead of the expected value
  std::string expected;                 ///< the value, or the range
  std::string found;                    ///< "" unless differs
  std::string sentence;                 ///< key, expectation and finding, as one clause without a full stop

  bool operator==(const Drift&) const = default;  ///< member by member
};

/// The result of comparing a node with a lock.
struct LockReport {
  std::vector<Drift> drifts;   ///< `differs` and `absent`: the node deviates from the lock
  std::vector<Drift> unknown;  ///< `unreadable` and `not_looked_for`: unknown
  std::size_t compared = 0;    ///< number of fields compared, including drifts
  std::size_t ignored = 0;     ///< number of fields whose match is ignore

  /// True if nothing drifted and nothing is unknown.
  bool as_locked() const { return drifts.empty() && unknown.empty(); }
};

/// Compares field by field, in the lock's order.
LockReport verify(const Lock& lock, const Inventory& inventory);

}  // namespace gpugauge::stack
