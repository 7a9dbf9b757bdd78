// Answers "would it work?" for a plan of versions, a container image or a binary, and "what is this error?".
#pragma once

#include <string>
#include <vector>

#include "report/terminal.hpp"
#include "stack/plan/binary.hpp"
#include "stack/plan/image_env.hpp"
#include "stack/plan/plan.hpp"
#include "stack/rules/error_codes.hpp"

namespace gpugauge::report {

/// A binary, and whether it runs on each compute capability asked about.
struct BinaryAnswers {
  stack::BinaryReport report;             ///< what the file says
  std::vector<stack::RunAnswer> answers;  ///< one per compute capability; empty if none was asked about
};

std::string draw(const stack::PlanReport& plan, const Terminal& terminal);
std::string draw(const stack::ImageReport& image, const Terminal& terminal);
std::string draw(const BinaryAnswers& binary, const Terminal& terminal);
std::string draw(const std::vector<stack::ErrorAnswer>& answers, const Terminal& terminal);

/// {"schema": "gpugauge.plan/1" | "gpugauge.image/1" | "gpugauge.binary/1" | "gpugauge.error/1", ...}
std::string to_json(const stack::PlanReport& plan);
std::string to_json(const stack::ImageReport& image);
std::string to_json(const BinaryAnswers& binary);
std::string to_json(const std::vector<stack::ErrorAnswer>& answers);

/// 0: it works, perhaps with limits; 1: it does not; 3: unknown.
int exit_code(stack::Fit fit);
/// Code of the worst answer; 3 if it is unknown or nothing was asked.
int exit_code(const BinaryAnswers& binary);

}  // namespace gpugauge::report
