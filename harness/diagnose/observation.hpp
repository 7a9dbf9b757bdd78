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

/// What the key "schema" of an observation says, where it has one.
inline constexpr std::string_view observation_schema = "gpugauge.observation/1";

/// Which machine, and what its figures are compared with. "" and nullopt: not said.
struct About {
  std::string source;              ///< where it was seen: a command and its time, an address
  std::string gpu;                 ///< model name
  std::string compute_capability;  ///< "9.0"
  std::optional<int> gpus;         ///< >= 0
  std::optional<int> nodes;        ///< >= 0
  std::string compared_with;       ///< earlier, peers, expected, other_configuration
  /// What differs was looked for field by field on both sides, and all of it stands under `changed`.
  /// Otherwise that holds what somebody knows of.
  bool changed_is_all = false;

  bool operator==(const About&) const = default;  ///< Equal in every member.
};

/// A field that differs between the two sides; null where a side is not known.
struct Change {
  Value before;  ///< of the earlier or other side
  Value after;   ///< of the side that is diagnosed

  bool operator==(const Change&) const = default;  ///< Equal in every member.
};

/// What narrows a figure. "" = not narrowed.
struct Scope {
  std::string op;               ///< operation: "training", "cudaMalloc"
  std::string dtype;            ///< type of the numbers: "bf16"
  std::string layout;           ///< order in memory: "NCHW", "channels_last"
  std::string size;             ///< small, large, all
  std::optional<bool> aligned;  ///< shapes or addresses fit the fast path; nullopt = not said
  std::string library;          ///< that does the work: "cublaslt"
  std::string direction;        ///< h2d, d2h, both
  std::string gpu;              ///< model, or which of several
  std::string node;             ///< which of several
  std::string framework;        ///< "torch"
  std::string phase;            ///< one of phases
  std::string path;             ///< between devices: "nvlink", "cross_socket"

  bool operator==(const Scope&) const = default;  ///< Equal in every member.
};

/// One figure. Slowness: time after over time before, or throughput before over throughput after.
struct Metric {
  std::string metric_class;      ///< one of result::classes
  std::optional<double> factor;  ///< > 0; 1 = unchanged, 2 = twice as slow
  /// What somebody who knows the noise made of the factor: one of judgements; "" = nobody did, its size
  /// counts.
  std::string judged;
  bool fails = false;            ///< it does not run at all (factor: null in the file)
  std::optional<double> value;   ///< an absolute figure, in unit
  std::string unit;              ///< of value, any text; "" = not said
  std::optional<double> spread;  ///< coefficient of variation after, >= 0
  std::optional<bool> bimodal;   ///< two groups of values after; nullopt = not said
  Scope scope;                   ///< "" in every member: the figure of the whole class
  std::string note;  ///< in the reporter's words; "slow" and the like count where there is no factor

  bool operator==(const Metric&) const = default;  ///< Equal in every member, figures exactly.
};

/// An error that an interface returned or a program printed.
struct ErrorSeen {
  std::string api;   ///< cuda, driver, nvml, cudnn, nccl, loader, framework
  Value code;        ///< number or name; null = not known
  std::string text;  ///< as it was printed; "" = not known

  bool operator==(const ErrorSeen&) const = default;  ///< Equal in every member.
};

/// What became of a machine instruction against the other side.
struct Instruction {
  std::string instruction;  ///< as in SASS: "FFMA"
  std::string change;       ///< absent, more, less

  bool operator==(const Instruction&) const = default;  ///< Equal in every member.
};

/// What was seen of the results of an operation.
struct Numerics {
  std::string op;                        ///< "" = not said
  std::string dtype;                     ///< type of the numbers: "fp32"; "" = not said
  std::optional<double> relative_error;  ///< >= 0
  /// whether switching TF32 on or off changes the result; nullopt = not tried
  std::optional<bool> tf32_switch_changes_result;

  bool operator==(const Numerics&) const = default;  ///< Equal in every member, figures exactly.
};

/// Something that was tried. `detail` says exactly what, as name=value.
struct Probe {
  std::string name;                           ///< one of probe_names
  std::string outcome;                        ///< one of probe_outcomes
  std::string detail;                         ///< several with commas; "" = not said
  std::string by = {};                        ///< the probe of a check that measured it; "" = somebody's word
  std::optional<double> factor = {};          ///< slowness with what was tried, > 0
  std::optional<double> factor_without = {};  ///< measured beside it without what was tried, > 0

  bool operator==(const Probe&) const = default;  ///< Equal in every member.
};

/// All that was seen of one machine. Every part may be empty: not looked for.
struct Observation {
  About about;  ///< which machine, and compared with what
  /// nullopt: it is not known whether anything changed. Empty: known that nothing was changed on purpose.
  std::optional<std::map<std::string, Change>> changed;
  std::vector<Metric> metrics;  ///< in the order of the file
  /// Read during the slow work. throttle_reasons is a list.
  std::map<std::string, Value> telemetry;
  /// Compared without a figure: quantity -> higher, lower, same, differs, rises_slowly.
  std::map<std::string, std::string> moved;
  /// Flat facts of the machine by the names of inventory_keys; a null was looked for and is absent or
  /// unknown.
  std::map<std::string, Value> inventory;
  std::map<std::string, std::string> environment;  ///< variables of the process, values as they are
  /// switches of libraries and frameworks, any name: "torch.allow_tf32"
  std::map<std::string, Value> settings;
  std::vector<ErrorSeen> errors;     ///< in the order in which they were seen
  std::vector<std::string> log;      ///< lines of the kernel's, NCCL's or an application's log, as they are
  std::vector<std::string> kernels;  ///< names of GPU kernels that were seen running
  std::vector<Instruction> sass;     ///< machine code against the other side
  std::vector<Numerics> numerics;    ///< one entry an operation
  std::vector<Probe> probes;         ///< what was tried

  bool operator==(const Observation&) const = default;  ///< Equal in every member, figures exactly.
};

/// Reads an observation. Throws result::FormatError, one sentence with file, place and fault, for what is no
/// JSON, a key or word that the format does not have, a wrong type, a number out of range. `origin` names the
/// file in the sentence.
Observation parse_observation(const std::string& text, const std::string& origin);

/// JSON text that parse_observation reads back unchanged. Throws std::invalid_argument for a number that is
/// not finite.
std::string to_json(const Observation& observation);

}  // namespace gpugauge::diagnose
