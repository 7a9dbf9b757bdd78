// `doctor --error CODE`: an error code that a program met, explained for this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/rules/rules.hpp"

namespace gpugauge::stack {

/// One code of CUDA (runtime and driver share their numbers) or of NVML.
struct ErrorAnswer {
  std::string api;                    ///< "cuda", "nvml"
  int code = 0;                       ///< as the API counts them
  std::vector<std::string> names;     ///< "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS"
  std::string meaning;                ///< what it means; "" where the tables know only its name
  std::vector<std::string> evidence;  ///< what was found here that bears on it, each with where
  std::vector<std::string> causes;    ///< usual ones, most frequent first
  std::vector<std::string> next;      ///< commands or steps, the first one first
  std::vector<Finding> findings;      ///< of this machine, that explain it or may; worst first
  std::string source;                 ///< where meaning and causes are from; "" with neither
};

/// "803", "cuda:803", "nvml:18", or a name of the headers in any case ("cudaErrorNoDevice",
/// "NVML_ERROR_GPU_IS_LOST"). A bare number is both CUDA's and NVML's where both have it. Empty where no
/// table has it. Throws result::UsageError where the text is no code and no name at all.
std::vector<ErrorAnswer> explain_errors(std::string_view word, const RuleInput& input);

/// The codes for which the answers say what they look at on a machine: a test holds this list to the tables.
struct ExplainedCode {
  std::string_view api;  ///< "cuda", "nvml"
  int code = 0;          ///< as that API counts them
};
std::vector<ExplainedCode> codes_with_evidence();

}  // namespace gpugauge::stack
