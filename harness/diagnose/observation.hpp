// The observation file, schema "gpugauge.observation/1": all that a diagnosis may look at
// (docs/observation.md explains every key). Only what was seen stands in it, never a conclusion.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/value.hpp"

namespace gpugauge::diagnose {

inline constexpr std::string_view observation_schema = "gpugauge.observation/1";

/// Which machine, and what its figures are compared with. "" and nullopt: not said.
struct About {
  std::string source;
  std::string gpu;                 ///< model name
  std::string compute_capability;  ///< "9.0"
  std::optional<int> gpus;         ///< >= 0
  std::optional<int> nodes;        ///< >= 0
  std::string compared_with;       ///< earlier, peers, expected, other_configuration

  bool operator==(const About&) const = default;
};

/// A field that differs between the two sides; null where a side is not known.
struct Change {
  Value before;
  Value after;

  bool operator==(const Change&) const = default;
};

/// What narrows a figure. "" = not narrowed.
struct Scope {
  std::string op;
  std::string dtype;
  std::string layout;
  std::string size;  ///< small, large, all
  std::optional<bool> aligned;
  std::string library;
  std::string direction;  ///< h2d, d2h, both
  std::string gpu;
  std::string node;
  std::string framework;
  std::string phase;  ///< one of phases
  std::string path;

  bool operator==(const Scope&) const = default;
};

/// One figure. Slowness: time after over time before, or throughput before over throughput after.
struct Metric {
  std::string metric_class;      ///< one of result::classes
  std::optional<double> factor;  ///< > 0; 1 = unchanged, 2 = twice as slow
  bool fails = false;            ///< it does not run at all (factor: null in the file)
  std::optional<double> value;   ///< an absolute figure, in unit
  std::string unit;
  std::optional<double> spread;  ///< coefficient of variation after, >= 0
  std::optional<bool> bimodal;
  Scope scope;
  std::string note;

  bool operator==(const Metric&) const = default;
};

struct ErrorSeen {
  std::string api;  ///< cuda, driver, nvml, cudnn, nccl, loader, framework
  Value code;       ///< number or name; null = not known
  std::string text;

  bool operator==(const ErrorSeen&) const = default;
};

struct Instruction {
  std::string instruction;
  std::string change;  ///< absent, more, less

  bool operator==(const Instruction&) const = default;
};

struct Numerics {
  std::string op;
  std::string dtype;
  std::optional<double> relative_error;  ///< >= 0
  std::optional<bool> tf32_switch_changes_result;

  bool operator==(const Numerics&) const = default;
};

/// Something that was tried. `detail` says exactly what, as name=value.
struct Probe {
  std::string name;
  std::string outcome;
  std::string detail;

  bool operator==(const Probe&) const = default;
};

struct Observation {
  About about;
  /// nullopt: it is not known whether anything changed. Empty: known that nothing was changed on purpose.
  std::optional<std::map<std::string, Change>> changed;
  std::vector<Metric> metrics;
  /// Read during the slow work. throttle_reasons is a list.
  std::map<std::string, Value> telemetry;
  /// Compared without a figure: quantity -> higher, lower, same, differs, rises_slowly.
  std::map<std::string, std::string> moved;
  std::map<std::string, Value> inventory;
  std::map<std::string, std::string> environment;
  std::map<std::string, Value> settings;
  std::vector<ErrorSeen> errors;
  std::vector<std::string> log;
  std::vector<std::string> kernels;
  std::vector<Instruction> sass;
  std::vector<Numerics> numerics;
  std::vector<Probe> probes;

  bool operator==(const Observation&) const = default;
};

/// Reads an observation. Throws result::FormatError, one sentence with file, place and fault, for what is no
/// JSON, a key or word that the format does not have, a wrong type, a number out of range. `origin` names the
/// file in the sentence.
Observation parse_observation(const std::string& text, const std::string& origin);

/// JSON text that parse_observation reads back unchanged. Throws std::invalid_argument for a number that is
/// not finite.
std::string to_json(const Observation& observation);

}  // namespace gpugauge::diagnose
