// Whose a process is that comes to this one when its parent ends.
#pragma once

#include <optional>
#include <set>
#include <string>

#include <sys/types.h>

#include "run/processes.hpp"

namespace gpugauge::run {

/// What tells a child's descendants from other orphans. Others come only where this process is the first of a
/// container, was a subreaper before, or has children that it did not start: those of the shell that became
/// this command. Elsewhere all that began after the child is its own.
class Lineage {
 public:
  Lineage();  ///< makes a mark that no other child has
  ~Lineage();
  Lineage(const Lineage&) = delete;
  Lineage& operator=(const Lineage&) = delete;

  /// Variable of the environment that carries the mark. A command that is itself a marked child hands the
  /// marks before its own down.
  static constexpr const char* variable = "GPUGAUGE_CHILD";
  const std::string& value() const { return value_; }  ///< what the child's is to be

  /// Looks at the child: at once after its start, while it has not been collected. `before`: the children
  /// that this process had.
  void begin(pid_t child, const std::set<pid_t>& before);

  /// True where the process may be the child's: it did not begin before it, and, where orphans of others may
  /// come, it is of its session or has its mark, or nobody may read which. False for what is gone.
  bool may_hold(pid_t process) const;

 private:
  std::string mark_;
  std::string value_;
  pid_t child_ = 0;
  bool others_ = true;  ///< orphans of others may come
  std::optional<double> began_;
};

/// Kills every child of this process that is not in `spared` and may be of the lineage, and collects those
/// that have ended. Returns how many are still there, at least 1 while more arrive: call again until none is,
/// because the children of a killed one arrive here only when it has ended.
int kill_adopted(const std::set<pid_t>& spared, const Lineage& lineage);

/// How many live children that is.
int count_adopted(const std::set<pid_t>& spared, const Lineage& lineage);

}  // namespace gpugauge::run
