// A kernel module whose source does not fit the kernel.
#include "diagnose/causes/driver_start.hpp"

namespace gpugauge::diagnose {

Fact module_not_compiled(const Seen& seen) {
  // The compiler's words on a file of the module's source tree.
  return seen.told({"/nvidia*/build/*: error:", "/nvidia-*/nvidia*.c:*: error:", "/nvidia*/nv-*.c:*: error:",
                    "/nvidia*/nv*.h:*: error:", "/kernel/nvidia*: error:", "/kernel-open/nvidia*: error:"});
}

namespace {

void examine_newer_kernel(const Seen& seen, Argument& it) {
  const Fact compiled = module_not_compiled(seen);
  it.confirms(weight::proof, compiled);
  if (!compiled) return;
  it.explains_failure();
  it.is_an_event();
  it.confirms(weight::hint, either(seen.field_changed("kernel.version"), seen.changed({"os"})));
  it.at_most(bound::weak,
             seen.told({"gcc-version check failed", "compiler differs", "unrecognized command"}));
}

}  // namespace

Signatures module_build_causes() {
  return {
      {.name = "kernel_newer_than_driver",
       .title = "The driver's kernel module does not compile for this kernel",
       .what =
           "Kernels change what modules may use. A driver's source of an earlier time then does not compile, DKMS "
           "builds no module, and after the next boot there is no driver.",
       .moves = "init x",
       .confirms = "the compiler reports errors in the module's own source files",
       .excludes = "the kernel's headers are missing, or the compiler is another one than the kernel's",
       .confused_with = {{"kernel_module_missing", "does the compiler name an error in NVIDIA's source?"},
                         {"secure_boot_rejects_module", "was it built, and refused?"}},
       .severity = Severity::failure,
       .next =
           "dkms status; boot the kernel before, or install a driver branch whose release notes name this kernel; "
           "hold kernel and driver together",
       .reading = {"https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"},
       .examine = examine_newer_kernel},
  };
}

}  // namespace gpugauge::diagnose
