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

/// The benchmark of our own cuBLAS that a framework's product is held against.
struct OwnProduct {
  std::string id;               ///< cublas/type/lt/shape, of the type in which the framework computed
  std::optional<double> share;  ///< the framework's speed over its speed; nullopt = it was not measured
  std::string reason;           ///< why it was not measured; beside a share: why it is slow itself. Else ""
};

/// One operation of a framework.
struct FrameworkOperation {
  std::string id;                   ///< framework/operation/type/parameters
  std::string ran_on;               ///< gpu, cpu, unknown; "" if it was not measured
  std::string evidence;             ///< how we know where it ran, or why it failed or was not measured
  std::optional<double> flops;      ///< per second, median over batches
  std::optional<double> bandwidth;  ///< byte/second, instead of flops, for operations that only move memory
  bool wrong = false;               ///< it failed or its result is wrong
  std::optional<OwnProduct> own;    ///< only of a product that ran on the GPU
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
  std::vector<std::string> remarks;                  ///< sentences on its speed beside our own cuBLAS
  std::optional<diagnose::Observation> observation;  ///< unless absent
  /// Only beside a usable GPU, unless everything ran on it and no product is far below our own cuBLAS.
  std::optional<diagnose::Diagnosis> diagnosis;
};

/// Every framework that the user asked for, and the command's outcome.
struct FrameworksReport {
  /// Path of the Python that ran them, as reported by the first framework that answered; "" unknown.
  std::string interpreter;
  std::string gpu_explanation;        ///< why no GPU is usable; "" if one is
  std::vector<Framework> frameworks;  ///< by name
  std::vector<std::string> remarks;   ///< sentences on our own cuBLAS: not measured and why, or slow itself
  judge::Outcome outcome;             ///< pass, regressed or cannot_judge
};

/// One screen: a table, then each framework's problem and the findings.
std::string draw(const FrameworksReport& report, const Terminal& terminal);
/// JSON text, schema "gpugauge.frameworks/1" (docs/schema/frameworks.schema.json).
std::string to_json(const FrameworksReport& report);

}  // namespace gpugauge::report
