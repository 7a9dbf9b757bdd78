// A kernel module that was built for another kernel, or whose source does not fit this one.
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/driver_start.hpp"

namespace gpugauge::diagnose {

namespace {

/// The kernel that runs, by "uname -a" or by modprobe: "6.8.0-45-generic"; "" where no line tells it.
std::string running_kernel(const Seen& seen) {
  for (const std::string& line : seen.it().log) {
    if (const std::size_t at = line.find("not found in directory /lib/modules/"); at != std::string::npos) {
      const std::string rest =
          line.substr(at + std::string_view("not found in directory /lib/modules/").size());
      return rest.substr(0, rest.find_first_of(" /\t\"'"));
    }
    // Linux HOST RELEASE #163-Ubuntu SMP ...
    std::istringstream words(line);
    std::string system;
    std::string host;
    std::string release;
    std::string build;
    if (words >> system >> host >> release >> build && system == "Linux" && build.starts_with('#') &&
        is_digit(release.front()))
      return release;
  }
  return "";
}

/// A file of the module's source tree, where DKMS, the distribution and the installer have it.
bool is_of_module(const std::string& line) {
  for (const std::string_view place :
       {"/dkms/nvidia/", "/dkms/nvidia-current/", "/dkms/nvidia-open/", "/dkms/nvidia-srv/",
        "/usr/src/nvidia-", "/usr/src/nvidia-open-", "/usr/src/nvidia-srv-", "/usr/src/nvidia-current-"})
    if (const std::size_t at = line.find(place);
        at != std::string::npos && at + place.size() < line.size() && is_digit(line[at + place.size()]))
      return true;
  return contains_any(line, {"NVIDIA-Linux-*/kernel/", "NVIDIA-Linux-*/kernel-open/"});
}

/// The compiler itself is another one than the source was written for.
Fact other_compiler(const Seen& seen) {
  return seen.told({"gcc-version-check failed", "gcc version check failed",
                    "unrecognized command-line option", "unrecognized command line option",
                    "cannot use keyword"});
}

}  // namespace

Fact module_not_compiled(const Seen& seen) {
  for (const std::string& line : seen.it().log) {
    if (is_of_module(line) && contains_any(line, {": error:", ": fatal error:"}))
      return fmt::format("log: \"{}\"", line);
    // The linker of modules: a symbol that this kernel keeps for modules of its own licence.
    if (contains_any(line, {"GPL-incompatible module nvidia", "modpost*nvidia*.ko] undefined!"}))
      return fmt::format("log: \"{}\"", line);
  }
  return std::nullopt;
}

Fact module_of_other_kernel(const Seen& seen) {
  const std::string running = running_kernel(seen);
  std::string other;
  for (const std::string& line : seen.it().log) {
    constexpr std::string_view folder = "/lib/modules/";
    const std::size_t at = line.find(folder);
    if (running.empty() || at == std::string::npos ||
        !contains_any(line, {"/nvidia.ko", "/nvidia-current.ko"}))
      continue;
    const std::string kernel =
        line.substr(at + folder.size(), line.find('/', at + folder.size()) - at - folder.size());
    if (kernel == running) return std::nullopt;
    other = kernel;
  }
  if (other.empty()) return std::nullopt;
  return fmt::format("the log lists a module for kernel {} and none for {}, which runs", other, running);
}

namespace {

void examine_newer_kernel(const Seen& seen, Argument& it) {
  const Fact compiled = module_not_compiled(seen);
  it.confirms(weight::proof, compiled);
  if (!compiled) return;
  it.explains_failure();
  it.is_an_event();
  it.confirms(weight::hint, either(seen.field_changed("kernel.version"), seen.changed({"os"})));
  it.at_most(bound::weak, in_words("the compiler is another one", other_compiler(seen)));
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
