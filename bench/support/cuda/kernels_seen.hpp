// Finds which kernels an operation really launched, from CUPTI's activity records, in a separate untimed
// pass. CUPTI is opened at run time. Where it is missing or refuses, the result says so and nothing else
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

/// What CUPTI recorded: either names, or the reason why there are none.
struct KernelsSeen {
  std::vector<std::string> names;  ///< demangled, without repeats, in the order of their first launch
  std::string unknown_because;     ///< why there are none: "libcupti.so.13 not found"
};

/// Runs `operation`, which enqueues work on `stream`, once under CUPTI and waits for it. Call it after all
/// timed windows and verifications of a benchmark: CUPTI is attached only for this call. `trial` is kept
/// before it, in case CUPTI ends the process. With GPUGAUGE_KERNEL_NAMES=off in the environment nothing runs
/// and CUPTI is never opened. Throws what `operation` throws.
KernelsSeen kernels_of(const Trial& trial, cudaStream_t stream,
                       const std::function<void(cudaStream_t)>& operation);

/// Adds the notes "kernel" (the names, joined with "; "), "kernel_path" (tensor, simt, unknown) and
/// "kernel_architecture"; or "kernel_unknown" with the reason. `suffix` is appended to each key: "_best" for
/// a candidate other than the first.
void note_kernels(Trial& trial, const KernelsSeen& seen, const std::string& suffix = "");

/// Notes what kernels_of() finds for `operation`.
void note_kernels(Trial& trial, cudaStream_t stream, const std::function<void(cudaStream_t)>& operation,
                  const std::string& suffix = "");

}  // namespace gpugauge::bench::cuda
