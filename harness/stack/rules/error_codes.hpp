// `doctor --error CODE`: explains an error code of a program for this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/rules/rules.hpp"

namespace gpugauge::stack {

/// One code of CUDA (runtime and driver share their numbers) or NVML.
struct ErrorAnswer {
  std::string api;                    ///< "cuda", "nvml"
  int code = 0;                       ///< as the API counts them
  std::vector<std::string> names;     ///< "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS"
  std::string meaning;                ///< "" if the tables know only its name
  std::vector<std::string> evidence;  ///< relevant facts of this machine, each with its source
  std::vector<std::string> causes;    ///< usual causes, most frequent first
  std::vector<std::string> next;      ///< commands or steps, in order
  std::vector<Finding> findings;      ///< findings on this machine that explain it or may; worst first
  std::string source;                 ///< source of meaning and causes; "" if there are neither
};

/// Accepts "803", "cuda:803", "nvml:18", or a header's name in any case ("cudaErrorNoDevice",
/// "NVML_ERROR_GPU_IS_LOST"). A bare number means both CUDA's and NVML's, if both exist. Empty if no table
/// has it. Throws result::UsageError if the text is neither a code nor a name.
std::vector<ErrorAnswer> explain_errors(std::string_view word, const RuleInput& input);

/// A code whose answer includes evidence from the machine; a test compares the list with the tables.
struct ExplainedCode {
  std::string_view api;  ///< "cuda", "nvml"
  int code = 0;          ///< as that API counts them
};
std::vector<ExplainedCode> codes_with_evidence();

}  // namespace gpugauge::stack
