// PCIe, NVLink, and obstacles between devices.
#include <vector>

#include <fmt/format.h>

#include "diagnose/causes/network_told.hpp"
#include "diagnose/causes/printed.hpp"
#include "result/xid.hpp"

namespace gpugauge::diagnose {
namespace {

Fact slow_link(const Seen& seen) {
  return seen.slower({"h2d", "d2h", "p2p", "coll_large", "coll_small"});
}

/// The link has few lanes, and nobody said how many are possible.
Fact few_lanes(const Seen& seen) {
  constexpr double few = 4;
  const std::optional<double> width = seen.number("pcie_width");
  if (!width || seen.number("pcie_width_max") || *width > few) return std::nullopt;
  return fmt::format("the link has {:g} lanes", *width);
}

/// The fact, where it speaks of nothing of these.
Fact without(const Fact& fact, Words others) {
  return fact && contains_any(*fact, others) ? Fact() : fact;
}

/// The card was seated anew, or in another slot. Bridges of NVLink and the network's cards are seated, too.
Fact card_reseated(const Seen& seen) {
  const Words others{"nvlink",  "bridge", "mlx5", "nic ", "hca",
                     "network", "OSFP",   "QSFP", "SFP",  "transceiver"};
  if (Fact fact = without(seen.recovers_by({"slot", "mainboard", "riser", "cable", "reseat", "bifurcation",
                                            "pcie", "gen3", "gen4", "gen5"}),
                          others))
    return fact;
  return without(
      seen.probe("swap_gpu", {"recovers"}, {"slot", "riser", "reseat", "seated", "same board", "same card"}),
      others);
}

void examine_pcie(const Seen& seen, Argument& it) {
  const bool idle = seen.on("pcie_sampled", {"idle"}).has_value();
  const bool load = seen.on("pcie_sampled", {"load"}).has_value();
  const Fact generation = either(seen.below("pcie_generation", "pcie_generation_max", .99),
                                 seen.below("pcie_generation", "pcie_generation_expected", .99));
  const Fact width = either(seen.below("pcie_width", "pcie_width_max", .99),
                            seen.below("pcie_width", "pcie_width_expected", .99));
  const Fact slow = either(slow_link(seen), seen.slower(application_classes));
  if (load) it.confirms(weight::proof, either(width, generation));
  if (!idle) {
    it.confirms(weight::strong, width);
    it.confirms(slow_link(seen) || width ? weight::good : weight::fair, generation);
  } else if (slow_link(seen)) {
    it.confirms(weight::good, width);
  }
  if (slow) it.confirms(weight::good, few_lanes(seen));
  it.confirms(weight::good, both(slow_link(seen), seen.probe("link_under_load", {"slow", "worse"})));
  it.confirms(weight::strong, both(slow, card_reseated(seen)));
  if (slow) it.confirms(weight::good, pcie_replays(seen));
  // Another device takes the lanes.
  it.confirms(weight::good,
              both(slow_link(seen), seen.recovers_by({"M.2 ", "lanes", "NVMe removed", "NVMe moved"})));
  if (slow) it.confirms(weight::strong, fewer_lanes_printed(seen));
  it.confirms(weight::good,
              seen.told({"limited by*PCIe", "PCIe Bus Error", "AER: Corrected", "AER: Multiple Corrected",
                         "link is downgraded", "BadTLP", "Replay Timer"}));
  if (slow)
    it.confirms(
        weight::good,
        seen.told({"LnkSta*downgraded", "Width x*downgraded", "x1 instead of",    "x2 instead of",
                   "x4 instead of",     "x8 instead of",      "running at x1",    "running at x4",
                   "running at x2",     "only PCIe x",        "only x4",          "only x1",
                   "PCIe x1 ",          "Gen1 instead of",    "Gen 1 instead of", "Gen2 instead of",
                   "Gen3 instead of",   "Gen 2 instead of",   "Gen 3 instead of", "Gen 4 instead of",
                   "Gen4 instead of",   "was at Gen1",        "was at Gen2",      "stuck at Gen1",
                   "stuck at Gen2",     "1.1 instead of",     "2.0 instead of 3", "2.0 instead of 4",
                   "3.0 instead of 4",  "3.0 instead of 5",   "4.0 instead of 5", "2.5GT/s (downgraded)",
                   "@ x* 1.1"}));
  if (!it.evidence().empty()) it.confirms(weight::hint, seen.slower({"h2d", "d2h"}));
  it.rules_out(seen.probe("link_under_load", {"normal", "recovers", "succeeds"}));
  // Between several machines cables are the network's.
  if ((several_nodes(seen) || nodes_told(seen)) && !width && !generation &&
      !seen.slower({"h2d", "d2h", "p2p"}))
    it.at_most(bound::unnamed,
               in_words("it is work of several machines", seen.recovers_by({"cable", "port"})));
  if (!width && !generation && !seen.slower({"h2d", "d2h", "p2p"})) {
    it.at_most(bound::unnamed, card_link_downgraded(seen));
    it.at_most(bound::unnamed, port_rate_told(seen));
    it.at_most(bound::weak, either(port_down_told(seen), port_state_told(seen)));
  }
  it.rules_out(seen.probe("pin_to_local_numa", {"recovers"}));
  it.at_most(bound::last_named, seen.probe("repeat_later", {"normal"}));
  if (idle && !slow_link(seen)) it.unproven(0, Fact("the link was read while idle"));
  const Fact nominal = seen.number("pcie_generation") && seen.number("pcie_generation_max") &&
                               seen.number("pcie_width") && seen.number("pcie_width_max") && !generation &&
                               !width
                           ? Fact("the link is at its full generation and width")
                           : Fact();
  it.at_most(bound::remote, nominal);
  it.at_most(bound::last_named, seen.on("topology.path", {"chipset"}));
  if (!slow_link(seen)) it.at_most(bound::unnamed, same_work_normal(seen));
}

/// The processor's chipset by its short name, as a word: SHPCHotplug is another thing.
Fact pch_told(const Seen& seen) {
  for (const std::string& line : seen.it().log)
    if (contains_whole_words(line, "PCH")) return fmt::format("log: \"{}\"", line);
  for (const Metric& metric : seen.it().metrics)
    if (contains_whole_words(metric.note, "PCH")) return fmt::format("the report says: \"{}\"", metric.note);
  return std::nullopt;
}

void examine_chipset(const Seen& seen, Argument& it) {
  const Fact slow = either(slow_link(seen), seen.slower(application_classes));
  const Fact nominal = seen.number("pcie_generation") && seen.number("pcie_generation_max") &&
                               seen.number("pcie_width") && seen.number("pcie_width_max") &&
                               !seen.below("pcie_generation", "pcie_generation_max", .99) &&
                               !seen.below("pcie_width", "pcie_width_max", .99)
                           ? Fact("the link's status is the same everywhere")
                           : Fact();
  if (slow || !seen.compared()) it.confirms(weight::strong, seen.on("topology.path", {"chipset", "pch"}));
  it.confirms(weight::good, seen.told({"chipset", "DMI link", "via the southbridge"}));
  it.confirms(weight::good, pch_told(seen));
  it.confirms(weight::strong, both(slow, below_chipset_with_others(seen)));
  // What shares a narrow link lets it wait.
  if (slow_link(seen))
    it.confirms(weight::good,
                seen.told({"while the RAID", "while the disk", "while a disk", "while disks",
                           "while the NVMe", "while the SSD", "RAID*is busy", "disks are busy",
                           "disk array is busy", "10GbE*is busy", "network card is busy", "NVMe*is busy",
                           "while*copying files", "when*SSD is busy", "whenever the disk"}));
  it.confirms(weight::strong,
              both(slow, seen.recovers_by({"cpu lanes", "cpu slot", "slot=cpu", "direct lanes"})));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, split_class(seen, {"p2p", "h2d", "d2h"}));
    it.confirms(weight::faint, nominal);
  } else if (nominal) {
    it.confirms(weight::hint, split_class(seen, {"p2p", "h2d", "d2h"}));
  }
}

bool several_switches(double share) {
  return share < .5;
}

/// The same copies are clearly slower between peers than through the host's memory: something redirects them.
Fact peers_slower_than_host(const Seen& seen) {
  constexpr double clearly = 1.5;
  for (const Metric* metric : seen.metrics({"p2p"}))
    if ((metric->fails || metric->factor.value_or(1) >= clearly) &&
        contains(metric->note, "with peer access"))
      return Fact(metric->note);
  return std::nullopt;
}

void examine_iommu(const Seen& seen, Argument& it) {
  double share = 1;
  const Fact recovers = seen.recovers_by({"iommu", "vt-d", "amd-vi", "vtd"}, &share);
  const Fact without_p2p = both(seen.fails({"p2p", "coll_large", "coll_small", "application"}),
                                seen.recovers_by({"NCCL_P2P_DISABLE=1", "p2p=off", "p2p=disabled"}));
  const Fact gdr_harms = both(slow_link(seen), recovers_without_gdr(seen));
  if (!seen.on("host.acs") && !seen.told({"ACSCtl*+", "ReqRedir+"})) {
    it.confirms(weight::fair, without_p2p);
    it.confirms(weight::fair, gdr_harms);
  }
  it.confirms(weight::good, peers_slower_than_host(seen));
  it.confirms(several_switches(share) ? weight::good : weight::proof, recovers);
  // CUDA's programming guide: with an IOMMU on, peer copies on bare metal may corrupt memory without an error.
  if (it.confirms(weight::good, seen.fails({"integrity"}, {.path = "p2p"}))) it.explains_failure();
  const Value* mode = seen.inventory("host.iommu");
  const Fact slow = either(slow_link(seen), seen.slower(application_classes));
  if (slow && mode != nullptr && mode->on() && !contains_any(mode->text(), {"passthrough", "pt", "identity"}))
    it.confirms(weight::good, fmt::format("host.iommu = {}", mode->text()));
  if (slow)
    it.confirms(weight::fair, either(seen.setting("iommu", {"on", "enabled", "translated", "true"}),
                                     seen.told({"intel_iommu=on", "amd_iommu=on"}, {"iommu=pt"})));
  it.confirms(weight::good, seen.told({"Default domain type: Translated", "IO_PAGE_FAULT", "DMAR:*fault",
                                       "AMD-Vi: Event logged", "iommu: Default domain type: Translated"}));
  if (!it.evidence().empty()) it.confirms(weight::hint, seen.slower({"p2p", "coll_large", "h2d"}));
  // Peers are offered, and what is copied between them never arrives.
  const Fact never =
      both(seen.fails({"p2p"}),
           seen.told({"CAN Access Peer", "Peer access*enabled", "p2pBandwidthLatencyTest*hang"}));
  if (it.confirms(weight::good, never)) it.explains_failure();
  if (it.evidence().empty()) it.confirms(weight::fair, slower_together_than_alone(seen));
  if (!recovers)
    it.at_most(bound::remote,
               both(mode != nullptr && (mode->off() || contains_any(mode->text(), {"passthrough", "pt"}))
                        ? Fact("host.iommu = " + mode->text())
                        : Fact(),
                    Fact("addresses are not translated")));
  // Both may be on; only a probe can tell which one it is.
  if (!recovers)
    it.unproven(bound::unconfident, in_words("bridges may redirect as well", seen.on("host.acs")));
  if (!recovers && mode == nullptr)
    it.unproven(bound::unconfident, in_words("bridges may redirect instead", peers_slower_than_host(seen)));
  it.rules_out(seen.unmoved_by({"iommu"}));
}

void examine_acs(const Seen& seen, Argument& it) {
  double share = 1;
  const Fact recovers = seen.recovers_by(
      {"acs", "access control service", "access control capability", "ECAP_ACS", "disable_acs", "acs_redir"},
      &share);
  const Fact inverted =
      both(seen.slower({"p2p"}, {.path = "same_switch"}), seen.unchanged({"p2p"}, {.path = "cross_socket"}));
  it.confirms(several_switches(share) ? weight::good : weight::proof, recovers);
  it.confirms(weight::good, peers_slower_than_host(seen));
  it.confirms(weight::strong, inverted);
  const Fact slow = either(slow_link(seen), seen.slower(application_classes));
  // If it was switched on together with something else, the other change may be the cause as well.
  if (slow) it.confirms(seen.field_changed("host.acs") ? weight::fair : weight::good, seen.on("host.acs"));
  if (slow) it.confirms(weight::good, seen.setting("acs", {"on", "enabled", "true"}));
  it.confirms(weight::good,
              seen.told({"ACSCtl*+", "ReqRedir+", "SrcValid+", "ACS is enabled", "ACS*redirect"}));
  // Traffic from a GPU to a network card below the same switch is also redirected.
  if (!seen.on("host.iommu", {"translat", "true", "on", "enabled"}))
    it.confirms(weight::good, both(slow_link(seen), recovers_without_gdr(seen)));
  if (!it.evidence().empty()) it.confirms(weight::hint, seen.slower({"p2p", "coll_large"}));
  // Redirected copies may never arrive: NVIDIA/nccl#2079.
  if (seen.fails({"p2p", "coll_large", "coll_small"})) it.explains_failure();
  // It is one of the two usual reasons why peers cannot reach each other.
  if (!seen.on("host.iommu"))
    it.confirms(weight::fair, both(seen.fails({"p2p", "coll_large", "coll_small", "application"}),
                                   seen.recovers_by({"NCCL_P2P_DISABLE=1", "p2p=off", "p2p=disabled"})));
  // On bare metal, redirection by the bridges is the first suspect.
  if (it.evidence().empty() && it.confirms(weight::fair, slower_together_than_alone(seen)))
    if (!seen.on("host.virtualization"))
      it.confirms(weight::faint, Fact("no virtual machine is known that would need it otherwise"));
  if (!recovers && !inverted && !seen.on("host.acs"))
    it.unproven(bound::unconfident,
                in_words("addresses may be translated instead", peers_slower_than_host(seen)));
  if (!recovers && !inverted) it.at_most(bound::remote, seen.off("host.acs"));
  if (!recovers && !inverted)
    it.unproven(bound::unconfident, in_words("addresses may be translated as well",
                                             seen.on("host.iommu", {"translat", "true", "on", "enabled"})));
  it.rules_out(seen.unmoved_by({"acs"}));
  // NVIDIA's own driver allows no peer access between these boards, so a bridge has nothing to redirect.
  // NVIDIA said so of the RTX 4090, as quoted elsewhere:
  // https://forums.developer.nvidia.com/t/standard-nvidia-cuda-tests-fail-with-dual-rtx-4090-linux-box/233202
  // For the whole series: huggingface/accelerate#2328. A patched driver does allow it
  // (tinygrad/open-gpu-kernel-modules).
  if (!recovers && seen.gpu_is({"GeForce RTX 40"}))
    it.at_most(
        bound::remote,
        Fact("NVIDIA's driver gives this board no access between peers: they go through the host anyway"));
}

/// All of NVLink but 155, which tells of a link that software took down on purpose (NVIDIA's Xid catalog:
/// https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html).
std::vector<int> failed_link_xids() {
  constexpr int on_purpose = 155;
  std::vector<int> out = result::xids_about(result::XidAbout::nvlink);
  std::erase(out, on_purpose);
  return out;
}

void examine_nvlink(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.below("nvlinks_active", "nvlinks_expected", .999));
  it.confirms(weight::strong, seen.became_less("nvlinks_active"));
  it.confirms(weight::good, seen.moved("nvlinks", {"lower"}));
  it.confirms(weight::strong,
              seen.on("gpu.fabric_health", {"degraded_bandwidth", "route_unhealthy", "too_few_nvlinks"}));
  it.confirms(weight::good, seen.xid(failed_link_xids()));
  it.confirms(weight::good,
              seen.told({"NVLink*inactive", "nvlink*down", "nvlink*fail", "NVLink*error", "Link*<inactive>"},
                        {"NVLink SHARP", "NVLS"}));
  // nvidia-smi -q, below Fabric
  it.confirms(weight::good, seen.told({"Bandwidth * : Degraded", "Route Unhealthy * : True"}));
  const Fact nvlink = either(seen.on("topology.path", {"nvlink"}), seen.slower({}, {.path = "nvlink"}));
  // With poor contact the driver waits for links that train again and again.
  it.confirms(weight::good,
              both(nvlink, seen.probe("nvml_query", {"slow"}, {"topo", "nvlink", "nvidia-smi"})));
  it.confirms(weight::good, nvlinks_of_pair_differ(seen));
  // Bridges of the PCI bus and of containers are others.
  it.confirms(weight::strong, without(seen.recovers_by({"bridge", "nvlink reseat", "reseat"}),
                                      {"setpci", "lspci", "pci bridge", "pcie", "switch", "access control",
                                       "docker", "network", "slot", "riser", "ifname"}));
  if (!it.evidence().empty()) it.confirms(weight::hint, seen.slower({"p2p", "coll_large"}));
  const std::optional<double> active = seen.number("nvlinks_active");
  const std::optional<double> expected = seen.number("nvlinks_expected");
  if (active && expected && *active >= *expected)
    it.at_most(bound::remote, Fact("all NVLinks of this board are active"));
}

}  // namespace

Signatures link_causes() {
  return {
      {.name = "pcie_link_degraded",
       .title = "The PCIe link runs with fewer lanes or a lower generation than it could",
       .what = "A bad contact, a riser, a slot with fewer lanes, or a setting makes the link train lower. "
               "Copies fall with "
               "it; work on the device does not. While idle a low generation is normal.",
       .moves = "h2d --, d2h --, p2p -, gemm16 0, hbm 0",
       .confirms = "generation or width below the maximum, read under load; another slot or board recovers",
       .excludes = "the link is at its maximum under load; it was read while idle; pinning to the local node "
                   "recovers",
       .confused_with = {{"numa_misplacement", "does pinning to the GPU's node recover?"},
                         {"pcie_chipset_attached", "is the GPU attached through the chipset?"},
                         {"pageable_memory", "are pinned copies slow too?"},
                         {"confidential_computing", "is confidential computing on?"}},
       .next =
           "nvidia-smi "
           "--query-gpu=pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max "
           "--format=csv -l 1 during a copy; reseat the card",
       .reading = {"https://docs.nvidia.com/deploy/nvidia-smi/index.html"},
       .examine = examine_pcie},
      {.name = "pcie_chipset_attached",
       .title = "The GPU hangs on the chipset and shares its link to the processor",
       .what = "A slot behind the chipset shares one narrow link with disks and network. The negotiated "
               "width looks healthy; "
               "only pairs that cross it are slow.",
       .moves = "h2d -, p2p --, gemm16 0, hbm 0",
       .confirms = "the PCI tree leads through the chipset; pairs differ at equal link status",
       .excludes = "the tree leads straight to the processor",
       .confused_with = {{"pcie_link_degraded", "is the link below its maximum under load?"},
                         {"acs_enabled", "do bridges redirect (ACSCtl)?"}},
       .severity = Severity::note,
       .next = "lspci -tv; move the card to a slot of the processor",
       .reading = {"https://man7.org/linux/man-pages/man8/lspci.8.html"},
       .examine = examine_chipset},
      {.name = "iommu_translation",
       .title = "The IOMMU translates what the devices exchange",
       .what = "With the IOMMU translating, copies between devices go through the root complex, are slower "
               "or hang; copies "
               "with the host lose a little.",
       .moves = "h2d -, p2p x",
       .stands_on = {"iommu"},
       .confirms = "the kernel log says that the default domain is translated; passing through (iommu=pt) "
                   "recovers",
       .excludes = "it passes through or is off; switching it changes nothing",
       .confused_with = {{"acs_enabled", "do bridges redirect (ACSCtl)?"},
                         {"nccl_p2p_to_shm", "is a plain copy between devices slow too?"}},
       .next =
           "dmesg | grep -i 'default domain type'; boot with iommu=pt (x86) or iommu.passthrough=1 (Arm, but "
           "not on a module with a Grace processor, where CUDA fails so on some kernels)",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"},
       .examine = examine_iommu},
      {.name = "acs_enabled",
       .title = "PCIe access control sends copies between GPUs through the processor",
       .what =
           "With ACS on the bridges of a switch, traffic between two GPUs below it, or a GPU and a network "
           "card, is sent up to the root and back: pairs on one switch become slower than pairs across "
           "sockets, and collectives may hang.",
       .moves = "p2p --, h2d 0, gemm16 0",
       .stands_on = {"acs"},
       .confirms = "ACSCtl flags on the bridges; pairs on one switch slower than across sockets; switching "
                   "it off recovers; so may doing without GPUDirect RDMA",
       .excludes = "no flag is set; switching it changes nothing",
       .confused_with = {{"iommu_translation", "does the IOMMU translate?"},
                         {"pcie_link_degraded", "are copies with the host slow too?"},
                         {"nccl_p2p_to_shm", "is a plain copy between devices slow too?"}},
       .next =
           "lspci -vvv | grep -E 'ACSCtl.*SrcValid\\+'; keep it on where virtual machines share the GPUs; on "
           "bare metal setpci -s BRIDGE ECAP_ACS+6.w=0000, or in the firmware",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"},
       .examine = examine_acs},
      {.name = "nvlink_partial",
       .title = "Some NVLinks of this board are down",
       .what = "A bridge that is not fully seated, or a link that failed, leaves fewer links than the board "
               "has. A board that "
               "has fewer than the chip is not concerned.",
       .moves = "p2p -, h2d 0, gemm16 0",
       .confirms = "fewer active links than this board has, or than its peers; NVML answers slowly; Xid 74, "
                   "or 144 to 150 with NVLink 5",
       .excludes = "all links of this board are active",
       .confused_with = {{"acs_enabled", "do the GPUs talk over NVLink?"},
                         {"fabric_manager_down", "is it an NVSwitch machine whose fabric is not ready?"}},
       .next = "nvidia-smi nvlink -s; time nvidia-smi topo -m; reseat the bridge",
       .reading = {"https://docs.nvidia.com/deploy/xid-errors/index.html"},
       .examine = examine_nvlink},
  };
}

}  // namespace gpugauge::diagnose
