// The observation file, schema "gpugauge.observation/1": all that a diagnosis may use (docs/observation.md
// explains every key). It holds only what was seen, never a conclusion.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/value.hpp"

namespace gpugauge::diagnose {

/// Value of an observation's optional key "schema".
inline constexpr std::string_view observation_schema = "gpugauge.observation/1";

/// The machine, and what its figures are compared with. "" and nullopt mean not given.
struct About {
  std::string source;              ///< origin: a command and its time, or an address
  std::string gpu;                 ///< model name
  std::string compute_capability;  ///< "9.0"
  std::optional<int> gpus;         ///< >= 0
  std::optional<int> nodes;        ///< >= 0
  std::string compared_with;       ///< one of sides: earlier, peers, expected, other_configuration
  /// true: both sides were compared field by field, and `changed` lists every difference. false: `changed`
  /// holds only what somebody knows.
  bool changed_is_all = false;

  bool operator==(const About&) const = default;  ///< Equal in every member.
};

/// A field that differs between the two sides; null where a side is unknown.
struct Change {
  Value before;  ///< of the earlier or other side
  Value after;   ///< of the diagnosed side

  bool operator==(const Change&) const = default;  ///< Equal in every member.
};

/// What a figure is limited to. "" = not limited.
struct Scope {
  std::string op;               ///< operation: "training", "cudaMalloc"
  std::string dtype;            ///< data type: "bf16"
  std::string layout;           ///< memory layout: "NCHW", "channels_last"
  std::string size;             ///< small, large, all
  std::optional<bool> aligned;  ///< shapes or addresses fit the fast path; nullopt = not given
  std::string library;          ///< library that does the work: "cublaslt"
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
  /// How somebody who knows the noise judged the factor: one of judgements. "" = nobody did, so its size
  /// decides.
  std::string judged;
  bool fails = false;            ///< it does not run at all (factor: null in the file)
  std::optional<double> value;   ///< an absolute figure, in unit
  std::string unit;              ///< unit of value, any text; "" = not given
  std::optional<double> spread;  ///< coefficient of variation after, >= 0
  std::optional<bool> bimodal;   ///< two groups of values after; nullopt = not given
  Scope scope;                   ///< all "" = the figure of the whole class
  std::string note;              ///< reporter's words; without a factor, words such as "slow" count

  bool operator==(const Metric&) const = default;  ///< Equal in every member, figures exactly.
};

/// An error that an interface returned or a program printed.
struct ErrorSeen {
  std::string api;   ///< cuda, driver, nvml, cudnn, nccl, loader, framework
  Value code;        ///< number or name; null = unknown
  std::string text;  ///< as printed; "" = unknown

  bool operator==(const ErrorSeen&) const = default;  ///< Equal in every member.
};

/// How often a machine instruction occurs, compared with the other side.
struct Instruction {
  std::string instruction;  ///< as in SASS: "FFMA"
  std::string change;       ///< absent, more, less

  bool operator==(const Instruction&) const = default;  ///< Equal in every member.
};

/// What was seen of an operation's numerical results.
struct Numerics {
  std::string op;                        ///< "" = not given
  std::string dtype;                     ///< data type: "fp32"; "" = not given
  std::optional<double> relative_error;  ///< >= 0
  /// whether switching TF32 on or off changes the result; nullopt = not tried
  std::optional<bool> tf32_switch_changes_result;

  bool operator==(const Numerics&) const = default;  ///< Equal in every member, figures exactly.
};

/// Something that was tried. `detail` gives the specifics, as name=value.
struct Probe {
  std::string name;                   ///< one of probe_names
  std::string outcome;                ///< one of probe_outcomes
  std::string detail;                 ///< several are separated by commas; "" = not given
  std::string by = {};                ///< the `check` probe that measured it; "" = somebody reported it
  std::optional<double> factor = {};  ///< slowness with what was tried, > 0
  std::optional<double> factor_without = {};  ///< slowness measured beside it without what was tried, > 0

  bool operator==(const Probe&) const = default;  ///< Equal in every member.
};

/// All that was seen of one machine. An empty part means that nobody looked for it.
struct Observation {
  About about;  ///< which machine, and compared with what
  /// nullopt: unknown whether anything changed. Empty: known that nothing was deliberately changed.
  std::optional<std::map<std::string, Change>> changed;
  std::vector<Metric> metrics;  ///< in the order of the file
  /// Values read during the slow work. throttle_reasons is a list.
  std::map<std::string, Value> telemetry;
  /// Compared without a figure: quantity -> higher, lower, same, differs, rises_slowly.
  std::map<std::string, std::string> moved;
  /// Flat facts of the machine, by inventory_keys. A null was looked for and is absent or unknown.
  std::map<std::string, Value> inventory;
  std::map<std::string, std::string> environment;  ///< variables of the process, values unchanged
  /// switches of libraries and frameworks, any name: "torch.allow_tf32"
  std::map<std::string, Value> settings;
  std::vector<ErrorSeen> errors;     ///< in the order of occurrence
  std::vector<std::string> log;      ///< unchanged lines of the kernel's, NCCL's or an application's log
  std::vector<std::string> kernels;  ///< names of GPU kernels that ran
  std::vector<Instruction> sass;     ///< machine code compared with the other side
  std::vector<Numerics> numerics;    ///< one entry per operation
  std::vector<Probe> probes;         ///< what was tried

  bool operator==(const Observation&) const = default;  ///< Equal in every member, figures exactly.
};

/// Reads an observation. Throws result::FormatError for invalid JSON, an unknown key or word, a wrong type,
/// or a number out of range. The message is one sentence with file, place and fault; `origin` names the file.
Observation parse_observation(const std::string& text, const std::string& origin);

/// JSON text that parse_observation reads back unchanged. Throws std::invalid_argument for a number that is
/// not finite.
std::string to_json(const Observation& observation);

}  // namespace gpugauge::diagnose
