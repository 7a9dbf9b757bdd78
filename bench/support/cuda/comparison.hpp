// Turns a comparing kernel's result into a verification. Only a comparison that reached every element can
// pass.
#pragma once

#include <string>
#include <vector>

#include "kernels/support/comparison.hpp"
#include "support/cuda/resources.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cuda {

/// Device memory for a kernel's comparison.
using DeviceComparison = DeviceValue<kernels::Comparison>;

/// The error to hold against a tolerance: the number of wrong elements, or the largest error. Infinity, which
/// never passes, for a comparison that did not reach every element.
double error_of(const kernels::Comparison& comparison);

/// Returns for example " (0 of 4096 elements were compared)" for a comparison that did not reach every
/// element; "" otherwise.
std::string what_is_missing(const kernels::Comparison& comparison);

/// Merges the comparisons of several buffers. The result is complete when there is at least one and each is
/// complete.
kernels::Comparison together(const std::vector<kernels::Comparison>& parts);

/// Notes which arithmetic the error of sums of fp32 products tells of, as "numerics" with `suffix`
/// (Candidates::suffix): "fp32" or "tf32". Notes nothing for a comparison that did not reach every element.
void note_numerics(Trial& trial, const kernels::Comparison& comparison, const std::string& suffix);

/// Records the check `method`. It passes when every element was compared and the largest error is within
/// `tolerance`. With tolerance 0, no element may be wrong.
void verify(Trial& trial, const std::string& method, const kernels::Comparison& comparison,
            double tolerance = 0);
/// Waits for `stream`, reads the comparison and records it as above.
void verify(Trial& trial, const std::string& method, const DeviceComparison& comparison, cudaStream_t stream,
            double tolerance = 0);

}  // namespace gpugauge::bench::cuda
