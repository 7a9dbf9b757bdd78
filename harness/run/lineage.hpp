// Decides whether an orphan that this process inherits descends from a given child.
#pragma once

#include <optional>
#include <set>
#include <string>

#include <sys/types.h>

#include "run/processes.hpp"

namespace gpugauge::run {

/// Tells a child's descendants from other orphans. Other orphans arrive only if this process is the first of
/// a container, was a subreaper before, or has children that it did not start. Such children come from the
/// shell that exec'ed this command. Otherwise every process that began after the child belongs to it.
class Lineage {
 public:
  Lineage();  ///< makes a mark that no other child has
  ~Lineage();
  Lineage(const Lineage&) = delete;
  Lineage& operator=(const Lineage&) = delete;

  /// Name of the environment variable that carries the mark. If this command is itself a marked child, its
  /// own marks are passed on as well.
  static constexpr const char* variable = "GPUGAUGE_CHILD";
  const std::string& value() const { return value_; }  ///< the child's value of the variable

  /// Records the child's start. Call it right after the start, before the child can be collected. `before`:
  /// the children this process already had.
  void begin(pid_t child, const std::set<pid_t>& before);

  /// True if the process may belong to the child. It must not have begun before the child. Where other
  /// orphans may arrive, it must also share the child's session, carry its mark, or have an unreadable
  /// environment. False if the process is gone.
  bool may_hold(pid_t process) const;

 private:
  std::string mark_;
  std::string value_;
  pid_t child_ = 0;
  bool others_ = true;  ///< orphans of others may come
  std::optional<double> began_;
};

/// Kills every child of this process that is not in `spared` and may be of the lineage, and collects those
/// that have ended. Returns how many are still there, and at least 1 while more arrive. Call it until it
/// returns 0: the children of a killed process arrive here only after that process has ended.
int kill_adopted(const std::set<pid_t>& spared, const Lineage& lineage);

/// The number of living children that kill_adopted() would kill.
int count_adopted(const std::set<pid_t>& spared, const Lineage& lineage);

}  // namespace gpugauge::run
