// GPU telemetry. NVML is asked in a separate process, so that a hanging driver costs only the telemetry.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/run_file.hpp"
#include "run/child.hpp"

namespace gpugauge::run {

// The child is telemetry_main (runner.hpp). It writes lines {"gpus": [{"uuid": "GPU-...", "sm_clock_hz":
// 1.98e9, ...}]} with one key per quantity that NVML answers, or once {"error": "one sentence"}. It exits
// with 0 when its reader is gone, and on SIGTERM after a last line with the GPUs' health. It exits with 1
// after an error.

/// A quantity that a line may hold, and its unit.
struct GpuQuantity {
  std::string_view name;  ///< key of a line, and name of the series
  std::string_view unit;  ///< one of result::units
};
/// Every quantity that becomes a series; other keys of a line are ignored.
const std::vector<GpuQuantity>& gpu_quantities();

/// The contents of one line from the child.
struct TelemetryLine {
  /// One quantity of one GPU.
  struct Value {
    std::string uuid;  ///< letters, digits and '-', 1 to 96 characters
    std::string name;  ///< a key of the line, of gpu_quantities() or another
    double value = 0;  ///< finite, in the quantity's unit
  };
  std::vector<Value> values;  ///< ordered by GPU
  std::string lost;           ///< UUID of the first GPU that NVML reports lost; "" = none
  /// why there is no telemetry, one line; the other members are then empty
  std::optional<std::string> error;
};
/// Reads a line; nullopt for any other format.
std::optional<TelemetryLine> parse_telemetry_line(const std::string& line);

/// Starts the child and collects its lines as series of source "gpu:<UUID>".
class GpuTelemetry {
 public:
  /// The command to start, and how long its silence is tolerated.
  struct Options {
    Command command;                  ///< writes the lines above to its standard output
    double first_answer_seconds = 5;  ///< gives up if there is no first line within this time
    double before_work_seconds = 3;   ///< how long the first family waits for the first line
    double silence_seconds = 10;      ///< adds a remark if the silence at the end exceeds this
  };
  /// `now` gives the time since the run's start.
  GpuTelemetry(Loop& loop, Options options, std::function<double()> now);

  /// Ends the child and waits at most 2 s. A child that has answered before is asked once more first.
  void finish();
  /// True while the child is running.
  bool alive() const { return !child_->ended(); }
  /// Waits for the first line, which says who else uses the GPUs, at most Options::before_work_seconds or until
  /// `or_until()` holds. To be called before the first family is started. What comes later of it is dropped: it
  /// would count our own processes.
  void await_before_work(const std::function<bool()>& or_until = [] { return false; });
  /// Processor seconds used by the child so far; 0 when it has ended.
  double cpu_seconds() const;
  /// All series so far, with times since the run's start; empty before the first line.
  const std::vector<result::Series>& series() const { return series_; }
  /// Why there is no telemetry, or why it ended early, one sentence; else "".
  const std::string& remark() const { return remark_; }

 private:
  void receive(std::string_view bytes);
  void read_line(const std::string& line);
  void add(const std::string& uuid, const std::string& name, double value, double seconds);
  void fail(std::string remark);

  Loop& loop_;
  Options options_;
  std::function<double()> now_;
  std::string pending_;
  double last_answer_ = -1;
  std::vector<result::Series> series_;
  std::string remark_;
  bool reading_ = true;
  bool work_began_ = false;
  Timer patience_;
  std::optional<Child> child_;
};

/// The command line with which this command asks itself for telemetry: "probe telemetry --interval 0.5".
Command telemetry_command();

}  // namespace gpugauge::run
