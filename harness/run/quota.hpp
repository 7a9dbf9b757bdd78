// A control group with a processor quota, made for one child and removed afterwards.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include <sys/types.h>

namespace gpugauge::run {

/// Thrown when no such group can be made here; what() is one clause without a full stop.
class QuotaRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;  ///< what() is the clause
};

/// The group lies below this process's own group; its name holds this process's id. No other group's limits
/// change. Supports cgroup versions 1 and 2. Version 2 gives controllers only below a group without
/// processes. If this process is alone in its group, it therefore moves into a second new group meanwhile,
/// and then back.
class Quota {
 public:
  /// `processors` is the quota in processors, > 0. Throws QuotaRefused. `root` is a prefix of /proc and /sys,
  /// for tests.
  explicit Quota(double processors, const std::filesystem::path& root = "/");
  /// Removes the group. Waits up to two seconds for processes in it that are ending.
  ~Quota();
  Quota(const Quota&) = delete;
  Quota& operator=(const Quota&) = delete;

  /// The folder through which a child enters the group.
  const std::filesystem::path& folder() const { return folder_; }

  /// Removes the group now. Returns "" or a clause saying why it is still there.
  std::string remove();

 private:
  void give_controller(const std::filesystem::path& above);
  void step_aside(const std::filesystem::path& above);

  std::filesystem::path folder_;
  std::filesystem::path above_;  ///< version 2: the group whose children we gave the controller; empty = none
  std::filesystem::path beside_;  ///< version 2: where this process is meanwhile; empty = where it was
};

/// Removes groups that a killed command left: those with our name below this process's group that are empty
/// and whose process is gone. Leaves others alone. Returns how many were removed.
int remove_abandoned_quotas(const std::filesystem::path& root = "/");

}  // namespace gpugauge::run
