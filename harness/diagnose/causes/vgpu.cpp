// GPUs that a hypervisor shares out: the guest's licence, and the versions of host and guest.
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/gpu_model.hpp"
#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {
namespace {

Fact vgpu_profile(const Seen& seen) {
  const std::string& name = seen.it().about.gpu;
  return is_vgpu_profile(name) ? Fact(fmt::format("the GPU is a vGPU, {}", name)) : Fact();
}

void examine_vgpu(const Seen& seen, Argument& it) {
  const Fact unlicensed =
      seen.on("gpu.vgpu_license", {"unlicensed", "expired", "not licensed", "unacquired"});
  it.confirms(weight::proof, unlicensed);
  if (unlicensed && seen.error(46, {"busy or unavailable", "DevicesUnavailable"})) it.explains_failure();
  it.confirms(weight::strong,
              both(seen.off("gpu.vgpu_license"), seen.on("host.virtualization", {"vgpu", "grid"})));
  it.confirms(weight::strong,
              seen.told({"unlicensed", "nvidia-gridd*fail", "gridd*license", "license*not acquired",
                         "License Status*Unlicensed", "failed to acquire license", "GRID license not found",
                         "license*performance will be restricted", "vGPU*license*expired",
                         "vGPU*license*not*acquired", "NLS*license*fail"},
                        {"acquired successfully", "Licensed (Expiry"}));
  it.confirms(weight::strong, seen.recovers_by({"license", "licence", "gridd", "DLS", "NLS", "CLS instance",
                                                "7070", "ClientConfigToken", "client_configuration_token"}));
  it.confirms(weight::good, seen.told({"DLS appliance", "DLS instance", "CLS instance", "license server",
                                       "licence server", "client configuration token", "nvidia-gridd"}));
  const Fact profile = either(either(vgpu_profile(seen), seen.gpu_is({"GRID", "vGPU"})),
                              either(seen.on("host.virtualization", {"vgpu", "grid"}),
                                     seen.on("gpu.brand", {"Virtual Workstation", "Virtual PC", "vApps",
                                                           "vGaming", "Virtual Compute"})));
  const Fact guest =
      either(profile, seen.on("host.virtualization", {"vm", "azure", "citrix", "xen", "hyper-v", "cloud"}));
  // The work is fine for minutes, then far slower than heat could make it.
  constexpr double beyond_heat = 8;
  const Fact worse = seen.on("drift", {"worse_with_time"});
  it.confirms(weight::good, both(both(worse, guest), seen.slower({}, {}, beyond_heat)));
  it.confirms(weight::fair, both(worse, profile));
  // The grace period restarts with the guest.
  it.confirms(weight::good, both(both(worse, profile), seen.probe("repeat_in_fresh_process", {"recovers"})));
  // Without a licence CUDA calls finally fail, while NVML answers and no other process uses the GPU.
  const Fact refused = both(seen.error(46, {"busy or unavailable", "DevicesUnavailable"}),
                            seen.probe("nvml_query", {"succeeds", "normal"}));
  if (seen.number("utilization_percent").value_or(100) < 1) it.confirms(weight::good, both(profile, refused));
  if (!it.evidence().empty()) it.confirms(weight::hint, profile);
  it.at_most(bound::unnamed, seen.throttled({"hw_thermal", "sw_thermal", "hw_power_brake"}));
  // The daemon of the guest's driver runs where no GPU takes a licence: on the host, or beside a whole card.
  it.at_most(bound::unnamed, seen.told({"Licensing not supported for GPUs in the system"}));
}

void examine_vgpu_versions(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.told({"Guest driver is incompatible with host driver"}));
  // The guest's package on the host brings the daemon of licences, and none of those that share out.
  const Fact no_licence = seen.told({"Licensing not supported for GPUs in the system"});
  it.confirms(weight::strong, both(no_licence, seen.told({"-grid.run", "-grid package", "grid driver"})));
  if (it.evidence().empty()) {
    it.confirms(weight::fair, no_licence);
    return;
  }
  it.explains_failure();
  it.is_an_event();
  it.confirms(weight::fair, seen.xid({78}));
  it.confirms(weight::strong, seen.recovers_by({"grid", "guest driver", "vgpu-kvm"}));
}

}  // namespace

Signatures vgpu_causes() {
  return {
      {.name = "vgpu_unlicensed",
       .title = "The vGPU guest has no licence and is capped",
       .what = "After a grace period the driver of an unlicensed vGPU guest limits clocks and frame rate.",
       .moves = "gemm16 --, launch -",
       .confirms = "the licence state says unlicensed; nvidia-gridd logs that it got none",
       .excludes = "the GPU is passed through whole",
       .confused_with = {{"sw_power_cap", "is it a vGPU guest, and what is its licence state?"},
                         {"power_or_clock", "is it a vGPU guest, and what is its licence state?"}},
       .next = "nvidia-smi -q | grep -i license; systemctl status nvidia-gridd",
       .reading = {"https://docs.nvidia.com/vgpu/latest/grid-licensing-user-guide/index.html"},
       .examine = examine_vgpu},
      {.name = "vgpu_driver_mismatch",
       .title = "The vGPU drivers of host and guest do not fit together",
       .what =
           "A host with vGPU and its guests take different packages of one release of vGPU, or of releases that "
           "NVIDIA names as fitting. A host that is upgraded leaves older guests behind; the guest's package on the "
           "host shares out nothing.",
       .moves = "init x",
       .confirms = "the guest's kernel log says that it does not fit the host (Xid 78)",
       .excludes = "the guest computes",
       .confused_with = {{"vgpu_unlicensed", "does the guest see the GPU at all?"},
                         {"umd_kmd_mismatch", "is it the guest's own library and module that differ?"}},
       .severity = Severity::failure,
       .next =
           "on the host: nvidia-smi vgpu; in the guest: dmesg | grep -i -e xid -e nvrm; install the guest driver of "
           "the host's release of vGPU",
       .reading = {"https://docs.nvidia.com/vgpu/index.html"},
       .examine = examine_vgpu_versions},
  };
}

}  // namespace gpugauge::diagnose
