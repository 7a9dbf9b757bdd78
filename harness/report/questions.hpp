// Answers to "would it work?": a plan of versions, a container image, a binary; and to "what is this error?"
#pragma once

#include <string>
#include <vector>

#include "report/terminal.hpp"
#include "stack/plan/binary.hpp"
#include "stack/plan/image_env.hpp"
#include "stack/plan/plan.hpp"
#include "stack/rules/error_codes.hpp"

namespace gpugauge::report {

/// A binary, and what becomes of it on each compute capability that was asked about.
struct BinaryAnswers {
  stack::BinaryReport report;             ///< what the file says
  std::vector<stack::RunAnswer> answers;  ///< one a compute capability; empty where none was asked about
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
/// Of the worst answer; 3 where it cannot be told, or there was nothing to ask about.
int exit_code(const BinaryAnswers& binary);

}  // namespace gpugauge::report
