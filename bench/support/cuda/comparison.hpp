// What a comparing kernel found, as a verification: only a comparison that came to every element can pass.
#pragma once

#include <string>
#include <vector>

#include "kernels/support/comparison.hpp"
#include "support/cuda/resources.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cuda {

/// Where a kernel leaves its comparison.
using DeviceComparison = DeviceValue<kernels::Comparison>;

/// What is held against a tolerance: how many elements are wrong, or the largest error. Infinity for a
/// comparison that did not come to every element: that never passes.
double error_of(const kernels::Comparison& comparison);

/// " (0 of 4096 elements were compared)" for one that did not come to every element; "" otherwise.
std::string what_is_missing(const kernels::Comparison& comparison);

/// The comparisons of several buffers as one: complete where there is one at least and each of them is.
kernels::Comparison together(const std::vector<kernels::Comparison>& parts);

/// Records the check `method`: it passes when every element was compared and the largest error is within
/// `tolerance`; with none given, when no element is wrong.
void verify(Trial& trial, const std::string& method, const kernels::Comparison& comparison,
            double tolerance = 0);
/// The same, read when `stream` has come there.
void verify(Trial& trial, const std::string& method, const DeviceComparison& comparison, cudaStream_t stream,
            double tolerance = 0);

}  // namespace gpugauge::bench::cuda
