// Decides when to stop starting processes. On a hung GPU every process runs into its time limit, which costs
// minutes each.
#pragma once

#include <map>
#include <string>

namespace gpugauge::run {

/// Counts the processes of one run that ran past their time limit.
class Hangs {
 public:
  /// `limit_seconds`: the time limit of a process, for the sentences.
  explicit Hangs(double limit_seconds) : limit_seconds_(limit_seconds) {}

  /// A process of this family has ended, by its time limit or otherwise.
  void ended(const std::string& family, bool timed_out);

  /// One sentence saying why no further process of the family is started: two of its processes ran past the
  /// limit, or the last three of any family did. "" when another may start.
  std::string why_not(const std::string& family) const;

 private:
  double limit_seconds_;
  std::map<std::string, int> of_family_;
  int in_a_row_ = 0;
};

}  // namespace gpugauge::run
