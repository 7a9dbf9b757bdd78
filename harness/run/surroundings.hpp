// How a child's surroundings may differ from this process's: variables, and the processors it may use.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace gpugauge::run {

/// The child's differences from its parent.
struct Surroundings {
  std::map<std::string, std::string> set;  ///< variables, on top of what is inherited
  std::vector<std::string> unset;          ///< variables that are not inherited
  std::vector<int> processors;             ///< the only ones it may use; empty = as this process
};

/// The processors that this thread may use, ascending; empty if the kernel does not say.
std::vector<int> allowed_processors();

/// Confines this thread, and every process it starts, to the given processors. The destructor restores the
/// earlier set. Does nothing for an empty list. Throws std::system_error if the kernel refuses, for instance
/// because the control group allows none of them.
class Confined {
 public:
  explicit Confined(const std::vector<int>& processors);  ///< numbers as the kernel counts them
  ~Confined();
  Confined(const Confined&) = delete;
  Confined& operator=(const Confined&) = delete;

 private:
  std::vector<int> earlier_;
};

/// The share of time, 0 to 1, that each processor was idle between two readings of /proc/stat. Leaves out a
/// processor that either reading lacks, and one whose elapsed time is 0 or not finite.
std::map<int, double> idle_shares(const std::string& before, const std::string& after);

}  // namespace gpugauge::run
