// Many fresh processes, and the median of what they found.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "support/fresh_process.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::first_launch {

inline constexpr const char* child_name = "first_launch";

/// What a fresh process reports: seconds, but for the last three.
namespace key {
inline constexpr const char* driver_start =
    "driver_start";                                ///< the driver is loaded and has counted the GPUs
inline constexpr const char* context = "context";  ///< a context is made
inline constexpr const char* first_launch =
    "first_launch";  ///< launching the first kernel until it has ended
inline constexpr const char* second_launch = "second_launch";            ///< the same kernel again
inline constexpr const char* until_first_result = "until_first_result";  ///< from the first CUDA call on
inline constexpr const char* wrong_values = "wrong_values";
inline constexpr const char* ptx_version = "ptx_version";  ///< 75 for code that was made for 7.5
inline constexpr const char* binary_version = "binary_version";
}  // namespace key

/// A folder that is there as long as its owner. Throws std::filesystem::filesystem_error.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }
  /// A folder in it that does not exist yet.
  std::filesystem::path fresh();

 private:
  std::filesystem::path path_;
  int count_ = 0;
};

/// Runs one process untimed, so that its files are in memory, and then others until the trial's window is
/// full: three at the least, unless the budget ends first. Records how many, and that every kernel computed
/// the right values. Throws like run_fresh.
std::vector<FreshResult> sample(Trial& trial, const std::function<FreshProcess()>& next);

/// Adds `name`, the median of `value` over the processes in seconds, and `name`_p99, which is judged from a
/// hundred processes on and recorded before.
void add_times(Trial& trial, const std::vector<FreshResult>& results, const std::string& name,
               const std::string& metric_class, double resolution,
               const std::function<double(const FreshResult&)>& value);

}  // namespace gpugauge::bench::first_launch
