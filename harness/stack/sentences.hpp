// The paragraphs of conclude(): each is true in its state, names the evidence and ends with what to do next.
#pragma once

#include <string>

#include "stack/conclude.hpp"

namespace gpugauge::stack {

/// One sentence: what of NVIDIA's the kernel shows.
std::string found_text(const Hardware& hardware);

/// One for each state of GpuState but usable, which needs no words; conclude() says which is true.
std::string explain_no_hardware(const Evidence& evidence);
std::string explain_no_driver(const Evidence& evidence);       ///< likewise
std::string explain_no_library(const Evidence& evidence);      ///< likewise
std::string explain_driver_too_old(const Evidence& evidence);  ///< likewise
std::string explain_no_device(const Evidence& evidence);       ///< likewise
std::string explain_error(const Evidence& evidence);           ///< likewise

}  // namespace gpugauge::stack
