#include "support/cuda/fresh_on_gpu.hpp"

#include <stdexcept>

#include "support/cuda/device.hpp"

namespace gpugauge::bench::cuda {

FreshResult run_fresh_on_gpu(Trial& trial, const FreshProcess& process) {
  try {
    return run_fresh(process);
  } catch (const std::runtime_error& error) {
    if (const auto reason = why_exclusive()) trial.skip(*reason + " (" + error.what() + ")");
    throw;
  }
}

}  // namespace gpugauge::bench::cuda
