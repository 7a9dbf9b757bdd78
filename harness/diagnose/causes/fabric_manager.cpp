// The fabric manager of machines with NVSwitch.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "diagnose/causes/driver_start.hpp"
#include "stack/compat/version.hpp"

namespace gpugauge::diagnose {
namespace {

const Words not_ready_names{"cudaErrorSystemNotReady", "CUDA_ERROR_SYSTEM_NOT_READY",
                            "system not yet initialized"};
const Words manager_mismatch_lines{"don't match with driver version", "does not match driver version",
                                   "fabric manager*version*mismatch", "fabric*mismatch*driver",
                                   "driver interface version"};

/// The fabric's state is known, and is neither complete nor unsupported.
Fact fabric_not_done(const Seen& seen) {
  const Value* state = seen.inventory("gpu.fabric_state");
  if (state == nullptr) return std::nullopt;
  const std::string word = lower(state->text());
  if (word == "completed" || word == "complete" || word == "success" || word == "ok" ||
      word.starts_with("not_supported") || word.starts_with("not supported") || word == "n/a")
    return std::nullopt;
  return fmt::format("gpu.fabric_state = {}", state->text());
}

/// The name is that of a board for machines with NVSwitch. H100 NVL and H200 NVL have bridges instead.
Fact board_with_switch(const Seen& seen) {
  if (seen.gpu_named({"NVL", "PCIe", "PCIE"})) return std::nullopt;
  return seen.gpu_named({"SXM", "SXM3", "SXM4", "SXM5", "SXM6", "HBM3", "HBM3e", "HGX", "DGX", "GB200",
                         "GB300", "B200", "B300", "H200", "H20"});
}

/// True for a GPU with NVLink 5, whose fabric manager also needs the NVLink subnet manager (NVLSM).
bool nvlink_5(const Seen& seen) {
  const std::string& capability = seen.it().about.compute_capability;
  return capability.empty() ? seen.gpu_named({"B100", "B200", "B300", "GB200", "GB300"}).has_value()
                            : capability.starts_with("10.");
}

/// No NVSwitch was seen. Switches of NVLink 5 do not appear as PCI functions, so they are never missed.
Fact switch_missing(const Seen& seen) {
  return nvlink_5(seen) ? std::nullopt : seen.off("topology.nvswitch");
}

/// The service does not run where it should. On most machines it is rightly absent.
Fact manager_not_running(const Seen& seen) {
  const Value* state = seen.inventory("fabric_manager.state");
  if (state == nullptr) return std::nullopt;
  const bool absent = state->off() || contains_any(state->text(), {"not installed", "absent"});
  if (absent && !seen.on("topology.nvswitch") && !seen.told({"NVSwitch"}) && !board_with_switch(seen))
    return std::nullopt;
  if (absent ||
      contains_any(state->text(), {"exited", "exits", "inactive", "fail", "dead", "stopped", "not running",
                                   "masked", "disabled", "crash", "restarting", "core-dump", "core dump"}))
    return fmt::format("fabric_manager.state = {}", state->text());
  return std::nullopt;
}

/// The first version of a driver ("525.147.05") behind one of these names in a text; "" where there is none.
std::string version_behind(const std::string& text, Words names) {
  const std::string low = lower(text);
  for (const std::string_view name : names)
    for (std::size_t at = low.find(name); at != std::string::npos; at = low.find(name, at + 1)) {
      // "nvidia-fabricmanager-525 525.125.06-1", "nvidia-fabric-manager-550.90.07"
      constexpr std::size_t near = 24;
      for (std::size_t i = at + name.size(); i < std::min(low.size(), at + name.size() + near); ++i) {
        const auto is_digit = [&](std::size_t where) {
          return where < low.size() && low[where] >= '0' && low[where] <= '9';
        };
        if (!is_digit(i) || is_digit(i - 1) || !is_digit(i + 1) || !is_digit(i + 2) || is_digit(i + 3))
          continue;
        std::size_t end = i + 3;
        while (end < low.size() && (is_digit(end) || (low[end] == '.' && is_digit(end + 1)))) ++end;
        if (end > i + 3) return low.substr(i, end - i);
      }
    }
  return "";
}

/// Packages or words give the fabric manager another version than the driver.
Fact packages_differ(const Seen& seen) {
  std::string manager;
  std::string driver;
  if (const Value* version = seen.inventory("driver.version")) driver = version->text();
  if (seen.it().changed)
    if (const auto found = seen.it().changed->find("driver"); found != seen.it().changed->end())
      driver = found->second.after.text();
  std::vector<std::string> texts = seen.it().log;
  for (const ErrorSeen& error : seen.it().errors) texts.push_back(error.text);
  for (const Metric& metric : seen.it().metrics) texts.push_back(metric.note);
  if (seen.inventory("fabric_manager.version") != nullptr) return std::nullopt;
  bool alike = false;
  for (const std::string& text : texts) {
    // A history of packages, and what could be installed.
    const bool history = contains_any(text, {"upgrade", "upgrading", "unpacking", "available", "candidate",
                                             "setting up", "removed", " -> ", "from ", "rc  "}) ||
                         text.starts_with("rc ");
    const std::string told =
        history ? "" : version_behind(text, {"fabricmanager", "fabric-manager", "fabric manager"});
    if (manager.empty()) manager = told;
    if (driver.empty() && !history)
      driver = version_behind(
          text, {"nvidia-driver", "driver version", "kernel module", "nvidia-kernel", "driver"});
    alike = alike || (!told.empty() && told == driver);
  }
  if (alike) return std::nullopt;
  const auto one = stack::Version::parse(manager);
  const auto two = stack::Version::parse(driver);
  if (!one || !two || one->size() != two->size() || *one == *two) return std::nullopt;
  return fmt::format("the fabric manager is {} and the driver {}", manager, driver);
}

Fact manager_version_differs(const Seen& seen) {
  if (Fact fact = seen.versions_differ("fabric_manager.version", "driver.version")) return fact;
  if (Fact fact = seen.versions_differ("fabric_manager.version", "driver.kernel_module_version")) return fact;
  return packages_differ(seen);
}

/// The manager was put to the driver's version, and not only started.
Fact manager_version_recovers(const Seen& seen) {
  for (const std::string_view name : {"fabricmanager=", "fabric_manager=", "fabric-manager=",
                                      "fabric manager=", "fabric_manager.version", "fabricmanager-"})
    if (Fact fact = seen.probe("change_version", {"recovers"}, {name})) return fact;
  return std::nullopt;
}

/// The fabric manager finds no NVSwitch.
Fact nothing_to_manage(const Seen& seen) {
  return seen.told({"NV_WARN_NOTHING_TO_DO", "no NVSwitch", "NVSwitch*not found"});
}

void examine_manager_down(const Seen& seen, Argument& it) {
  const Fact error = seen.error(802, not_ready_names);
  it.confirms(weight::good, error);
  it.confirms(weight::good, manager_not_running(seen));
  it.confirms(weight::good, seen.told({"fabricmanager*not found", "fabricmanager*inactive",
                                       "fabricmanager*not running", "fabricmanager*failed",
                                       "fabric manager*not running", "fabric manager*config*invalid",
                                       "FABRIC_NODE_CONFIG_FILE*invalid", "fabric manager*crash",
                                       "fabricmanager*crash", "nvidia-fabricmanager*could not be found"}));
  it.confirms(weight::good, seen.told({"nvlsm*does not exist", "nvlsm*not found", "ib_umad*not been loaded",
                                       "umad_init: can't"}));
  it.confirms(weight::strong,
              seen.recovers_by({"fabric_manager", "fabricmanager", "fabric manager", "nvlsm", "ib_umad"}));
  const bool state_read = !it.evidence().empty() || fabric_not_done(seen);
  // Before the switches are set up, NVML lists GPUs that CUDA does not see.
  if (seen.fails({"init"}) && board_without_devices(seen)) {
    it.confirms(weight::fair, board_without_devices(seen));
    if (!state_read) it.unproven(bound::unconfident, Fact("nothing tells the state of the fabric"));
  }
  if (!it.evidence().empty() || seen.fails({"init"})) {
    it.confirms(weight::fair, fabric_not_done(seen));
    // The board alone suggests a fabric but tells nothing about its state.
    const Fact fabric = either(seen.on("topology.nvswitch"), seen.told({"NVSwitch"}));
    it.confirms(it.evidence().empty() && !fabric ? weight::hint : weight::fair,
                either(fabric, board_with_switch(seen)));
    if (!it.evidence().empty()) it.confirms(weight::faint, nvml_works(seen));
  }
  it.rules_out(memory_without_room(seen));
  it.rules_out(both(switch_missing(seen), seen.off("gpu.fabric_state")));
  it.at_most(bound::unnamed, switch_missing(seen));
  // Without an NVSwitch the service exits by itself, and nothing waits for it. With NVLink 5 it also exits so
  // if NVLSM is missing. Where error 802 was seen, something does wait.
  const Fact nothing_to_do = nothing_to_manage(seen);
  if (nvlink_5(seen)) {
    it.confirms(weight::good, both(either(error, fabric_not_done(seen)), nothing_to_do));
  } else {
    it.at_most(error ? bound::half : 0, nothing_to_do);
  }
  if (!error) it.rules_out(seen.gpu_is({"GeForce", "TITAN", "Quadro"}));
  if (!error && !fabric_not_done(seen)) it.at_most(bound::unnamed, gpu_computes(seen));
  it.at_most(bound::remote, invalid_ordinal(seen));
  it.at_most(bound::weak, seen.told(manager_mismatch_lines));
  it.at_most(bound::weak, manager_version_differs(seen));
  it.at_most(bound::weak, in_words("its version mends it", manager_version_recovers(seen)));
  it.at_most(bound::weak, seen.recovers_by({"nokaslr", "uvm_disable_hmm", "conf-compute", "-srs"}));
  if (!manager_not_running(seen))
    it.at_most(bound::below_half, seen.on("host.virtualization", {"confidential"}));
  it.at_most(bound::unnamed,
             seen.on("fabric_manager.state", {"active", "running"}) && !manager_not_running(seen)
                 ? Fact("the fabric manager is running")
                 : Fact());
}

void examine_manager_version(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.told(manager_mismatch_lines));
  it.confirms(weight::strong, manager_version_differs(seen));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, manager_not_running(seen));
    it.confirms(weight::hint, seen.error(802, not_ready_names));
    it.confirms(weight::faint, seen.on("topology.nvswitch"));
  }
  it.confirms(weight::strong, either(seen.recovers_by({"fabric_manager.version", "fabricmanager="}),
                                     manager_version_recovers(seen)));
  // A service without a switch to manage is of no version that matters.
  if (!seen.error(802, not_ready_names) && !nvlink_5(seen)) it.rules_out(nothing_to_manage(seen));
}

}  // namespace

Fact board_without_devices(const Seen& seen) {
  if (!seen.on("topology.nvswitch") && !board_with_switch(seen)) return std::nullopt;
  return both(no_device(seen), nvml_works(seen));
}

Signatures fabric_manager_causes() {
  return {
      {.name = "fabric_manager_down",
       .title = "The fabric manager of an NVSwitch machine is not running",
       .what = "On machines with NVSwitch CUDA starts only after the fabric manager has set the switches up. "
               "NVML works "
               "without it, so nvidia-smi looks healthy.",
       .moves = "init x, p2p x, coll_large ?",
       .confirms =
           "error 802, an NVSwitch machine, the fabric's state is not completed, the service is down; "
           "with NVLink 5 also that it finds nothing to do, for want of nvlsm",
       .excludes =
           "no NVSwitch and no fabric; the service runs in the driver's version; the kernel log refuses "
           "nvidia_uvm's memory",
       .confused_with = {{"fabric_manager_version_mismatch", "does its journal say that versions differ?"},
                         {"kernel_kaslr_hmm", "does the kernel log name devmem_alloc_pagemap?"},
                         {"confidential_computing", "is confidential computing on, and no NVSwitch there?"}},
       .severity = Severity::failure,
       .next = "systemctl status nvidia-fabricmanager; nvidia-smi -q | grep -A2 Fabric; with NVLink 5 (B100, "
               "B200, "
               "B300): install nvlsm, modprobe ib_umad; systemctl enable --now nvidia-fabricmanager",
       .reading = {"https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html"},
       .examine = examine_manager_down},
      {.name = "fabric_manager_version_mismatch",
       .title = "The fabric manager has another version than the driver",
       .what = "The fabric manager must be of exactly the driver's version, to the patch level. After one of "
               "the two was "
               "upgraded alone it ends at its start.",
       .moves = "init x, coll_large ?",
       .confirms = "its journal says so; its version differs from the driver's",
       .excludes = "the versions are equal",
       .confused_with = {{"fabric_manager_down", "are the versions equal?"},
                         {"umd_kmd_mismatch", "do NVML and the kernel module agree?"}},
       .severity = Severity::failure,
       .latent = true,
       .next = "journalctl -u nvidia-fabricmanager -n 20; install the package of the version in "
               "/proc/driver/nvidia/version",
       .reading = {"https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html"},
       .examine = examine_manager_version},
  };
}

}  // namespace gpugauge::diagnose
