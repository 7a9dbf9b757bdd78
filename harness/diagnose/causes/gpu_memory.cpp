// The GPU's memory is full, and of the work itself: no fault of the stack, and the next step is another one.
#include <optional>
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/predicates.hpp"
#include "diagnose/memory_report.hpp"

namespace gpugauge::diagnose {
namespace {

/// What frameworks, libraries and servers print when the GPU has no room left.
Fact no_room_told(const Seen& seen) {
  return seen.told({"CUDA out of memory",
                    "OutOfMemoryError: CUDA",
                    "OutOfMemoryError: Allocation on device",
                    "OutOfMemoryError: Out of memory allocating",
                    "CUDA error: out of memory",
                    "CUDA driver error: out of memory",
                    "cudaMalloc failed: out of memory",
                    "cuMemCreate*out of memory",
                    "OOM when allocating tensor",
                    "RESOURCE_EXHAUSTED: Out of memory",
                    "RESOURCE_EXHAUSTED*Failed to allocate request",
                    "Failed to allocate memory for requested buffer",
                    "BFCArena::AllocateRawInternal",
                    "No available memory for the cache blocks",
                    "Not enough memory. Please try to increase --mem",
                    "is larger than the maximum number of tokens that can be stored in KV cache",
                    "is larger than the available KV cache memory",
                    "unable to allocate CUDA0 buffer",
                    "unable to allocate CUDA1 buffer",
                    "failed to allocate CUDA0 buffer",
                    "failed to allocate CUDA1 buffer",
                    "Requested amount of GPU memory * bytes could not be allocated"},
                   // Memory of the host, and of multicast groups.
                   {"pinned", "page-locked", "HostAlloc", "MallocHost", "Multicast", "NVLS",
                    // Who looks for the largest that fits, and advice.
                    "is not seen", "If you see", "auto batch size", "batch size finder", "pruned",
                    "reducing to", ", trying "});
}

/// The number alone, which calls of many kinds return.
Fact no_room_returned(const Seen& seen) {
  return seen.error(2, {"CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation"});
}

/// A report of PyTorch's allocator, with the numbers of the GPU and of the process.
std::optional<MemoryReport> report_of(const Seen& seen) {
  for (const ErrorSeen& error : seen.it().errors)
    if (const auto report = memory_report(error.text)) return report;
  for (const std::string& line : seen.it().log)
    if (const auto report = memory_report(line)) return report;
  return std::nullopt;
}

/// Share of the GPU's memory from which on the process itself fills it.
constexpr double most_of_it = .75;

Fact full_of_its_own(const Seen& seen) {
  const auto report = report_of(seen);
  if (!report || report->own_mib < most_of_it * report->total_mib) return std::nullopt;
  return fmt::format("of {:.0f} MiB this process itself holds {:.0f}", report->total_mib, report->own_mib);
}

void examine_memory_full(const Seen& seen, Argument& it) {
  const Fact told = no_room_told(seen);
  it.confirms(weight::good, told);
  if (!told) it.confirms(weight::hint, no_room_returned(seen));
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
  it.confirms(weight::strong, full_of_its_own(seen));
  it.confirms(weight::strong,
              seen.recovers_by({"batch", "max-model-len", "max_model_len", "gpu-memory-utilization",
                                "gpu_memory_utilization", "n-gpu-layers", "ngl", "expandable_segments",
                                "gradient_checkpointing", "XLA_PYTHON_CLIENT_MEM_FRACTION", "smaller",
                                "larger gpu", "memory_growth", "ALLOW_GROWTH", "ctx-size", "num_ctx"}));
  const std::optional<double> others = seen.number("other_processes");
  if (others && *others == 0) it.confirms(weight::fair, Fact("no other process was on the GPU"));
  it.at_most(bound::half, seen.at_least("other_processes", 1));
  const auto report = report_of(seen);
  if (report && report->total_mib - report->free_mib - report->own_mib > (1 - most_of_it) * report->total_mib)
    it.at_most(bound::weak, Fact("other processes hold a part of the memory"));
  if (report && report->asked_mib > 0 && report->free_mib > report->asked_mib)
    it.at_most(bound::unnamed, Fact("more is free than was asked for"));
  else if (report && report->free_mib > (1 - most_of_it) * report->total_mib)
    it.at_most(bound::half, Fact("much of the memory is free: it is cut up, or the request is large"));
  it.at_most(bound::weak, in_words("the process sees a slice of the GPU", seen.on("gpu.mig")));
  // A context that cannot be made, and memory that is not the GPU's, run out by other causes.
  it.at_most(bound::weak, seen.told({"failed call to cuInit*OUT_OF_MEMORY", "nvmlInit*memory",
                                     "cuInit*out of memory", "cuDevicePrimaryCtxRetain*OUT_OF_MEMORY"}));
  // Memory of the host that the GPU reaches by itself.
  it.at_most(bound::unnamed,
             seen.told({"out of memory*pin_memory", "pin_memory*out of memory", "pinned*out of memory",
                        "out of memory*pinned", "HostAlloc*out of memory", "MallocHost*out of memory",
                        "HostRegister*out of memory"}));
}

}  // namespace

Signatures gpu_memory_causes() {
  return {
      {.name = "gpu_memory_full",
       .title = "The GPU's memory is full, and the work itself fills it",
       .what =
           "What the program wants to keep on the GPU is more than the GPU has: weights, activations, a cache of keys "
           "and values, an allocator's cut-up reserve. The stack works, and a driver or library of another version "
           "changes nothing.",
       .confirms = "an allocation on the GPU fails, and the process itself holds most of the memory",
       .excludes = "other processes hold the memory; the memory that ran out is the host's",
       .confused_with = {{"neighbour_process", "who holds the memory: this process, or another one?"},
                         {"host_memory_exhausted", "is it the GPU's memory or the host's?"},
                         {"mig_left_enabled", "is the whole card visible, or a slice of it?"},
                         {"sysmem_fallback", "does it end, or go on slowly?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next =
           "nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv; a smaller batch, context or model, "
           "or weights of fewer bits; PyTorch: torch.cuda.memory_summary(), "
           "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
       .reading = {"https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-memory-management"},
       .examine = examine_memory_full},
  };
}

}  // namespace gpugauge::diagnose
