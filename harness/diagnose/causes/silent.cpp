// A requested feature is missing, and the work continues without it.
#include <fmt/format.h>

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {
namespace {

/// A feature was switched on without effect. "=1" is a switch, "=180" is not.
Fact switched_on_in_vain(const Seen& seen) {
  for (const Probe& probe : seen.it().probes) {
    if (probe.outcome != "no_change") continue;
    const std::string detail = lower(probe.detail) + " ";
    if (contains_any(detail, {"=on", "=true", "=yes", "enable", "=1 ", "=1,", "=1;"}))
      return fmt::format("tried: {} changes nothing", probe.detail);
  }
  return std::nullopt;
}

/// What is in use is something else than what was asked for: "attention.requested" and "attention.used".
Fact other_than_requested(const Seen& seen) {
  const auto& all = seen.it().settings;
  for (const std::string_view asked : {"requested", "wanted", "asked", "configured"})
    for (const auto& [key, value] : all) {
      const std::size_t at = lower(key).find(asked);
      if (at == std::string::npos || value.tells_nothing()) continue;
      for (const std::string_view got :
           {"used", "in_use", "actual", "active", "effective", "selected", "chosen"}) {
        std::string other = key;
        const auto found = all.find(other.replace(at, asked.size(), got));
        if (found != all.end() && !found->second.tells_nothing() &&
            lower(found->second.text()) != lower(value.text()))
          return fmt::format("{} = {}, and {} = {}", key, value.text(), found->first, found->second.text());
      }
    }
  return std::nullopt;
}

void examine_silent(const Seen& seen, Argument& it) {
  const Fact line = seen.said({"not supported*falling back",
                               "falling back*not supported",
                               "unsupported*fallback",
                               "not available*using",
                               "is not supported on this GPU",
                               "not supported on this device*using",
                               "silently",
                               "ignoring",
                               "requires*capability*disabled",
                               "disabled because",
                               "disabling",
                               "feature*not enabled",
                               "flash*not supported",
                               "FlashAttention*requires",
                               "no kernel*fallback",
                               "Falling back to",
                               "fallback to",
                               "will be disabled",
                               "is disabled on this",
                               "compat mode",
                               "PeerDirect*Disabled",
                               "compatibility mode",
                               "was not compiled with*attention",
                               "not compiled with flash",
                               "not support*use*instead",
                               "not support*using*instead",
                               "not supported*instead",
                               "unsupported*instead",
                               "Not enough SMs to use",
                               "Cannot use*backend",
                               "hardware do* not support",
                               "device do* not support",
                               "GPU do* not support",
                               "will not be used",
                               "not be used because",
                               "not available*use*instead",
                               "reverting to",
                               "downgrading to",
                               "defaulting to"});
  const Fact unmoved = switched_on_in_vain(seen);
  const Fact replaced = other_than_requested(seen);
  // gdscheck -p of a file system that GPUDirect Storage does not reach; cuFile then copies through the host.
  const Fact storage = both(seen.told({"cuFile", "gdscheck", "kvikio", "GPUDirect Storage", "gds "}),
                            seen.told({"NVMe : Unsupported", "NVMe: Unsupported", "NVMe  *: Unsupported",
                                       "NVMeOF : Unsupported*mount", "cuFile*compatibility mode",
                                       "cufile*compat mode", "compat_mode*in use"}));
  const Fact slow = either(seen.slower({}), seen.healthy() ? Fact() : unmoved);
  if (line) {
    it.confirms(slow ? weight::good : weight::fair, line);
    if (seen.it().errors.empty()) it.confirms(weight::faint, Fact("no error was reported"));
  }
  if (slow) {
    it.confirms(weight::good, replaced);
    it.confirms(weight::good, storage);
    it.confirms(weight::fair, unmoved);
    for (const auto& [key, value] : seen.it().settings)
      if (value.off() && contains_any(key, {"supported", "available", "in_use", "active", "enabled"}))
        it.confirms(weight::good, fmt::format("{} = {}", key, value.text()));
      else if (value.off() && contains_any(key, {"concurrent", "async", "graph", "flash", "sdp", "peer",
                                                 "gds", "sharp", "nvls", "attribute", "rebar", "bar1"}))
        it.confirms(weight::fair, fmt::format("{} = {}", key, value.text()));
  }
  it.at_most(bound::unnamed,
             either(gpu_not_used(seen), seen.said({"GPU will not be used", "Could not find cuda drivers"})));
  it.at_most(bound::unnamed, seen.said({"ExecutionProvider", "cpu", "NET/", "ibverbs", "GPU Direct RDMA",
                                        "CUDA-enabled", "fp8", "cudnn"}));
  it.at_most(bound::unnamed, seen.said({"NVML", "nvidia-fabricmanager", "nvidia-uvm", "nouveau"}));
}

}  // namespace

Signatures silent_causes() {
  return {
      {.name = "feature_unsupported_silent_fallback",
       .title = "A feature that was asked for is replaced by a slower path, without an error",
       .what = "The program accepts a request for a feature that this GPU, driver or build does not have, "
               "and goes on "
               "without: a line in a log or a property that reads off is all that tells.",
       .confirms =
           "a log line or property shows the feature off; switching it on or off changes nothing; no error",
       .excludes = "the work left the GPU, or a named library is missing",
       .confused_with = {{"fp8_not_native", "is it fp8?"},
                         {"ort_cuda_ep_fallback", "did the work leave the GPU?"},
                         {"kernel_specific", "is the feature in use?"}},
       .severity = Severity::note,
       .subject = Subject::software,
       .next = "read the property that tells whether the feature is in use, and the log at its highest level",
       .reading = {"https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html"},
       .examine = examine_silent},
  };
}

}  // namespace gpugauge::diagnose
