// A control group with a processor quota, made for one child and removed after it.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include <sys/types.h>

namespace gpugauge::run {

/// Why no such group can be made here: one clause without a full stop.
class QuotaRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;  ///< from the clause
};

/// Lives below the group that this process is in, under a name that holds this process's id, and touches no
/// other group's limits. Version 1 and 2; version 2 gives controllers only to groups below one that holds no
/// process: where this process is alone in its group it steps into another new one meanwhile, and back.
class Quota {
 public:
  /// `processors` is the quota in processors, > 0. Throws QuotaRefused. `root` is a prefix of /proc and /sys,
  /// for tests.
  explicit Quota(double processors, const std::filesystem::path& root = "/");
  /// Removes it, and waits for at most two seconds for processes in it that are ending.
  ~Quota();
  Quota(const Quota&) = delete;
  Quota& operator=(const Quota&) = delete;

  const std::filesystem::path& folder() const { return folder_; }  ///< where a child enters it

  /// Removes it now. "" or, as a clause, why it is still there.
  std::string remove();

 private:
  void give_controller(const std::filesystem::path& above);
  void step_aside(const std::filesystem::path& above);

  std::filesystem::path folder_;
  std::filesystem::path above_;   ///< version 2: whose children were given the controller; empty = by others
  std::filesystem::path beside_;  ///< version 2: where this process is meanwhile; empty = where it was
};

/// Removes groups that a command left that was killed: those of our name below this process's group whose
/// process is gone and that hold none. Others are left alone. Returns how many went.
int remove_abandoned_quotas(const std::filesystem::path& root = "/");

}  // namespace gpugauge::run
