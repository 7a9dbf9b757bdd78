// GPU telemetry: NVML is asked in a process of its own, so that a driver that hangs costs only the telemetry.
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

// The child is telemetry_main (runner.hpp). Its lines are {"gpus": [{"uuid": "GPU-...",
// "sm_clock_hz": 1.98e9, ...}]} with a key for each quantity that NVML answers, or once {"error": "one
// sentence"}. It ends with 0 when its reader is gone, and on SIGTERM after a last line that says how healthy
// the GPUs are; with 1 after an error.

/// A quantity that a line may hold, and its unit.
struct GpuQuantity {
  std::string_view name;  ///< key of a line, and name of the series
  std::string_view unit;  ///< one of result::units
};
/// Every quantity that makes a series; other keys of a line are passed over.
const std::vector<GpuQuantity>& gpu_quantities();

/// What one line of the child says.
struct TelemetryLine {
  /// One quantity of one GPU.
  struct Value {
    std::string uuid;  ///< letters, digits and '-', 1 to 96 of them
    std::string name;  ///< a key of the line, of gpu_quantities() or another
    double value = 0;  ///< finite, in the quantity's unit
  };
  std::vector<Value> values;         ///< in the order of the GPUs
  std::string lost;                  ///< UUID of the first GPU that NVML calls lost; "" = none
  std::optional<std::string> error;  ///< why there is no telemetry, on one line; nothing else is set then
};
/// Reads a line; nullopt for what is none of the above.
std::optional<TelemetryLine> parse_telemetry_line(const std::string& line);

/// Starts the child and collects its lines as series of source "gpu:<UUID>".
class GpuTelemetry {
 public:
  /// What is started, and how long its silence is borne.
  struct Options {
    Command command;                  ///< what prints the lines above on its standard output
    double first_answer_seconds = 5;  ///< silence at the start is given up on after this
    double silence_seconds = 10;      ///< silence at the end is remarked upon after this
  };
  /// `now` gives the time since the run's start.
  GpuTelemetry(Loop& loop, Options options, std::function<double()> now);

  /// Ends the child, of which one that answered is asked once more first; waits at most two seconds.
  void finish();
  /// Holds while the child is there.
  bool alive() const { return !child_->ended(); }
  /// Processor seconds the child has used until now; 0 when it has ended.
  double cpu_seconds() const;
  /// What has come until now, with times since the run's start; empty before the first line.
  const std::vector<result::Series>& series() const { return series_; }
  /// "" or one sentence: why there is no telemetry, or why it ended early.
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
  Timer patience_;
  std::optional<Child> child_;
};

/// How this command asks itself for telemetry: "probe telemetry --interval 0.5".
Command telemetry_command();

}  // namespace gpugauge::run
