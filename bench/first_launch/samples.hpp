// Many fresh processes, and the median of their reports.
#pragma once

#include <cstddef>
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
  std::size_t planned = 0;           ///< the fewest that were to run
};

/// Processes that a benchmark runs at least, whatever its window: a median is told of three.
inline constexpr std::size_t fewest_processes = 3;

/// Runs one process untimed, so that its files are in memory. Then runs others until the trial's window is
/// full, at least `fewest` (1 to 100) unless they do not fit into the budget: see is_last_process(). Records how many
/// ran, and that every kernel computed the right values. Throws like run_fresh.
Sampled sample(Trial& trial, const std::function<FreshProcess()>& next,
               std::size_t fewest = fewest_processes);

/// Adds the metrics of times_of() for `value` over the processes, in seconds.
void add_times(Trial& trial, const Sampled& sampled, const std::string& name, const std::string& metric_class,
               double resolution, const std::function<double(const FreshResult&)>& value);

}  // namespace gpugauge::bench::first_launch
