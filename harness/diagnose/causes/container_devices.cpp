// What a container is given by a CDI specification, a file that is written once and does not follow the driver.
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {
namespace {

/// The runtime looked for a device by its CDI name and found none. What somebody writes of it shows nothing.
Fact cdi_unresolved(const Seen& seen) {
  return seen.told({"unresolvable CDI device", "failed to inject CDI devices",
                    "failed to inject devices: *CDI", "could not inject CDI", "CDI device injection failed"},
                   {"When ", "prints ", "If the", "If you", "we fixed"});
}

/// A file of the driver is to be mounted that is not there: its version went with the driver.
Fact mount_of_other_driver(const Seen& seen) {
  for (const std::string& line : seen.it().log) {
    if (!contains_any(line, {"error mounting", "error stat'ing file", "failed to stat", "cannot stat",
                             "failed to fulfil mount request", "bind mount"}))
      continue;
    if (!contains_any(line, {"no such file or directory", "No such file or directory"})) continue;
    if (contains_any(line, {"libcuda.so.", "libnvidia-*.so.", "_nvidia.so.", "libnvcuvid.so.", "nvidia-smi",
                            "gsp_*.bin", "/firmware/nvidia/", "nvidia_drv.so", "libnvoptix"}))
      return fmt::format("log: \"{}\"", line);
  }
  return std::nullopt;
}

void examine_cdi(const Seen& seen, Argument& it) {
  const Fact unresolved = cdi_unresolved(seen);
  const Fact mount = mount_of_other_driver(seen);
  it.confirms(weight::proof, unresolved);
  it.confirms(weight::strong, mount);
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
  it.confirms(weight::strong, seen.recovers_by({"nvidia-ctk cdi generate", "cdi generate", "cdi=", "CDI"}));
  it.confirms(weight::fair, seen.told({"/etc/cdi", "/var/run/cdi", "nvidia.yaml", "nvidia-ctk cdi"}));
  it.confirms(weight::hint, seen.changed({"driver"}));
  // Of another maker's device.
  it.at_most(bound::remote,
             in_words("the device is no GPU of NVIDIA's",
                      seen.told({"unresolvable CDI devices amd.com", "unresolvable CDI devices intel.com"})));
}

/// A file of the host's driver needs a newer C library than the container has.
Fact driver_wants_newer_libc(const Seen& seen) {
  return seen.told({"version `GLIBC_*not found (required by *libcuda",
                    "version `GLIBC_*not found (required by *libnvidia-",
                    "version `GLIBC_*not found (required by *_nvidia.so",
                    "version `GLIBC_*not found (required by */.singularity.d/libs/libGLdispatch",
                    "version `GLIBC_*not found (required by */.singularity.d/libs/libOpenGL"});
}

void examine_libc(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, driver_wants_newer_libc(seen));
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
  it.confirms(weight::hint, seen.told({"--nv", "apptainer", "singularity", "docker", "podman"}));
}

}  // namespace

Signatures container_device_causes() {
  return {
      {.name = "cdi_spec_stale",
       .title = "The CDI description of the GPUs is missing, or is that of another driver",
       .what =
           "A CDI file tells a container runtime which device nodes and driver files a GPU is. It is written once, by "
           "nvidia-ctk, and names the files of the driver of that day. Without it no device has that name; after an "
           "upgrade its files are gone. The container does not start, and the host works.",
       .confirms =
           "the runtime cannot resolve nvidia.com/gpu=..., or cannot mount a file of the driver that is gone",
       .excludes = "nvidia-ctk cdi list shows the device, and the files that it names are there",
       .confused_with = {{"no_visible_device", "does the container start?"},
                         {"device_access_denied", "is a device unknown, or refused?"},
                         {"umd_kmd_mismatch", "does nvidia-smi work on the host?"}},
       .severity = Severity::failure,
       .next =
           "nvidia-ctk cdi list; sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml after each driver upgrade, "
           "or enable nvidia-cdi-refresh (toolkit 1.18 and later)",
       .reading =
           {"https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/cdi-support.html"},
       .examine = examine_cdi},
      {.name = "container_old_libc",
       .title = "The container's C library is older than the host's driver files need",
       .what =
           "The driver's libraries come from the host into the container. Where the host's distribution built them, or "
           "what they load, for a newer glibc than the container's, they cannot be loaded there. Without the GPU the "
           "container works.",
       .confirms = "the loader names a GLIBC version that a mounted file of the host wants",
       .excludes = "the file that wants it is the program's own",
       .confused_with = {{"missing_cuda_libraries",
                          "is a library absent, or does it want a newer C library?"},
                         {"mixed_library_versions", "does the loader name GLIBC, or a symbol of CUDA?"}},
       .severity = Severity::failure,
       .next =
           "ldd --version on the host and in the container; take an image of a distribution as new as the host's, or "
           "the driver by NVIDIA's installer, which needs an old glibc only",
       .reading = {"https://apptainer.org/docs/user/main/gpu.html"},
       .examine = examine_libc},
  };
}

}  // namespace gpugauge::diagnose
