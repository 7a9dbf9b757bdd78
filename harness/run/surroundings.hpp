// What may differ for a child from what this process has: variables, and the processors that it may use.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace gpugauge::run {

/// What a child finds around it that its parent does not have.
struct Surroundings {
  std::map<std::string, std::string> set;  ///< variables, on top of what is inherited
  std::vector<std::string> unset;          ///< variables that are not inherited
  std::vector<int> processors;             ///< the only ones it may use; empty = as this process
};

/// "0-3,8" as numbers, ascending, each once; what is no number ends the list. Lists as the kernel writes
/// them.
std::vector<int> parse_processors(const std::string& list);
/// "0-3,8" for ascending numbers.
std::string processors_text(const std::vector<int>& processors);

/// Those that this thread may use, ascending; empty where the kernel does not say.
std::vector<int> allowed_processors();

/// Confines this thread, and every process that it starts, for its lifetime; then the earlier ones are put
/// back. Without processors it does nothing. Throws std::system_error where the kernel refuses, as it does
/// when the control group allows none of them.
class Confined {
 public:
  explicit Confined(const std::vector<int>& processors);  ///< numbers as the kernel counts them
  ~Confined();
  Confined(const Confined&) = delete;
  Confined& operator=(const Confined&) = delete;

 private:
  std::vector<int> earlier_;
};

/// Share of the time, 0 to 1, in which each processor had nothing to do between two readings of /proc/stat.
/// A processor that either lacks is left out, and so is one for which no time passed, or no finite time.
std::map<int, double> idle_shares(const std::string& before, const std::string& after);

}  // namespace gpugauge::run
