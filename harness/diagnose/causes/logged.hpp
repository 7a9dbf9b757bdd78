// What tables and figures in a log show: rows of nvidia-smi, lists of processors, rates of runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/seen.hpp"

namespace gpugauge::diagnose {

/// One row that nvidia-smi printed in a loop; nullopt where its table has no such column.
struct SmiRow {
  std::size_t line = 0;                ///< which line of the log
  std::optional<double> gpu = {};      ///< index
  std::optional<double> power = {};    ///< W
  std::optional<double> clock = {};    ///< MHz, of the multiprocessors
  std::optional<double> most = {};     ///< MHz, the highest that the clock may reach
  std::optional<double> busy = {};     ///< percent
  std::optional<double> pstate = {};   ///< 8 of P8
  std::optional<double> reasons = {};  ///< bits of the reasons for a lower clock
};

/// The rows of `nvidia-smi dmon` and of `nvidia-smi --query-gpu=... --format=csv`, of which the header or the
/// command stands in the log.
std::vector<SmiRow> smi_rows(const Seen& seen);

/// The clock is low after an idle row and rises while the GPU is busy.
Fact clock_rises_from_idle(const Seen& seen);
/// In a log of numbered calls the one behind a pause takes longer than the one before it.
Fact slower_behind_pause(const Seen& seen);
/// Two GPUs are as busy at the same clock without a reason, and one draws far less power.
Fact draws_less_at_same_clock(const Seen& seen);
/// The clock was reset or set, and a busy GPU without a reason is as far below it as before.
Fact clock_set_in_vain(const Seen& seen);
/// The processors that a process may use are none of those that nvidia-smi names for the GPU.
Fact runs_beside_gpus_processors(const Seen& seen);
/// The same copy is faster behind numactl or taskset.
Fact copies_faster_bound(const Seen& seen);

/// What a line measures, higher is better: the last figure with a unit of rate or time, or the bus bandwidth
/// of a row of nccl-tests.
std::optional<double> rate_of(std::string_view line);

/// A run of one program that a log gives under a version.
struct LoggedRun {
  std::string version;  ///< as the line writes it
  double rate = 0;      ///< rate_of() of its first line that has one
};

/// The runs behind lines that give this label and a version ("Driver Version: 470.82.01"), in their order;
/// none where the lines come from several hosts.
std::vector<LoggedRun> logged_runs(const Seen& seen, std::string_view label);
/// A later run has another version and is slower than the first.
Fact slower_under_later_version(const std::vector<LoggedRun>& runs, std::string_view component);
/// Behind that, a run with the first version is as fast as the first again.
Fact faster_again_under_first(const std::vector<LoggedRun>& runs, std::string_view component);

}  // namespace gpugauge::diagnose
