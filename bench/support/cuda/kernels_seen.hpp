// Which kernels an operation really launched, by CUPTI's activity records, in a pass of its own that is not
// timed. CUPTI is opened at run time: where it is missing, or refuses, the result says so and nothing else
// changes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace gpugauge::bench {
class Trial;
}

namespace gpugauge::bench::cuda {

/// What CUPTI saw; either names or why there are none.
struct KernelsSeen {
  std::vector<std::string> names;  ///< demangled, without repeats, in the order of their first launch
  std::string unknown_because;     ///< why there are none: "libcupti.so.13 not found"
};

/// Runs `operation`, which enqueues work on `stream`, once under CUPTI and waits for it. Call it after all of
/// a benchmark's timed windows and verifications: CUPTI is attached for this call only, and what `trial`
/// holds is kept before it, should CUPTI end the process. With GPUGAUGE_KERNEL_NAMES=off in the environment
/// nothing is run and CUPTI is never opened. Throws what `operation` throws.
KernelsSeen kernels_of(const Trial& trial, cudaStream_t stream,
                       const std::function<void(cudaStream_t)>& operation);

/// Keeps them in the notes: "kernel" (the names, joined with "; "), "kernel_path" (tensor, simt, unknown)
/// and "kernel_architecture"; or "kernel_unknown" with the reason. `suffix` ends each of these keys: "_best"
/// for another candidate than the first.
void note_kernels(Trial& trial, const KernelsSeen& seen, const std::string& suffix = "");

/// The same of what kernels_of() sees of `operation`.
void note_kernels(Trial& trial, cudaStream_t stream, const std::function<void(cudaStream_t)>& operation,
                  const std::string& suffix = "");

}  // namespace gpugauge::bench::cuda
