// The diagnosis of a device that was measured.
#pragma once

#include "report/summary.hpp"

namespace gpugauge::conductor {

/// The diagnosis of the device's observation, which must be there. Where the device is one GPU, commands of next steps
/// that hold "-i GPU" name its UUID there, so that what is pasted sets no other GPU.
diagnose::Diagnosis diagnosed(const report::DeviceReport& device);

}  // namespace gpugauge::conductor
