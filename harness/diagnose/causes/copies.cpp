// Copies between host and device over a healthy link.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/logged.hpp"
#include "diagnose/causes/network_told.hpp"

namespace gpugauge::diagnose {
namespace {

Fact slow_copy(const Seen& seen) {
  return seen.slower({"h2d", "d2h"});
}

/// Copy times vary, and the machine has two sockets to run on.
Fact varies_with_sockets(const Seen& seen) {
  constexpr double much = .1;
  const Fact sockets = seen.told({"2 x *Xeon", "2 x *EPYC", "2x *Xeon", "2x *EPYC", "2x Intel", "2x AMD",
                                  "dual socket", "dual-socket", "two sockets", "2 sockets", "Socket(s):*2"});
  for (const Metric* metric : seen.metrics({"h2d", "d2h"}))
    if (!metric->fails && slower_by_figure(*metric) && metric->spread.value_or(0) >= much)
      return both(Fact(fmt::format("copies vary by {:.0f}%", 100 * *metric->spread)), sockets);
  return std::nullopt;
}

void examine_numa(const Seen& seen, Argument& it) {
  const Fact slow = either(
      slow_copy(seen),
      either(seen.slower({"launch", "p2p", "coll_large", "host_memory"}), seen.slower(application_classes)));
  it.confirms(weight::proof, seen.probe("pin_to_local_numa", {"recovers"}));
  it.confirms(weight::strong, both(slow, seen.recovers_by({"numactl", "bind-to numa", "numa_local", "membind",
                                                           "numa node", "cpunodebind", "numa"})));
  if (slow) {
    it.confirms(weight::good, seen.off("host.numa_local"));
    it.confirms(weight::good, seen.told({"NUMA node*remote", "remote NUMA", "numa_node*-1"}));
    // A policy that spreads the pages over all nodes affects the buffers like a wrong node.
    it.confirms(weight::good, seen.probe("change_setting", {"worse", "slow"}, {"interleave"}));
  }
  it.confirms(slow_copy(seen) ? weight::strong : weight::good, runs_beside_gpus_processors(seen));
  if (slow || runs_beside_gpus_processors(seen)) it.confirms(weight::strong, copies_faster_bound(seen));
  // The thread's node matters only if its pages come from the same node.
  const Fact pages = seen.told({"pages*the other node", "pages*remote node", "buffer*the other node",
                                "buffer*remote node", "allocated on the other node", "wrong NUMA node"});
  it.confirms(weight::good, both(slow, pages));
  it.confirms(weight::hint, varies_with_sockets(seen));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, slow_copy(seen));
    it.confirms(weight::faint, seen.unchanged({"hbm"}));
  }
  if (!pages) it.rules_out(seen.probe("pin_to_local_numa", {"no_change", "worse", "slow"}));
  if (!seen.probe("pin_to_local_numa", {"recovers"})) it.at_most(bound::remote, seen.on("host.numa_local"));
}

/// Unpinned copies are slow and pinned ones are not. `measured`: the pinned ones must have a factor, not only
/// a rate.
Fact only_pageable(const Seen& seen, bool measured) {
  Fact slow;
  Fact normal;
  for (const Metric* metric : seen.metrics({"h2d", "d2h"})) {
    const std::string words = metric->scope.op + " " + metric->scope.path + " " + metric->note;
    const bool pageable = contains_any(words, {"pageable", "unpinned", "not pinned", "non-pinned"});
    const bool slower = slower_by_figure(*metric);
    if (pageable && slower) slow = sentence(*metric);
    if (!pageable && contains_any(words, {"pinned", "page-locked"}) && !slower && !metric->fails &&
        (measured ? metric->factor.has_value() : metric->value.has_value() && !is_noted_slower(*metric)))
      normal = sentence(*metric);
  }
  if (slow && normal) return "unpinned copies are slow and pinned ones normal: " + *slow;
  return std::nullopt;
}

/// Copies by a framework or library are slow, but the same copy in plain CUDA is not. The link is healthy,
/// and the memory is not pinned.
Fact own_copies_slow(const Seen& seen) {
  for (const Metric* metric : seen.metrics({"h2d", "d2h"}))
    if (metric->factor.value_or(1) >= much_slower_from &&
        !(metric->scope.framework + metric->scope.library).empty())
      if (const Fact native = seen.probe("native_benchmark", {"normal", "succeeds"}))
        return sentence(*metric) + "; " + *native;
  return std::nullopt;
}

/// True when the report says that a figure's memory is pinned.
bool is_pinned(const Metric& metric) {
  constexpr std::array<std::string_view, 4> unpinned{"unpinned", "not pinned", "non-pinned", "without pin"};
  const auto says = [&](const std::string& text) {
    return contains(text, "pinned") &&
           std::none_of(unpinned.begin(), unpinned.end(),
                        [&](std::string_view word) { return contains(text, word); });
  };
  return says(metric.scope.op) || says(metric.scope.path) ||
         (says(metric.note) &&
          contains_any(metric.note,
                       {"pinned*too", "pinned*as well", "also*pinned", "even*pinned", "pinned*also",
                        "both*pinned", "pinned memory is slow", "from pinned", "pinned memory",
                        "pinned as slow", "pinned*just as slow", "pinned*no faster", "pinned*not faster",
                        "pinned or not", "pinned*no difference", "pinned*same"}));
}

void examine_pageable(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, only_pageable(seen, true));
  it.confirms(weight::good, only_pageable(seen, false));
  it.confirms(weight::fair, own_copies_slow(seen));
  const Fact slow = either(slow_copy(seen), seen.slower(application_classes));
  it.confirms(weight::proof,
              both(slow, seen.recovers_by({"pin_memory", "pinned", "page-locked", "page_locked",
                                           "cudaMallocHost", "cudaHostAlloc", "memlock", "cudaHostRegister",
                                           "cuMemHostAlloc", "cuMemAllocHost", "cuMemHostRegister",
                                           "page locked", "page-lock", "pin memory", "pinning"})));
  it.confirms(weight::good,
              seen.told({"memlock", "cannot pin ", "cudaHostRegister*fail", "cudaHostAlloc*fail", "pageable",
                         "failed to pin ", "pinning*fail", "could not pin ", "pinned*alloc*fail",
                         "RLIMIT_MEMLOCK", "Cannot allocate memory*mlock", "pin_memory*False"}));
  if (slow) it.confirms(weight::good, seen.setting_off("pin_memory"));
  const std::optional<double> locked = seen.number("host.memlock_kib");
  constexpr double small_limit = 1 << 20;
  if (slow_copy(seen) && locked && *locked < small_limit)
    it.confirms(weight::good, fmt::format("only {:g} KiB may be locked", *locked));
  if (!it.evidence().empty()) it.confirms(weight::hint, slow_copy(seen));
  for (const Metric* metric : seen.metrics({"h2d", "d2h"}))
    if (slower_by_figure(*metric) && is_pinned(*metric))
      it.at_most(bound::slight, "pinned copies are slow too: " + sentence(*metric));
  it.at_most(bound::below_half, either(registration_refused(seen), queue_refused(seen)));
  // Two measurements differ in what they copy from, and nothing on the machine does.
  it.at_most(bound::half, seen.recovers_by({"same arguments", "same options", "same parameters", "same flags",
                                            "same command"}));
  it.rules_out(seen.unmoved_by({"pin_memory", "pinned"}));
}

}  // namespace

Signatures copy_causes() {
  return {
      {.name = "numa_misplacement",
       .title = "The process or its memory lies on the other processor's NUMA node",
       .what = "Copies and launches cross the link between the sockets. On some machines both directions "
               "fall to a third, on "
               "others large copies hide it; the device itself is as fast as ever.",
       .moves = "h2d --, d2h --, p2p 0, launch -, hbm 0",
       .confirms = "pinned to the GPU's node it recovers; the affinity is of another node",
       .excludes = "pinning changes nothing; process and GPU are on one node",
       .confused_with = {{"pcie_link_degraded", "does pinning to the GPU's node recover?"},
                         {"cpu_affinity_wrong", "do more processors recover, or those of the GPU's node?"},
                         {"pageable_memory", "are pinned copies slow too?"}},
       .next = "nvidia-smi topo -m; numactl --cpunodebind=N --membind=N ./program with the node of the GPU",
       .reading = {"https://man7.org/linux/man-pages/man8/numactl.8.html"},
       .examine = examine_numa},
      {.name = "pageable_memory",
       .title = "Copies use memory that is not pinned",
       .what = "A copy from ordinary memory goes through a staging buffer and blocks. Pinned memory reaches "
               "the link's rate; "
               "a limit on locked memory can prevent pinning.",
       .moves = "h2d --, d2h --, hbm 0",
       .confirms = "only unpinned copies are slow; pinning recovers; the memlock limit is small",
       .excludes = "pinned copies are slow too",
       .confused_with = {{"pcie_link_degraded", "are pinned copies slow too?"},
                         {"numa_misplacement", "does pinning to the GPU's node recover?"},
                         {"confidential_computing", "is confidential computing on?"}},
       .severity = Severity::note,
       .subject = Subject::software,
       .next = "gpugauge run --only 'copy/*pinned*' --only 'copy/*pageable*'; ulimit -l; pin_memory=True in "
               "the loader",
       .reading = {"https://developer.nvidia.com/blog/how-optimize-data-transfers-cuda-cc/"},
       .examine = examine_pageable},
  };
}

}  // namespace gpugauge::diagnose
