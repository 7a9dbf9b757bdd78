#include "support/cuda/comparison.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/gemm/library_tolerance.hpp"

namespace gpugauge::bench::cuda {

double error_of(const kernels::Comparison& comparison) {
  if (!comparison.complete()) return HUGE_VAL;
  return comparison.wrong > 0 ? static_cast<double>(comparison.wrong) : comparison.error;
}

std::string what_is_missing(const kernels::Comparison& comparison) {
  if (comparison.complete()) return "";
  return fmt::format(" ({} of {} elements were compared)", comparison.compared, comparison.elements);
}

kernels::Comparison together(const std::vector<kernels::Comparison>& parts) {
  kernels::Comparison all;
  for (const kernels::Comparison& part : parts) {
    all.elements += part.elements;
    all.compared += part.compared;
    all.wrong += part.wrong;
    all.error = std::max(all.error, part.error);
  }
  if (!std::all_of(parts.begin(), parts.end(), [](const auto& part) { return part.complete(); }))
    all.compared = 0;
  return all;
}

void note_numerics(Trial& trial, const kernels::Comparison& comparison, const std::string& suffix) {
  if (comparison.complete())
    trial.note("numerics" + suffix, kernels::gemm::numerics_of(error_of(comparison)));
}

void verify(Trial& trial, const std::string& method, const kernels::Comparison& comparison,
            double tolerance) {
  trial.verify(method + what_is_missing(comparison), error_of(comparison), tolerance);
}

void verify(Trial& trial, const std::string& method, const DeviceComparison& comparison, cudaStream_t stream,
            double tolerance) {
  verify(trial, method, comparison.read(stream), tolerance);
}

}  // namespace gpugauge::bench::cuda
