// A program that asks for more of the GPUs than there is: a number beyond the last, a session too many.
#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {
namespace {

void examine_number(const Seen& seen, Argument& it) {
  const Fact beyond = invalid_ordinal(seen);
  it.confirms(weight::good, beyond);
  if (!beyond) return;
  it.explains_failure();
  it.confirms(weight::good, seen.told({"only have one GPU", "I have one GPU", "only one GPU",
                                       "nproc_per_node", "nproc-per-node", "--num_gpus",
                                       "tensor-parallel-size", "tensor_parallel_size", "-cd 0 1"}));
  it.confirms(weight::strong,
              seen.recovers_by({"nproc", "num_gpus", "tensor-parallel", "tensor_parallel",
                                "device=", "gpu=", "ngpus", "n_gpus", "world_size", "CUDA_VISIBLE_DEVICES"}));
  if (const Fact listed = seen.environment("CUDA_VISIBLE_DEVICES")) it.confirms(weight::fair, listed);
  // An instance of MIG is one device for a process, whatever the card has.
  it.at_most(bound::below_half, either(seen.on("gpu.mig"), seen.told({"MIG"})));
}

void examine_sessions(const Seen& seen, Argument& it) {
  it.confirms(weight::strong, seen.told({"OpenEncodeSessionEx failed: out of memory",
                                         "OpenEncodeSessionEx failed*10)", "NV_ENC_ERR_OUT_OF_MEMORY"}));
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
  it.confirms(weight::hint, seen.gpu_is({"GeForce", "GTX", "RTX 20", "RTX 30", "RTX 40"}));
  it.confirms(weight::strong, seen.recovers_by({"session", "nvenc", "patch"}));
}

}  // namespace

Signatures asked_for_causes() {
  return {
      {.name = "gpu_number_not_there",
       .title = "The program asks for a GPU number that is not there",
       .what =
           "CUDA numbers the GPUs that a process may see from 0. A launcher that starts more processes than there are "
           "GPUs, a number on a command line, or a list in CUDA_VISIBLE_DEVICES that is shorter than the program "
           "thinks, asks for one behind the last.",
       .moves = "init x",
       .confirms = "error 101, an invalid device ordinal, and fewer GPUs than processes or than the number",
       .excludes = "the process sees no GPU at all",
       .confused_with = {{"no_visible_device", "does the process see no GPU, or fewer than it asks for?"},
                         {"mig_left_enabled", "is the second GPU an instance of MIG?"},
                         {"gpu_lost", "does nvidia-smi -L list fewer GPUs than the machine has?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next =
           "nvidia-smi -L; echo $CUDA_VISIBLE_DEVICES; start as many processes as GPUs are listed (torchrun "
           "--nproc-per-node), and number them from 0",
       .reading =
           {"https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#cuda-environment-variables"},
       .examine = examine_number},
      {.name = "encoder_sessions_used_up",
       .title = "The driver opens no further session of the video encoder",
       .what =
           "On GeForce cards the driver limits how many sessions of NVENC run at once in a system. The next one is "
           "refused as out of memory, however much memory is free. CUDA is not concerned.",
       .confirms = "OpenEncodeSessionEx fails with out of memory (10)",
       .excludes = "the GPU's memory is full; one session alone fails, too",
       .confused_with = {{"gpu_memory_full", "is the memory of the GPU full (nvidia-smi)?"},
                         {"driver_too_old", "does it name the version of NVENC's interface?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next =
           "nvidia-smi --query-gpu=encoder.stats.sessionCount --format=csv; fewer encodings at once, or a card without "
           "this limit",
       .reading = {"https://developer.nvidia.com/video-encode-decode-support-matrix"},
       .examine = examine_sessions},
  };
}

}  // namespace gpugauge::diagnose
