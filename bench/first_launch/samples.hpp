// Many fresh processes, and the median of their reports.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/fresh_process.hpp"
#include "support/scratch.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::first_launch {

/// The parts that the fresh process plays: its kernel is machine code of the executable, or PTX that it loads.
inline constexpr const char* machine_code_child = "first_launch";
inline constexpr const char* ptx_child = "first_launch_of_ptx";

/// What a fresh process reports: seconds, except for the last three.
namespace key {
inline constexpr const char* driver_start =
    "driver_start";                                ///< the driver is loaded and has counted the GPUs
inline constexpr const char* context = "context";  ///< a context is made
inline constexpr const char* first_launch = "first_launch";    ///< from launching the first kernel to its end
inline constexpr const char* second_launch = "second_launch";  ///< the same kernel again
inline constexpr const char* until_first_result =
    "until_first_result";  ///< from the first CUDA call to the first result
inline constexpr const char* wrong_values = "wrong_values";
inline constexpr const char* ptx_version = "ptx_version";  ///< 75 for code built for 7.5
inline constexpr const char* binary_version = "binary_version";
}  // namespace key

/// Makes folders that exist as long as this object.
class FreshFolders {
 public:
  /// Returns a folder that does not exist yet. Throws std::filesystem::filesystem_error.
  std::filesystem::path next();

 private:
  std::unique_ptr<result::TemporaryDirectory> parent_ = make_scratch_folder();
  int count_ = 0;
};

/// Fresh processes.
struct Sampled {
  FreshResult before;                ///< the one that counts for nothing: it brings files into memory
  std::vector<FreshResult> results;  ///< at least one
};

/// Runs one process untimed, so that its files are in memory. Then runs others until the trial's window is
/// full, at least three unless the budget ends first. Records how many ran, and that every kernel computed
/// the right values. Throws like run_fresh.
Sampled sample(Trial& trial, const std::function<FreshProcess()>& next);

/// Adds the metrics `name` (the median of `value` over the processes in seconds), `name`_p90 and `name`_p99.
/// A p90 is judged from 10 processes on and a p99 from 100; with fewer they are only recorded.
void add_times(Trial& trial, const std::vector<FreshResult>& results, const std::string& name,
               const std::string& metric_class, double resolution,
               const std::function<double(const FreshResult&)>& value);

}  // namespace gpugauge::bench::first_launch
