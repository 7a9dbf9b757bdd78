// Shows what the frameworks of a Python did: for a person and for a program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/diagnose.hpp"
#include "judge/judge.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

inline constexpr std::string_view frameworks_schema = "gpugauge.frameworks/1";

/// One operation of a framework.
struct FrameworkOperation {
  std::string id;                   ///< framework/operation/type/parameters
  std::string ran_on;               ///< gpu, cpu, unknown; "" if it was not measured
  std::string evidence;             ///< how we know where it ran, or why it failed or was not measured
  std::optional<double> flops;      ///< per second, median over batches
  std::optional<double> bandwidth;  ///< byte/second, instead of flops, for operations that only move memory
  bool wrong = false;               ///< it failed or its result is wrong
};

/// The outcome for a framework.
enum class FrameworkState {
  absent,   ///< not installed
  on_gpu,   ///< everything ran on the GPU
  on_cpu,   ///< something ran on the processor
  unknown,  ///< where it ran could not be proved
  failed,   ///< it cannot be imported, crashed, hung, or a result is wrong
};
std::string to_string(FrameworkState state);  ///< "absent", "on_gpu", "on_cpu", "unknown", "failed".

/// One framework that the user asked for.
struct Framework {
  std::string name;                                  ///< as Python imports it: "torch"
  FrameworkState state = FrameworkState::absent;     ///< from its process and its operations
  std::string version;                               ///< "" unknown
  std::string build;                                 ///< cuda, cpu, rocm, "" unknown
  std::string cuda;                                  ///< the CUDA version it was built for; "" unknown
  std::string sentence;                              ///< what happened, one sentence
  std::vector<FrameworkOperation> operations;        ///< in execution order; empty if none ran
  std::optional<diagnose::Observation> observation;  ///< unless absent
  std::optional<diagnose::Diagnosis> diagnosis;  ///< only beside a usable GPU, unless everything ran on it
};

/// Every framework that the user asked for, and the command's outcome.
struct FrameworksReport {
  /// Path of the Python that ran them, as reported by the first framework that answered; "" unknown.
  std::string interpreter;
  std::string gpu_explanation;        ///< why no GPU is usable; "" if one is
  std::vector<Framework> frameworks;  ///< by name
  judge::Outcome outcome;             ///< pass, regressed or cannot_judge
};

/// One screen: a table, then each framework's problem and the findings.
std::string draw(const FrameworksReport& report, const Terminal& terminal);
/// JSON text, schema "gpugauge.frameworks/1" (docs/schema/frameworks.schema.json).
std::string to_json(const FrameworksReport& report);

}  // namespace gpugauge::report
