// Work that needs more memory than the device has, and managed memory.
#include "diagnose/causes/printed.hpp"

namespace gpugauge::diagnose {
namespace {

Fact windows(const Seen& seen) {
  if (Fact fact = seen.on("host.os", {"windows", "wsl"})) return fact;
  if (seen.known("host.os")) return std::nullopt;
  return seen.told({"Windows 10", "Windows 11", "Win 10", "Win 11", "Win10", "Win11", "task manager"});
}

Fact large_only(const Seen& seen) {
  return both(seen.slower({}, {.size = "large"}), seen.unchanged({}, {.size = "small"}));
}

/// The report says that the work uses managed memory.
Fact managed(const Seen& seen) {
  for (const std::string_view word : {"managed", "unified memory", "uvm", "cudaMallocManaged"}) {
    for (const Metric& metric : seen.it().metrics)
      if (contains(metric.scope.op, word) ||
          (contains(metric.note, word) && !contains_any(metric.note, {"nvidia-uvm", "nvidia_uvm"})) ||
          contains(metric.scope.library, word))
        return "managed memory is in use: " + sentence(metric);
  }
  for (const std::string_view name : {"GGML_CUDA_ENABLE_UNIFIED_MEMORY", "TF_FORCE_UNIFIED_MEMORY"})
    if (Fact fact = seen.environment(name)) return fact;
  if (Fact fact = seen.setting("managed", {"true", "on", "1", "managed"})) return fact;
  // A listed device node says nothing about managed memory.
  // bitsandbytes keeps the states of these in managed memory.
  if (Fact fact = seen.told({"paged_adam", "paged_lion", "paged_ademamix", "paged optimizer",
                             "paged optimiser", "PagedAdam", "PagedLion"}))
    return fact;
  return seen.told({"cudaMallocManaged", "managed memory", "unified memory", "nvidia-uvm", "uvm_"},
                   {"/dev/nvidia-uvm", "not loaded"});
}

Fact faults(const Seen& seen) {
  for (const std::string_view name : {"page_fault", "gpu_fault", "uvm_fault", "faults"})
    if (Fact fact = seen.moved(name, {"higher", "rises_slowly"})) return fact;
  return std::nullopt;
}

void examine_oversubscription(const Seen& seen, Argument& it) {
  // A benchmark of the memory has a working set of its own, which fits.
  if (it.confirms(weight::strong, seen.on("oversubscribed")) && seen.slower(application_classes))
    it.is_an_event();
  it.confirms(weight::good, faults(seen));
  it.confirms(weight::good,
              seen.told({"oversubscri", "page fault*UM", "GPU page fault", "unified memory*thrash"}));
  if (!it.evidence().empty() || managed(seen)) {
    it.confirms(weight::fair, large_only(seen));
    it.confirms(weight::hint, managed(seen));
    // A fault of a driver costs less than pages that move to and fro.
    constexpr double far_slower = 5;
    it.confirms(weight::fair, seen.slower(application_classes, {}, far_slower));
    it.confirms(weight::good, seen.recovers_by({"prefetch", "memadvise", "smaller", "batch", "pool",
                                                "seq_len", "max_seq_length", "sequence", "max_length",
                                                "context", "resolution", "grid"}));
    it.confirms(weight::fair,
                both(seen.slower(application_classes),
                     seen.told({"PCIe RX/TX", "PCIe*both directions", "PCIe*in both", "PCIe traffic"})));
    it.confirms(weight::fair, seen.probe("allocate_beyond_memory", {"succeeds"}));
  }
  it.at_most(bound::unnamed, windows(seen));
  it.at_most(bound::unnamed, seen.off("oversubscribed"));
  it.at_most(bound::last_named, seen.on("spilled_to_host"));
}

/// The driver update crossed the version that brought the fallback to system memory on Windows.
Fact came_with_fallback(const Seen& seen) {
  Fact fact = seen.changed({"driver"});
  if (!fact || !seen.it().changed->contains("driver")) return std::nullopt;
  constexpr double first_with_it = 532;
  const Change& change = seen.it().changed->at("driver");
  const std::optional<double> before = change.before.number();
  const std::optional<double> after = change.after.number();
  if (!after || before.value_or(0) >= first_with_it || *after < first_with_it) return std::nullopt;
  return fact;
}

/// A driver from before the fallback was put back, and recovers.
Fact driver_without_it(const Seen& seen) {
  constexpr double first_with_it = 532;
  for (const Probe& probe : seen.it().probes) {
    const bool driver = probe.name == "same_binary_old_driver" || contains_word(probe.detail, "driver");
    if (driver && probe.outcome == "recovers" &&
        number_after(probe.detail, "=").value_or(first_with_it) < first_with_it)
      return recovering("tried: " + probe.detail + " recovers, which is from before the fallback");
  }
  return std::nullopt;
}

void examine_sysmem(const Seen& seen, Argument& it) {
  const Fact os = windows(seen);
  it.confirms(weight::strong, seen.on("spilled_to_host"));
  it.confirms(weight::proof,
              seen.recovers_by({"sysmem", "Prefer No Sysmem", "CUDA policy", "fallback policy"}));
  it.confirms(weight::strong, shared_memory_in_use(seen));
  it.confirms(weight::good, seen.told({"sysmem fallback", "shared GPU memory", "system memory fallback",
                                       "Dedicated*shared*memory usage", "spills into system",
                                       "spill to system memory", "spilling into RAM"}));
  if (os) {
    it.confirms(weight::strong, seen.probe("allocate_beyond_memory", {"succeeds", "slow"}));
    it.confirms(weight::fair, large_only(seen));
    it.confirms(weight::good, both(came_with_fallback(seen), seen.slower({}, {}, much_slower_from)));
    it.confirms(weight::fair,
                both(seen.slower({}), seen.told({"VRAM*full", "exceeds VRAM", "out of VRAM", "more VRAM than",
                                                 "VRAM is almost", "system RAM"})));
    // The GPU is always busy and far slower, and it recovers with less data.
    if (seen.number("utilization_percent").value_or(0) >= 90)
      it.confirms(weight::good, both(seen.slower({}, {}, much_slower_from),
                                     seen.recovers_by({"context", "ctx", "batch", "smaller", "quantization",
                                                       "offload", "resolution"})));
    // What a program holds grows until the driver moves it out, and a new process begins without.
    it.confirms(weight::good,
                both(both(seen.slower(application_classes), seen.on("drift", {"worse_with_time"})),
                     seen.probe("repeat_in_fresh_process", {"recovers"})));
    it.confirms(weight::strong,
                both(both(seen.slower({}, {}, much_slower_from), seen.told({"shared GPU memory"})),
                     driver_without_it(seen)));
    it.confirms(weight::hint, both(seen.slower({}), seen.moved("memory_used", {"higher"})));
    if (!it.evidence().empty()) it.confirms(weight::hint, os);
    if (!it.evidence().empty()) it.confirms(weight::faint, seen.changed({"driver"}));
  }
  it.at_most(bound::unnamed, seen.on("host.os", {"linux"}));
  it.at_most(bound::unnamed, seen.probe("allocate_beyond_memory", {"fails"}));
}

void examine_driver_bug(const Seen& seen, Argument& it) {
  const Fact in_use = managed(seen);
  const Fact harmed = either(seen.slower({}), seen.fails({}));
  if (in_use && harmed) {
    it.confirms(weight::fair, in_use);
    it.confirms(weight::fair, seen.changed({"driver"}));
    it.confirms(weight::good, either(seen.undone("driver", {"recovers"}),
                                     seen.probe("change_version", {"recovers"}, {"driver"})));
    it.confirms(weight::good, seen.recovers_by({"explicit", "cudaMalloc", "managed=off", "managed=false",
                                                "unmanaged", "uvm_", "unified_memory=off"}));
    it.confirms(weight::fair,
                either(seen.unchanged({}, {.op = "explicit"}), seen.unchanged({}, {.op = "cudaMalloc"})));
    it.confirms(weight::hint, seen.off("oversubscribed"));
    it.confirms(weight::hint,
                either(seen.xid({31}), seen.told({"uvm*hang", "uvm*lockup", "soft lockup*uvm"})));
  }
  it.at_most(bound::remote, seen.on("oversubscribed"));
  it.at_most(bound::unnamed, seen.on("spilled_to_host"));
  it.at_most(bound::unnamed, seen.told({"devmem_alloc_pagemap"}));
  it.rules_out(seen.undone("driver", {"no_change"}));
  it.at_most(bound::weak, seen.error(999, {"CUDA unknown error"}));
}

}  // namespace

Signatures managed_memory_causes() {
  return {
      {.name = "uvm_oversubscription",
       .title = "Managed memory in use exceeds the device's: pages move to and fro",
       .what = "Managed memory may exceed the GPU's. Then pages migrate on every fault, and the work runs at "
               "the speed of "
               "the link. Sets that fit are as fast as ever.",
       .moves = "hbm --",
       .confirms =
           "the working set exceeds the memory; page faults; smaller sets are normal; prefetching recovers",
       .excludes = "it fits; Windows, where the driver spills ordinary allocations",
       .confused_with = {{"sysmem_fallback",
                          "is it managed memory, or Windows spilling ordinary allocations?"},
                         {"uvm_driver_bug", "does it fit into the device's memory?"}},
       .subject = Subject::software,
       .next =
           "nsys profile --cuda-um-gpu-page-faults=true ./program; make the working set smaller, or prefetch",
       .reading =
           {"https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#unified-memory-programming"},
       .examine = examine_oversubscription},
      {.name = "sysmem_fallback",
       .title = "Windows lets the driver put GPU allocations into host memory",
       .what = "Since driver 532 an allocation that does not fit goes to host memory instead of failing. "
               "Work that nearly "
               "fills the GPU becomes many times slower; smaller work is normal.",
       .moves = "hbm --",
       .confirms = "shared GPU memory in use; an allocation above the memory succeeds; Windows or WSL",
       .excludes = "Linux; such an allocation fails",
       .confused_with = {{"uvm_oversubscription", "is it Windows, and ordinary memory?"},
                         {"driver_regression", "is small work normal with the same driver?"}},
       .next = "NVIDIA Control Panel > CUDA - Sysmem Fallback Policy > Prefer No Sysmem Fallback; watch "
               "shared GPU memory",
       .reading = {"https://nvidia.custhelp.com/app/answers/detail/a_id/5490"},
       .examine = examine_sysmem},
      {.name = "uvm_driver_bug",
       .title = "Managed memory is slow or hangs with this driver",
       .what = "The same work with explicit allocations is normal, and so is managed memory with another "
               "driver: a defect "
               "of this driver's unified memory.",
       .confirms = "managed memory slow or hanging, explicit allocation normal, another driver recovers",
       .excludes = "the working set exceeds the memory",
       .confused_with = {{"uvm_oversubscription", "does it fit into the device's memory?"},
                         {"driver_regression", "is work without managed memory slower too?"},
                         {"uvm_module_bad", "does CUDA start?"}},
       .next = "run with cudaMalloc instead of cudaMallocManaged; measure with the driver before",
       .reading =
           {"https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#unified-memory-programming"},
       .examine = examine_driver_bug},
  };
}

}  // namespace gpugauge::diagnose
