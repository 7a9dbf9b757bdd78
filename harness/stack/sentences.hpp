// The paragraphs of conclude(): each holds in its state, names the evidence, and ends with the next step.
#pragma once

#include <string>

#include "stack/conclude.hpp"

namespace gpugauge::stack {

/// One sentence: the NVIDIA hardware and driver that the kernel shows.
std::string found_text(const Hardware& hardware);

/// One function per GpuState except usable, which needs no text; conclude() chooses. This one: no_hardware.
std::string explain_no_hardware(const Evidence& evidence);
std::string explain_no_driver(const Evidence& evidence);       ///< the text for no_driver
std::string explain_no_library(const Evidence& evidence);      ///< the text for no_library
std::string explain_driver_too_old(const Evidence& evidence);  ///< the text for driver_too_old
std::string explain_no_device(const Evidence& evidence);       ///< the text for no_device
std::string explain_error(const Evidence& evidence);           ///< the text for error

}  // namespace gpugauge::stack
